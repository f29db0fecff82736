"""A path below a root, opened so that no file outside the root can be read instead.

Knows roots, links and races; knows nothing of resources. Every refusal is an OSError whose strerror holds no path.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from errno import ELOOP, EXDEV
from pathlib import Path
from typing import IO, Literal, TypeAlias

import msgspec

from .regular import READ, check_regular

__all__ = ["Links", "SafePath"]

# inside: a link may lead anywhere below the root. refuse: no links below the root. follow: links may leave the root.
Links: TypeAlias = Literal["inside", "refuse", "follow"]

_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_BY_STEPS = bool(_NO_LINK) and os.open in os.supports_dir_fd


class SafePath(msgspec.Struct, frozen=True):
    """A path below a root, and where links may lead."""

    root: str
    relative: str
    links: Links

    @contextmanager
    def open(self) -> Generator[tuple[IO[bytes], Path], None, None]:
        """Open the regular file there; gives the file and its real path. OSError or ValueError for anything else."""
        # Resolved each time: the root may itself be a link that a deployment changes.
        root = Path(os.path.realpath(self.root, strict=True))
        real = Path(os.path.realpath(root / self.relative, strict=True))
        if self.links != "follow" and not real.is_relative_to(root):
            raise OSError(EXDEV, "it leads out of its root")
        if self.links == "refuse" and real != root / self.relative:
            raise OSError(ELOOP, "it is a link, or behind one")
        check_regular(os.stat(real))  # before as well as after: some devices act on being opened
        handle = os.open(real, READ) if self.links == "follow" else _open_below(root, real)
        try:
            check_regular(os.fstat(handle))
        except OSError:
            os.close(handle)
            raise
        with os.fdopen(handle, "rb") as file:
            yield file, real


def _open_below(root: Path, real: Path) -> int:
    """Open the path that was checked, even if a link is put in its place meanwhile."""
    if not _BY_STEPS:
        return _open_and_compare(real)
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    *directories, name = real.relative_to(root).parts
    for part, flags in [*((part, os.O_RDONLY | os.O_DIRECTORY) for part in directories), (name, READ)]:
        above = handle
        try:
            handle = os.open(part, flags | _NO_LINK, dir_fd=above)
        finally:
            os.close(above)
    return handle


def _open_and_compare(real: Path) -> int:
    """Open a path where it cannot be done step by step; afterwards it must still be the same file, and no link."""
    handle = os.open(real, READ | _NO_LINK)
    try:
        same = os.path.samestat(os.lstat(real), os.fstat(handle))
        if not same or Path(os.path.realpath(real, strict=True)) != real:
            raise OSError(ELOOP, "it changed while it was opened")
    except OSError:
        os.close(handle)
        raise
    return handle
