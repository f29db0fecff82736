"""The streams of one session that its client may still read: those that are written to, and those that have ended.

Knows streams, and how much may be kept; not what they are for. Does no I/O.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice

from ....limits.shares import OwnShare
from ....protocol.session import Session
from ..settings import Settings
from ..stream import Stream, split_event_id

__all__ = ["KeptStreams", "ReplayBudget"]

RETRY_PERIODS = 5
"""How long a stream is kept after it was read to its end, as a multiple of retry_ms: its last events may get lost."""
MAX_STREAMS = 64
"""How many streams one session keeps in total."""
MAX_SWEEP = 8
"""How many streams one request checks for expiry, so that it never waits for all of them."""


class ReplayBudget:
    """The number of bytes that all sessions of one endpoint keep for clients that reconnect."""

    def __init__(self, limit: int, shed: Callable[[], None]) -> None:
        self.limit = limit
        self.size = 0
        self.shed = shed
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        """Add to the number of bytes, or subtract from it."""
        with self._lock:
            self.size += by


class KeptStreams:
    """The streams of one session, by name."""

    __slots__ = (
        "_budget", "_closed", "_count", "_finished", "_finished_size", "_now", "_open", "_session",
        "_settings", "_size", "_unread", "lock", "name_stream", "on_keep",
    )  # fmt: skip

    def __init__(
        self, settings: Settings, now: Callable[[], float], budget: ReplayBudget, unread: OwnShare, session: Session
    ) -> None:
        self._settings, self._now, self._budget, self._unread = settings, now, budget, unread
        self._session = session
        self.name_stream: Callable[[bytes], str] | None = None
        """Names the stream for the response to a request with an id; without it, they are numbered."""
        self.on_keep: Callable[[Stream], None] | None = None
        """Called once for each stream that is kept, unless it is a mirror."""
        self._count = 0
        self.lock = threading.Lock()  # for the attributes below
        self._closed = False
        self._open: dict[str, Stream] = {}  # streams that are still written to
        self._finished: OrderedDict[str, Stream] = OrderedDict()  # streams that have ended, the oldest first
        self._finished_size = 0
        self._size = 0  # the part of the budget that this session uses

    def open(self, id: bytes = b"") -> Stream:
        """A new stream for the response to a request with an id."""
        if self.name_stream is not None:
            return self.make(self.name_stream(id))
        with self.lock:
            self._count += 1
            name = str(self._count)
        return self.make(name)

    def make(self, name: str, last: int = 0) -> Stream:
        """A new stream that can be resumed, after the event with a number; it is not kept yet."""
        revision = self._session.revision
        return Stream(
            name,
            resumable=True,
            polling=revision is not None and revision.polling,
            retry_ms=self._settings.retry_ms,
            max_bytes=self._settings.replay_bytes,
            share=lambda: self._unread,
            last=last,
        )

    def keep(self, stream: Stream, *, is_mirror: bool = False) -> None:
        """Keep a stream from which something was sent, so that it can be resumed; a mirror is a copy already."""
        with self.lock:
            if self._closed or stream.name in self._finished:
                return
            is_new = stream.name not in self._open
            self._open[stream.name] = stream
        self.tidy()
        if is_new and self.on_keep is not None and not is_mirror:
            self.on_keep(stream)

    def drop(self, stream: Stream) -> None:
        """Do not keep a stream any more."""
        with self.lock:
            self._open.pop(stream.name, None)

    def find(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept (R2511-HTTP-25)."""
        name, number = split_event_id(event_id)
        with self.lock:
            stream = self._open.get(name) or self._finished.get(name)
        return None if stream is None or number is None else (stream, number)

    @property
    def are_read(self) -> bool:
        """Whether a client reads one of them."""
        return any(stream.reader is not None for stream in self._get_all())

    def tidy(self) -> None:
        """Remove finished streams that are too old, too many or too large. Unfinished streams stay."""
        with self.lock:
            now, seconds = self._now(), self._settings.retry_ms * RETRY_PERIODS / 1000
            for name in [name for name, stream in self._open.items() if stream.finished]:
                stream = self._finished[name] = self._open.pop(name)
                self._finished_size += stream.size
            oldest = list(islice(self._finished.values(), MAX_SWEEP))
            for stream in [stream for stream in oldest if stream.read >= stream.last]:
                stream.read_since = now if stream.read_since is None else stream.read_since
                if now - stream.read_since > seconds:
                    self._remove(stream.name)
            while len(self._finished) > 1 and self._is_too_much():  # the newest always stays
                self._remove(next(iter(self._finished)))
            self._report()
        if self._budget.size > self._budget.limit:
            self._budget.shed()

    def clear(self) -> None:
        """Remove every finished stream, because other sessions need the memory."""
        with self.lock:
            for name in [name for name, stream in self._open.items() if stream.finished]:
                del self._open[name]
            self._finished.clear()
            self._finished_size = 0
            self._report()

    def close(self) -> None:
        """End all of them, and keep none from now on."""
        with self.lock:
            self._closed = True
        for stream in self._get_all():
            stream.finish()
        self.clear()

    def _get_all(self) -> list[Stream]:
        with self.lock:
            return [*self._open.values(), *self._finished.values()]

    def _remove(self, name: str) -> None:
        self._finished_size -= self._finished.pop(name).size

    def _is_too_much(self) -> bool:
        return self._kept_size() > self._settings.replay_bytes or len(self._open) + len(self._finished) > MAX_STREAMS

    def _kept_size(self) -> int:
        return self._finished_size + sum([stream.size for stream in self._open.values()])

    def _report(self) -> None:
        """Report to the budget how many bytes this session keeps."""
        size = self._kept_size()
        self._budget.change(size - self._size)
        self._size = size
