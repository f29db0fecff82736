"""Files offered as resources: one file, or all files below a directory; limited in size, and read for each request.

Knows names, types and limits. The package `files` opens and reads them; media makes contents of them. Error texts
hold base names only, so that no client learns a path.
"""

import os
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar, get_args
from urllib.parse import quote

from ..errors import AuthorError, ResourceNotFound
from ..files.regular import MAX_SIZE, check_max_size, read_bounded
from ..files.safe_paths import Links, SafePath
from ..media import File
from ..wire.mime import UNKNOWN, mime_of_name, sniff

__all__ = ["Directory", "FileSource", "reads_file", "uri_of"]

Location: TypeAlias = str | os.PathLike[str]

F = TypeVar("F", bound=Callable[..., Any])

_HEAD = 1024
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def uri_of(path: Location) -> str:
    """The file URI of a path (S003-05); a link goes by its own name.

    >>> uri_of("/srv/docs/../a b.md")
    'file:///srv/a%20b.md'
    """
    return Path(os.path.abspath(path)).as_uri()


def reads_file(function: F) -> F:
    """Mark a function that only reads a file; such functions have their own threads."""
    function.reads_file = True  # type: ignore[attr-defined]
    return function


class FileSource:
    """One file: a path, read for each request; or an open file, read once, now (S003-03).

    With a root the path must be below it. Without one nothing is outside, so links="inside" follows all links.
    """

    __slots__ = ("_data", "_max_size", "_path", "_uri", "mime_type", "name")

    def __init__(
        self,
        file: Location | IO[str] | IO[bytes],
        *,
        root: Location | None = None,
        links: Links = "inside",
        max_size: int = MAX_SIZE,
    ) -> None:
        _check_options(links, max_size)
        self._max_size = max_size
        self._data: bytes | None = None
        self._path: SafePath | None = None
        self._uri: str | None
        if isinstance(file, str | os.PathLike):
            path = _to_absolute(file)
            self.name, self._uri = _base_name_of(path), uri_of(path)
            self._path = _safe_path_of(path, root, links)
            head, kind = _read_head(self._path, self.name, max_size), None
        elif root is None:
            self.name, self._uri = _name_of(file)
            self._data, kind = _read_open_file(file, self.name, max_size)
            head = self._data[:_HEAD]
        else:
            raise AuthorError("root= is for a path; where an open file lies is not known")
        self.mime_type: str = mime_of_name(self.name) or kind or _mime_of(head)

    @property
    def uri(self) -> str:
        """Its file URI; an open file that has no name needs one of its own."""
        if self._uri is None:
            raise AuthorError("an open file without a name needs a uri=")
        return self._uri

    def size(self) -> int | None:
        """How many bytes it has now; None if it cannot be read."""
        if self._path is None:
            return len(self._data or b"")
        try:
            with self._path.open() as (file, _):
                return os.fstat(file.fileno()).st_size
        except (OSError, ValueError):
            return None

    def read(self, uri: str | None = None) -> File:
        """The file as it is now; ResourceNotFound, with the requested URI, if it cannot be read."""
        data = self._data
        if self._path is not None:
            with _as_not_found(uri or self.name), self._path.open() as (file, _):
                data = read_bounded(file, self.name, self._max_size)
        return File(data=data, name=self.name, format=self.mime_type)


class Directory:
    """The files below a directory, by the path they have there."""

    __slots__ = ("_hidden", "_links", "_max_size", "_root")

    def __init__(
        self, root: Location, *, links: Links = "inside", max_size: int = MAX_SIZE, hidden: bool = False
    ) -> None:
        _check_options(links, max_size)
        self._root, self._max_size, self._hidden = _to_absolute(root), max_size, hidden
        self._links: Links = links
        if not os.path.isdir(self._root):
            raise AuthorError(f"{_base_name_of(self._root)!r} is not a directory")

    def resolve(self, relative: str, uri: str | None = None) -> Path:
        """The real path of a file; ResourceNotFound for anything but a readable file below the root.

        When a caller opens the path later, another file may be there; `read` does not have this gap.
        """
        with self._open(relative, uri) as (_, real):
            return real

    def read(self, relative: str, uri: str | None = None) -> File:
        """A file as it is now; ResourceNotFound as for `resolve`, ToolError if it is too large."""
        name = relative.rpartition("/")[2]
        with self._open(relative, uri) as (file, _):
            data = read_bounded(file, _base_name_of(name), self._max_size)
        return File(data=data, name=name, format=mime_of_name(name) or _mime_of(data[:_HEAD]))

    @contextmanager
    def _open(self, relative: str, uri: str | None) -> Generator[tuple[IO[bytes], Path], None, None]:
        with _as_not_found(uri or relative):
            if not self._is_allowed(relative):
                raise ValueError("not a path below the root")
            with SafePath(self._root, relative, self._links).open() as opened:
                yield opened

    def _is_allowed(self, relative: str) -> bool:
        """Whether a path is written like one below the root, on this system or another (R26-RES-09)."""
        parts = relative.split("/")
        # A colon as the second character makes a drive; on Windows any other colon opens a hidden stream.
        colon = ":" in (relative if os.name == "nt" else relative[:2])
        odd = colon or "\\" in relative or "\0" in relative or not {"", ".", ".."}.isdisjoint(parts)
        # Only the requested names count: the author decides where links may lead.
        return not odd and (self._hidden or not any(part.startswith(".") for part in parts))


@contextmanager
def _as_not_found(uri: str) -> Generator[None, None, None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise ResourceNotFound(uri) from error


def _base_name_of(path: str) -> str:
    """The end of a path as text: file names may hold bytes that are not text, which cannot be encoded."""
    return os.path.basename(path).encode("utf-8", "replace").decode()


# Options of an author -----------------------------------------------------------------------------


def _check_options(links: object, max_size: object) -> None:
    if links not in get_args(Links):
        raise AuthorError(f"links= is one of {', '.join(get_args(Links))}, not {links!r}")
    check_max_size(max_size)


def _to_absolute(path: object) -> str:
    text: object = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise AuthorError(f"a path is text, not {type(text).__name__}")
    return os.path.abspath(text)


def _safe_path_of(path: str, root: Location | None, links: Links) -> SafePath:
    if root is None:
        return SafePath(os.path.dirname(path), os.path.basename(path), "follow" if links == "inside" else links)
    above = _to_absolute(root)
    if not Path(path).is_relative_to(above):
        raise AuthorError(f"{_base_name_of(path)!r} does not lie below the root {_base_name_of(above)!r}")
    return SafePath(above, os.path.relpath(path, above), links)


def _read_head(path: SafePath, name: str, max_size: int) -> bytes:
    """The beginning of a file; one that cannot be read fails here, at registration."""
    try:
        with path.open() as (file, _):
            if os.fstat(file.fileno()).st_size > max_size:
                raise AuthorError(f"{name!r} is larger than max_size={max_size}")
            return file.read(_HEAD)
    except OSError as error:
        raise AuthorError(f"cannot offer {name!r}: {error.strerror or error}") from None
    except ValueError:
        raise AuthorError(f"cannot offer {name!r}: its path is not a valid one") from None


def _name_of(file: object) -> tuple[str, str | None]:
    """The name of an open file, and its URI if it has a name."""
    path: object = getattr(file, "name", None)  # a path, the number of a descriptor, or nothing
    name = _base_name_of(path) if isinstance(path, str) else ""
    if not isinstance(path, str) or not name:
        return "file", None
    return name, uri_of(path) if os.path.isfile(path) else f"file:///{quote(name, safe='')}"


def _read_open_file(file: Any, name: str, max_size: int) -> tuple[bytes, str | None]:
    """The bytes of an open file, and its type if it was opened as text."""
    try:
        if hasattr(file, "seekable") and file.seekable():
            file.seek(0)
        content = b"" if _size_of(file) > max_size else file.read(max_size + 1)
        data = content.encode() if isinstance(content, str) else content
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise AuthorError(f"a path or an open file is wanted; reading this {type(file).__name__} failed") from error
    if not isinstance(data, bytes):
        raise AuthorError(f"reading this {type(file).__name__} gave {type(content).__name__}, not text or bytes")
    if _size_of(file) > max_size or len(data) > max_size:
        raise AuthorError(f"{name!r} is larger than max_size={max_size}")
    return data, "text/plain" if isinstance(content, str) else None


def _size_of(file: Any) -> int:
    """The size of an open file; 0 for one without a size, such as a pipe or a buffer in memory."""
    try:
        return os.fstat(file.fileno()).st_size
    except (AttributeError, OSError, TypeError, ValueError):
        return 0


def _mime_of(head: bytes) -> str:
    """The type by the first bytes: a known type, text, or unknown."""
    mime = sniff(head)
    if mime is not None:
        return mime
    try:
        # The last character may be cut in two where the file is longer.
        text = getincrementaldecoder("utf-8")().decode(head, len(head) < _HEAD)
    except UnicodeDecodeError:
        return UNKNOWN
    return UNKNOWN if _NO_TEXT.search(text) else "text/plain"
