"""Files offered as resources: one of them, or all those below a directory; contained, bounded, read anew each time.

Knows names, types and limits. How files are opened is told in places, how a path is spelled in a URI in uripiece,
what a file becomes in media. Error texts hold base names only: where things lie is nobody's business.
"""

import os
import re
from codecs import getincrementaldecoder
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, get_args
from urllib.parse import quote

from ..errors import AuthorError, ResourceNotFound, ToolError
from ..media import File
from ..wire.mime import UNKNOWN, mime_of_name, sniff
from .safe_paths import Links, Place

__all__ = ["MAX_SIZE", "Directory", "FileSource", "uri_of"]

MAX_SIZE = 64 * 1024 * 1024

Location: TypeAlias = str | os.PathLike[str]

_HEAD = 1024
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def uri_of(path: Location) -> str:
    """The file URI of a path (S003-05); a link goes by its own name.

    >>> uri_of("/srv/docs/../a b.md")
    'file:///srv/a%20b.md'
    """
    return Path(os.path.abspath(path)).as_uri()


class FileSource:
    """One file: a path, read each time it is asked for; or an open file, read now and kept (S003-03).

    With a root the path must lie below it. Without one nothing is outside, so links="inside" follows them all.
    """

    __slots__ = ("_data", "_max_size", "_place", "_uri", "mime_type", "name")

    def __init__(
        self,
        file: Location | IO[str] | IO[bytes],
        *,
        root: Location | None = None,
        links: Links = "inside",
        max_size: int = MAX_SIZE,
    ) -> None:
        _check(links, max_size)
        self._max_size = max_size
        self._data: bytes | None = None
        self._place: Place | None = None
        self._uri: str | None
        if isinstance(file, str | os.PathLike):
            path = _absolute(file)
            self.name, self._uri = _base_name(path), uri_of(path)
            self._place = _place(path, root, links)
            head, kind = _first_bytes(self._place, self.name, max_size), None
        elif root is None:
            self.name, self._uri = _name_of(file)
            self._data, kind = _taken(file, self.name, max_size)
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
        if self._place is None:
            return len(self._data or b"")
        try:
            with self._place.opened() as (file, _):
                return os.fstat(file.fileno()).st_size
        except (OSError, ValueError):
            return None

    def read(self, uri: str | None = None) -> File:
        """The file as it is now; ResourceNotFound, with the URI it was asked for by, if it cannot be read."""
        data = self._data
        if self._place is not None:
            with _missing(uri or self.name), self._place.opened() as (file, _):
                data = _bounded(file, self.name, self._max_size)
        return File(data=data, name=self.name, format=self.mime_type)


class Directory:
    """The files below a directory, by the path they have there."""

    __slots__ = ("_hidden", "_links", "_max_size", "_root")

    def __init__(
        self, root: Location, *, links: Links = "inside", max_size: int = MAX_SIZE, hidden: bool = False
    ) -> None:
        _check(links, max_size)
        self._root, self._max_size, self._hidden = _absolute(root), max_size, hidden
        self._links: Links = links
        if not os.path.isdir(self._root):
            raise AuthorError(f"{_base_name(self._root)!r} is not a directory")

    def resolve(self, relative: str, uri: str | None = None) -> Path:
        """Where a file really lies; ResourceNotFound for whatever is no readable file below the root.

        By the time somebody opens the path there may be something else: `read` leaves no such gap.
        """
        with self._opened(relative, uri) as (_, real):
            return real

    def read(self, relative: str, uri: str | None = None) -> File:
        """A file as it is now; ResourceNotFound as for `resolve`, ToolError if it is too large."""
        name = relative.rpartition("/")[2]
        with self._opened(relative, uri) as (file, _):
            data = _bounded(file, name, self._max_size)
        return File(data=data, name=name, format=mime_of_name(name) or _mime_of(data[:_HEAD]))

    @contextmanager
    def _opened(self, relative: str, uri: str | None) -> Generator[tuple[IO[bytes], Path], None, None]:
        with _missing(uri or relative):
            if not self._allows(relative):
                raise ValueError("not a path below the root")
            with Place(self._root, relative, self._links).opened() as found:
                yield found

    def _allows(self, relative: str) -> bool:
        """Whether a path is spelled like one below the root, on this system or another (R26-RES-09)."""
        parts = relative.split("/")
        # A second character : makes a drive; on Windows any other opens a stream that no listing shows.
        colon = ":" in (relative if os.name == "nt" else relative[:2])
        odd = colon or "\\" in relative or "\0" in relative or not {"", ".", ".."}.isdisjoint(parts)
        # Only the names asked for count: where links lead is the author's choice.
        return not odd and (self._hidden or not any(part.startswith(".") for part in parts))


@contextmanager
def _missing(uri: str) -> Generator[None, None, None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise ResourceNotFound(uri) from error


def _bounded(file: IO[bytes], name: str, max_size: int) -> bytes:
    """All of a file; ToolError if it is too large. What has a size is not read for that; files of /proc have none."""
    too_large = os.fstat(file.fileno()).st_size > max_size
    data = b"" if too_large else file.read(max_size + 1)
    if too_large or len(data) > max_size:
        raise ToolError(f"{_base_name(name)!r} is larger than {max_size} bytes")
    return data


def _base_name(path: str) -> str:
    """The end of a path as text: file names may hold bytes that are none, and would break the reply."""
    return os.path.basename(path).encode("utf-8", "replace").decode()


# What an author gives -----------------------------------------------------------------------------


def _check(links: object, max_size: object) -> None:
    if links not in get_args(Links):
        raise AuthorError(f"links= is one of {', '.join(get_args(Links))}, not {links!r}")
    if not isinstance(max_size, int) or max_size < 1:
        raise AuthorError(f"max_size= takes a number of bytes, not {max_size!r}")


def _absolute(path: object) -> str:
    found: object = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(found, str):
        raise AuthorError(f"a path is text, not {type(found).__name__}")
    return os.path.abspath(found)


def _place(path: str, root: Location | None, links: Links) -> Place:
    if root is None:
        return Place(os.path.dirname(path), os.path.basename(path), "follow" if links == "inside" else links)
    above = _absolute(root)
    if not Path(path).is_relative_to(above):
        raise AuthorError(f"{_base_name(path)!r} does not lie below the root {_base_name(above)!r}")
    return Place(above, os.path.relpath(path, above), links)


def _first_bytes(place: Place, name: str, max_size: int) -> bytes:
    """The beginning of a file; what would fail when it is read fails now, where the author sees it."""
    try:
        with place.opened() as (file, _):
            if os.fstat(file.fileno()).st_size > max_size:
                raise AuthorError(f"{name!r} is larger than max_size={max_size}")
            return file.read(_HEAD)
    except OSError as error:
        raise AuthorError(f"cannot offer {name!r}: {error.strerror or error}") from None
    except ValueError:
        raise AuthorError(f"cannot offer {name!r}: its path is not a valid one") from None


def _name_of(file: object) -> tuple[str, str | None]:
    """What an open file is called, and its URI if it is called anything."""
    given: object = getattr(file, "name", None)  # a path, the number of a descriptor, or nothing
    name = _base_name(given) if isinstance(given, str) else ""
    if not isinstance(given, str) or not name:
        return "file", None
    return name, uri_of(given) if os.path.isfile(given) else f"file:///{quote(name, safe='')}"


def _taken(file: Any, name: str, max_size: int) -> tuple[bytes, str | None]:
    """All that an open file holds, and its type if it was opened as text."""
    try:
        if hasattr(file, "seekable") and file.seekable():
            file.seek(0)
        found = b"" if _size_of(file) > max_size else file.read(max_size + 1)
        data = found.encode() if isinstance(found, str) else found
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise AuthorError(f"a path or an open file is wanted; reading this {type(file).__name__} failed") from error
    if not isinstance(data, bytes):
        raise AuthorError(f"reading this {type(file).__name__} gave {type(found).__name__}, not text or bytes")
    if _size_of(file) > max_size or len(data) > max_size:
        raise AuthorError(f"{name!r} is larger than max_size={max_size}")
    return data, "text/plain" if isinstance(found, str) else None


def _size_of(file: Any) -> int:
    """How many bytes an open file says it has; 0 for what has no size, such as a pipe or a buffer in memory."""
    try:
        return os.fstat(file.fileno()).st_size
    except (AttributeError, OSError, TypeError, ValueError):
        return 0


def _mime_of(head: bytes) -> str:
    """What the first bytes say: a known kind, or text, or nothing."""
    mime = sniff(head)
    if mime is not None:
        return mime
    try:
        # Where the file goes on, its last letter here may be cut in two.
        text = getincrementaldecoder("utf-8")().decode(head, len(head) < _HEAD)
    except UnicodeDecodeError:
        return UNKNOWN
    return UNKNOWN if _NO_TEXT.search(text) else "text/plain"
