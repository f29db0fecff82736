"""Files that are read for a client: only regular ones, within a size, and without waiting for anything.

A pipe waits for its writer, a device and some files of /proc never end, and a file can have holes and be huge. Knows
nothing of roots and links: see safe_paths. A refusal is an OSError whose strerror holds no path.
"""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from errno import EAGAIN, EINVAL, EISDIR
from typing import IO, Any

from ..errors import AuthorError, ToolError

__all__ = [
    "MAX_SIZE",
    "READ",
    "check_max_size",
    "check_readable",
    "check_regular",
    "open_regular",
    "read_bounded",
    "read_regular",
]

MAX_SIZE = 64 * 1024 * 1024
"""How many bytes a file may have, unless its author allows more."""

# Non-blocking, or opening a FIFO would wait for its writer. Windows has none of these flags but O_BINARY.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def check_regular(status: os.stat_result) -> None:
    """Refuse what is not a regular file, such as a pipe or a device; raises OSError."""
    if not stat.S_ISREG(status.st_mode):
        number = EISDIR if stat.S_ISDIR(status.st_mode) else EINVAL
        raise OSError(number, "it is not a regular file")


def check_max_size(max_size: object) -> int:
    """The option `max_size=`; raises AuthorError."""
    if not isinstance(max_size, int) or isinstance(max_size, bool) or max_size < 1:
        raise AuthorError(f"max_size= takes a number of bytes, not {max_size!r}")
    return max_size


@contextmanager
def open_regular(path: str | os.PathLike[str]) -> Generator[IO[bytes], None, None]:
    """Open a regular file; raises OSError or ValueError for anything else."""
    check_regular(os.stat(path))  # before as well as after: some devices act on being opened
    with os.fdopen(os.open(path, READ), "rb") as file:
        check_regular(os.fstat(file.fileno()))
        yield file


def read_bounded(file: IO[bytes], name: str, max_size: int) -> bytes:
    """All of a file; ToolError if it is too large, by its size if it has one (files of /proc do not)."""
    _check_size(os.fstat(file.fileno()).st_size, name, max_size)
    data: Any = file.read(max_size + 1)
    if data is None:  # a file of the system that has nothing to say now
        raise BlockingIOError(EAGAIN, "it does not end")
    _check_size(len(data), name, max_size)
    return bytes(data)


def read_regular(path: str | os.PathLike[str], name: str, max_size: int) -> bytes:
    """All of a regular file; raises OSError, ValueError, or ToolError if it is too large."""
    with open_regular(path) as file:
        return read_bounded(file, name, max_size)


def check_readable(path: str | os.PathLike[str], name: str, max_size: int) -> None:
    """Refuse a file that others are about to read; raises as `read_regular` does."""
    with open_regular(path) as file:
        _check_size(os.fstat(file.fileno()).st_size, name, max_size)


def _check_size(size: int, name: str, max_size: int) -> None:
    if size > max_size:
        raise ToolError(f"{name!r} is larger than {max_size} bytes; the option max_size allows more")
