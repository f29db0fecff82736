"""Splits a byte stream into lines, none longer than a limit. Knows neither their content nor their source."""

from collections import deque
from collections.abc import Callable

__all__ = ["MAX_LINE", "Lines"]

MAX_LINE = 4 * 1024 * 1024
"""How many bytes a line may have."""
_CHUNK = 64 * 1024


class Lines:
    """The lines of a stream, without line ends and blank lines; None for a line that is too long.

    >>> chunks = [b'{"a":1}\\r\\n\\n{"b"', b":2}\\ntoo long for us\\n", b"last", b""]
    >>> list(Lines(lambda size: chunks.pop(0), limit=8))
    [b'{"a":1}', b'{"b":2}', None, b'last']
    """

    def __init__(self, read: Callable[[int], bytes], limit: int = MAX_LINE) -> None:
        self._read = read
        self._limit = limit
        self._whole: deque[bytes | None] = deque()
        self._parts: list[bytes] = []
        self._size = 0
        self._ended = False

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> bytes | None:
        while not self._whole:
            if self._ended:
                raise StopIteration
            self.fill()
        return self._whole.popleft()

    @property
    def waiting(self) -> bool:
        """Whether a line can be taken without reading."""
        return bool(self._whole)

    def fill(self) -> bool:
        """Read once, for any number of lines; returns False at the end."""
        chunk = self._read(_CHUNK)
        if not chunk:
            self._ended = True
            self._close()
            return False
        first, *others = chunk.split(b"\n")
        self._extend(first)
        for part in others:
            self._close()
            self._extend(part)
        return True

    def _extend(self, part: bytes) -> None:
        fits = self._size <= self._limit
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        elif fits:  # reported now; the rest of the line is skipped
            self._parts.clear()
            self._whole.append(None)

    def _close(self) -> None:
        line = b"".join(self._parts).strip()
        self._parts.clear()
        self._size = 0
        if line:
            self._whole.append(line)
