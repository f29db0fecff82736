"""The event stream of one HTTP response: written from any thread, read by one reader at a time.

A resumable stream keeps events after they were read, and its name is part of its event ids. Knows neither sockets nor
event loops: each reader passes a function that wakes it.
"""

import threading
from collections import deque
from collections.abc import Callable

from ...limits.shares import OwnShare

__all__ = ["COMMENT", "Reader", "Stream", "format_comment", "format_event"]

MAX_EVENTS = 1_000
"""How many events a stream keeps; beyond that the oldest are removed."""
MAX_BYTES = 8 * 2**20
"""How many bytes a stream keeps for a slow reader; writers never wait for readers."""
CHUNK = 2**18
"""How many bytes a reader takes at once, if one event is not larger: they are not counted as unread any more."""

Record = Callable[[int, bytes, bool], None]
"""Takes the number of an event, its message, and whether the stream ends with it; it may end without a message."""


class Stream:
    """The events of one response."""

    read_since: float | None = None
    """When it was first seen to be read to its end; set where it is kept."""

    def __init__(
        self,
        name: str = "",
        *,
        resumable: bool = False,
        polling: bool = False,
        retry_ms: int = 0,
        max_bytes: int = MAX_BYTES,
        share: Callable[[], OwnShare] | None = None,
        last: int = 0,
    ) -> None:
        self.name = name
        self.resumable = resumable
        self.polling = polling and resumable
        self.finished = False
        self.dropped: int | None = None  # the last event before the client has to reconnect for the rest
        self.answer: bytes | None = None
        self.size = 0
        self.read = 0  # the number of the last event that was read
        self.reader: Reader | None = None
        self._was_attached = False
        self._retry_ms = retry_ms
        self._max_bytes = max_bytes  # of events that were read, or that have no reader
        self._get_share = share  # of the caller, in the bytes that wait for readers
        self._unread = 0  # the bytes that came while there was a reader, and that it has not read
        self._counted_after = 0  # the last event before them
        self._lock = threading.Lock()
        self._events: deque[tuple[int, bytes]] = deque()
        self.last = last  # the number of the newest event
        self._record: Record | None = None  # gets a copy of all events

    # Writing --------------------------------------------------------------------------------------

    def put(self, message: bytes, number: int | None = None) -> None:
        """Add a message, unless the stream is finished; with a number, unless it has that event already."""
        with self._lock:
            if not self.finished and (number is None or number > self.last):
                self._add(message, number)
        self._wake()

    def rewind(self, position: int) -> None:
        """Begin at an earlier event, unless there is an event already."""
        with self._lock:
            if not self._events and position < self.last:
                self.last, self.read = position, min(self.read, position)
                if self.reader is not None:
                    self.reader.rewind(position)

    def copy_to(self, record: "Record") -> None:
        """Pass every event to a function, also those that it has."""
        with self._lock:
            self._record = record
            for number, message in self._events:
                record(number, message, self.finished and number == self.last)
            if self.finished and not self._events:
                record(self.last, b"", True)

    def finish(self, answer: bytes | None = None) -> None:
        """Add the answer, if there is one, and end the stream (R2511-HTTP-10)."""
        with self._lock:
            if not self.finished:
                if answer is not None:
                    self.answer = answer
                    self._add(answer, is_last=True)
                elif self._record is not None:
                    self._record(self.last, b"", True)
                self.finished = True  # set last, for code that reads it without the lock
        self._wake()

    def finish_at_once(self, answer: bytes | None, is_json: bool) -> bytes | None:
        """Finish, and give all events as bytes; None where there is only the response, and it can be JSON."""
        self.finish(answer)
        if self.unopened and (is_json or self.answer is None):
            return None
        reader = self.attach(lambda: None)
        events = reader.opening()
        while not reader.over:
            events += reader.take()
        reader.leave()
        return events

    def drop(self) -> None:
        """Disconnect the reader, which then reconnects for the rest; without effect if the client cannot do that."""
        if self.polling and not self.finished:
            self.dropped = self.last
            self._wake()

    def _add(self, message: bytes, number: int | None = None, is_last: bool = False) -> None:
        self.last = self.last + 1 if number is None else number
        self._events.append((self.last, message))
        if self._record is not None:
            self._record(self.last, message, is_last)
        self.size += len(message)
        if self.reader is not None:
            self._count(len(message))
        while len(self._events) > 1 and self._is_too_much():
            number, oldest = self._events.popleft()
            self.size -= len(oldest)
            if self.reader is not None and number > max(self.read, self._counted_after):
                self._count(-len(oldest))

    def _is_too_much(self) -> bool:
        is_for_replay = self._was_attached and (self.reader is None or self._events[0][0] <= self.read)
        most = self._max_bytes if is_for_replay else MAX_BYTES
        if len(self._events) > MAX_EVENTS or self.size > most:
            return True
        return bool(not is_for_replay and self._unread and self._get_share and self._get_share().find_limit())

    def _count(self, by: int) -> None:
        """Count bytes that wait for a reader. Those without a reader are kept for replay, within other limits."""
        if self._get_share is not None and by:
            self._unread += by
            self._get_share().add(by)

    def _wake(self) -> None:
        reader = self.reader
        if reader is not None:
            reader.wake()

    # Reading --------------------------------------------------------------------------------------

    @property
    def unopened(self) -> bool:
        """Whether the stream is finished and has no event but the answer."""
        return self.finished and self.dropped is None and self.last == (self.answer is not None)

    @property
    def speaks(self) -> bool:
        """Whether the stream has an event besides the answer, or ends early."""
        return self.dropped is not None or self.last > (self.answer is not None)

    def attach(self, wake: Callable[[], object], after: int = 0) -> "Reader":
        """A new reader for the events after an event; it replaces the reader before it."""
        if self._was_attached:  # the client reconnected
            self.dropped = None
        self._was_attached = True
        with self._lock:
            after = min(after, self.last)
            reader = Reader(self, wake, after)
            former, self.reader, self.read = self.reader, reader, after
            self._count(-self._unread)
            self._counted_after = self.last
        if former is not None:
            former.wake()
        return reader

    def detach(self, reader: "Reader") -> None:
        """Have no reader, if it is this one."""
        with self._lock:
            if self.reader is reader:
                self._count(-self._unread)
                self.reader, self._counted_after = None, self.last

    def take_after(self, position: int) -> tuple[list[tuple[int, bytes]], bool]:
        """Some of the events after a position, for the reader, and whether more follow before it has to reconnect."""
        events: list[tuple[int, bytes]] = []
        size = counted = 0
        with self._lock:
            last = self.last if self.dropped is None else self.dropped
            for number, message in self._events:
                if number <= position:
                    continue
                if number > last or (events and size + len(message) > CHUNK):
                    break
                events.append((number, message))
                size += len(message)
                counted += len(message) if number > self._counted_after else 0
            if events:
                self.read = position = events[-1][0]
                self._count(-counted)
            while not self.resumable and self._events and self._events[0][0] <= position:
                self.size -= len(self._events.popleft()[1])
            return events, position < last or not (self.finished or self.dropped is not None)

    def frame(self, number: int, message: bytes) -> bytes:
        """An event as bytes; its id contains the name of the stream (R2511-HTTP-23, R2511-HTTP-24)."""
        return format_event(message, id=f"{self.name}-{number}" if self.resumable else None)

    def closing_event(self, number: int) -> bytes:
        """The last event before a stream ends early (R2511-HTTP-18)."""
        return format_event(retry=self._retry_ms, id=f"{self.name}-{number}")


class Reader:
    """The position of one HTTP response in a stream."""

    def __init__(self, stream: Stream, wake: Callable[[], object], position: int) -> None:
        self.wake = wake
        self.over = False
        self._stream = stream
        self._position = position

    def opening(self) -> bytes:
        """The first bytes: an empty event to resume after (R2511-HTTP-17), new events, or a comment."""
        stream = self._stream
        priming = stream.frame(self._position, b"") if stream.polling else b""
        return priming + self.take() or COMMENT

    def take(self) -> bytes:
        """The new events, as bytes; after the last one, `over` is True."""
        stream = self._stream
        if stream.reader is not self:
            self.over = True  # another reader has replaced this one
            return b""
        events, more = stream.take_after(self._position)
        if events:
            self._position = events[-1][0]
        self.over = not more
        frames = b"".join(stream.frame(number, message) for number, message in events)
        has_more = self.over and stream.dropped is not None
        return frames + stream.closing_event(self._position) if has_more else frames

    def rewind(self, position: int) -> None:
        """Read again after an earlier event."""
        self._position = min(self._position, position)

    def leave(self) -> None:
        """Stop reading."""
        self._stream.detach(self)


MAX_DIGITS = 18
"""How many digits the number of an event may have."""


def split_event_id(id: str, most: int = MAX_DIGITS) -> tuple[str, int | None]:
    """The name of the stream in the id of an event, and the number of the event; None if it has no number.

    >>> split_event_id("a-b-12"), split_event_id("a-b")
    (('a-b', 12), ('a', None))
    """
    name, _, digits = id.rpartition("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= most
    return name, int(digits) if is_number else None


# Server-sent events -------------------------------------------------------------------------------


def format_event(data: bytes = b"", *, id: str | None = None, retry: int | None = None) -> bytes:
    r"""One event: an id to resume after, the time to wait before reconnecting, and the data, line by line.

    >>> format_event(b'{"a":1}', id="3-1")
    b'id: 3-1\ndata: {"a":1}\n\n'
    >>> format_event(id="3-0", retry=500)
    b'id: 3-0\nretry: 500\ndata: \n\n'
    """
    head = b""
    if id is not None:
        head = b"id: %b\n" % _to_line(id)
    if retry is not None:
        head += b"retry: %d\n" % retry
    return head + b"".join(b"data: %b\n" % line for line in _split_lines(data)) + b"\n"


def format_comment(text: str = "") -> bytes:
    r"""A comment, which clients ignore: it shows that the connection is alive.

    >>> format_comment()
    b':\n\n'
    """
    return b":%b\n\n" % _to_line(f" {text}" if text else "")


def _split_lines(data: bytes) -> list[bytes]:
    # Our JSON is one line; in other data, CR and LF both end a line of the stream.
    if b"\n" not in data and b"\r" not in data:
        return [data]
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _to_line(text: str) -> bytes:
    if any(mark in text for mark in "\r\n\0"):
        raise ValueError("an id or a comment is one line")
    return text.encode()


COMMENT = format_comment()
"""The shortest comment."""
