"""What one HTTP response says, event by event: written from any thread, read by one reader at a time.

A stream that can be resumed keeps what was read, and its event ids name it. Knows neither sockets nor loops: a
reader brings a function that wakes it.
"""

import threading
from collections import deque
from collections.abc import Callable

__all__ = ["COMMENT", "Reader", "Stream", "format_comment", "format_event"]

MOST = 1_000
"""How many events a stream holds; beyond that the oldest go."""
MOST_BYTES = 8 * 2**20
"""How much it holds for a reader that is slow; nobody waits for it."""


class Stream:
    """The events of one response."""

    def __init__(
        self,
        name: str = "",
        *,
        resumable: bool = False,
        polling: bool = False,
        retry_ms: int = 0,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.name = name
        self.resumable = resumable
        self.polling = polling and resumable
        self.finished = False
        self.dropped: int | None = None  # the last event before the rest is to be fetched
        self.answer: bytes | None = None
        self.size = 0
        self.read = 0  # the last event somebody took
        self.reader: Reader | None = None
        self._was_attached = False
        self._retry_ms = retry_ms
        self._most_bytes = most_bytes  # that are kept for nobody yet, or once more
        self._lock = threading.Lock()
        self._events: deque[tuple[int, bytes]] = deque()
        self.last = 0  # the number of the newest event

    # Writing --------------------------------------------------------------------------------------

    def put(self, message: bytes) -> None:
        """Say something, unless all is said."""
        with self._lock:
            if not self.finished:
                self._add(message)
        self._wake()

    def finish(self, answer: bytes | None = None) -> None:
        """Say the answer, if there is one, and nothing more (R2511-HTTP-10)."""
        with self._lock:
            if not self.finished:
                if answer is not None:
                    self.answer = answer
                    self._add(answer)
                self.finished = True  # last: whoever looks on without the lock then finds the rest in place
        self._wake()

    def finish_at_once(self, answer: bytes | None, is_json: bool) -> bytes | None:
        """Finish, and give all events as bytes; None where there is only the response, and it can be JSON."""
        self.finish(answer)
        if self.unopened and (is_json or self.answer is None):
            return None
        reader = self.attach(lambda: None)
        events = reader.opening()
        reader.leave()
        return events

    def drop(self) -> None:
        """Send the reader away, to come back for the rest; nothing happens where it could not."""
        if self.polling and not self.finished:
            self.dropped = self.last
            self._wake()

    def _add(self, message: bytes) -> None:
        self.last += 1
        self._events.append((self.last, message))
        self.size += len(message)
        while len(self._events) > 1 and self._is_too_much():
            self.size -= len(self._events.popleft()[1])

    def _is_too_much(self) -> bool:
        spare = self._was_attached and (self.reader is None or self._events[0][0] <= self.read)
        return len(self._events) > MOST or self.size > (self._most_bytes if spare else MOST_BYTES)

    def _wake(self) -> None:
        reader = self.reader
        if reader is not None:
            reader.wake()

    # Reading --------------------------------------------------------------------------------------

    @property
    def unopened(self) -> bool:
        """Whether there is nothing to say but the answer, and that is there."""
        return self.finished and self.dropped is None and self.last == (self.answer is not None)

    @property
    def speaks(self) -> bool:
        """Whether there is something to say before the answer."""
        return self.dropped is not None or self.last > (self.answer is not None)

    @property
    def is_read(self) -> bool:
        """Whether all was said, and somebody took it all."""
        return self.finished and self.read >= self.last

    def attach(self, wake: Callable[[], object], after: int = 0) -> "Reader":
        """Read from here on what comes after an event; a reader before this one is done."""
        if self._was_attached:  # the client came back
            self.dropped = None
        self._was_attached = True
        former, self.reader = self.reader, Reader(self, wake, after)
        if former is not None:
            former.wake()
        return self.reader

    def since(self, position: int) -> tuple[list[tuple[int, bytes]], bool]:
        """The events after one, and whether there will be more."""
        with self._lock:
            events = [event for event in self._events if event[0] > position]
            if not self.resumable:
                self._events.clear()
                self.size = 0
            return events, not self.finished

    def frame(self, number: int, message: bytes) -> bytes:
        """An event as bytes; its id names the stream (R2511-HTTP-23, R2511-HTTP-24)."""
        return format_event(message, id=f"{self.name}-{number}" if self.resumable else None)

    def goodbye(self, number: int) -> bytes:
        """What is said before a stream ends early (R2511-HTTP-18)."""
        return format_event(retry=self._retry_ms, id=f"{self.name}-{number}")


class Reader:
    """Where one response has come to in a stream."""

    def __init__(self, stream: Stream, wake: Callable[[], object], position: int) -> None:
        self.wake = wake
        self.over = False
        self._stream = stream
        self._position = position

    def opening(self) -> bytes:
        """The first bytes: an empty event to resume after (R2511-HTTP-17), what is new, or what readers skip."""
        stream = self._stream
        priming = stream.frame(self._position, b"") if stream.polling else b""
        return priming + self.take() or COMMENT

    def take(self) -> bytes:
        """What is new, as bytes; afterwards `over` says whether that was all."""
        stream = self._stream
        if stream.reader is not self:
            self.over = True  # somebody else reads on
            return b""
        dropped = stream.dropped
        events, more = stream.since(self._position)
        if dropped is not None:
            events = [event for event in events if event[0] <= dropped]
        if events:
            stream.read = self._position = events[-1][0]
        self.over = not more or dropped is not None
        frames = b"".join(stream.frame(number, message) for number, message in events)
        return frames if dropped is None else frames + stream.goodbye(self._position)

    def leave(self) -> None:
        """Read no more."""
        if self._stream.reader is self:
            self._stream.reader = None


# Server-sent events -------------------------------------------------------------------------------


def format_event(data: bytes = b"", *, id: str | None = None, retry: int | None = None) -> bytes:
    r"""One event: an id to resume after, how long to wait before coming back, and the data, line by line.

    >>> format_event(b'{"a":1}', id="3-1")
    b'id: 3-1\ndata: {"a":1}\n\n'
    >>> format_event(id="3-0", retry=500)
    b'id: 3-0\nretry: 500\ndata: \n\n'
    """
    head = b""
    if id is not None:
        head = b"id: %b\n" % _one_line(id)
    if retry is not None:
        head += b"retry: %d\n" % retry
    return head + b"".join(b"data: %b\n" % line for line in _lines(data)) + b"\n"


def format_comment(text: str = "") -> bytes:
    r"""A comment, which readers skip: it shows that the connection is alive.

    >>> format_comment()
    b':\n\n'
    """
    return b":%b\n\n" % _one_line(f" {text}" if text else "")


def _lines(data: bytes) -> list[bytes]:
    # JSON as we write it is one line; CR and LF both end a line of the stream.
    if b"\n" not in data and b"\r" not in data:
        return [data]
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _one_line(text: str) -> bytes:
    if any(mark in text for mark in "\r\n\0"):
        raise ValueError("an id or a comment is one line")
    return text.encode()


COMMENT = format_comment()
"""The shortest comment."""
