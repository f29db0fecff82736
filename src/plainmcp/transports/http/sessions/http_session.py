"""One session of the handshake revisions over HTTP: its connection, and the streams that its client can resume.

Knows connections and streams, but does no I/O.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from ....errors import InternalError
from ....protocol.core import Core
from ...connection import Connection
from ...link import RequestLink
from ...shares import OwnShare, Share, caller_of
from ..rules import Response
from ..settings import Settings
from ..stream import Stream, split_event_id
from .session_ids import make_session_id

__all__ = ["SESSION_ENDED", "HttpSession", "ReplayBudget", "SessionShares"]

MAX_OPEN_STREAMS = 8
"""How many streams one session may have open for later messages."""
RETRY_PERIODS = 5
"""How long a stream is kept after it was read to its end, as a multiple of retry_ms: its last events may get lost."""
MAX_STREAMS = 64
"""How many streams one session keeps in total."""
MAX_SWEEP = 8
"""How many streams one request checks for expiry, so that it never waits for all of them."""
SESSION_ENDED = InternalError("the session ended before this request was answered")
"""The error for a request that still runs when its session ends."""


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


class SessionShares(NamedTuple):
    """What the sessions of one endpoint share."""

    budget: ReplayBudget
    questions: Share
    unread: Share


class HttpSession:
    """One session: its connection, and the streams that the client may still read."""

    is_used = False
    """Whether it got a message after its handshake."""
    obstacle: str | None = None
    """The reason why its client cannot be asked at the moment."""

    def __init__(
        self,
        core: Core,
        settings: Settings,
        principal: Any,
        now: float,
        shares: "SessionShares",
        address: str | None = None,
    ) -> None:
        self.id = make_session_id(now)
        self.principal = principal
        self.caller = caller_of(principal, self.id, address)
        self.owner = caller_of(principal, None, address)
        """Whose share of the sessions it uses."""
        self.connection = Connection(
            core,
            self.send,
            principal=principal,
            ask_seconds=settings.ask_seconds,
            transport="tcp",
            questions=OwnShare(shares.questions, self.caller),
        )
        self.connection.session.id = self.id.decode()
        self.created = self.used = now
        self.on_end: Callable[[Any], None] = HttpSession.close
        """Removes it where it is kept, and closes it."""
        self.closed = False
        self.standing: list[Stream] = []
        self._settings = settings
        self._now = core.now
        self._lock = threading.Lock()  # for the attributes below
        self._count = 0
        self._open: dict[str, Stream] = {}  # by name: streams that are still written to
        self._finished: OrderedDict[str, Stream] = OrderedDict()  # streams that have ended, the oldest first
        self._finished_size = 0
        self._read: dict[str, float] = {}  # when a finished stream was first seen to be read to its end
        self._budget = shares.budget
        self._unread = OwnShare(shares.unread, self.caller)
        self._size = 0  # the part of the budget that this session uses

    @property
    def can_resume(self) -> bool:
        """Whether its client can continue a stream: by a GET, which stays open."""
        return self._settings.max_standing > 0

    @property
    def is_reopenable(self) -> bool:
        """Whether it can be closed here and opened again without a loss, because other processes serve it, too."""
        return False

    def note_use(self, now: float) -> None:
        """Note that the client uses the session."""
        self.used, self.is_used = now, True

    # Streams --------------------------------------------------------------------------------------

    def make_stream(self, id: bytes = b"") -> Stream:
        """A new stream for the response to a request with an id."""
        with self._lock:
            self._count += 1
            name = self.name_stream(self._count, id)
        return self._new_stream(name)

    def name_stream(self, count: int, id: bytes) -> str:
        """The name of a stream, by its number and the id of its request."""
        return str(count)

    def _new_stream(self, name: str, last: int = 0) -> Stream:
        revision = self.connection.session.revision
        polling = revision is not None and revision.polling
        max_bytes, retry_ms = self._settings.replay_bytes, self._settings.retry_ms
        return Stream(
            name,
            resumable=True,
            polling=polling,
            retry_ms=retry_ms,
            max_bytes=max_bytes,
            share=lambda: self._unread,
            last=last,
        )

    def keep(self, stream: Stream) -> None:
        """Keep a stream from which something was sent, so that it can be resumed."""
        with self._lock:
            if self.closed or stream.name in self._finished:
                return
            self._open[stream.name] = stream
        self.tidy()

    def tidy(self) -> None:
        """Remove finished streams that are too old, too many or too large. Unfinished streams stay."""
        with self._lock:
            now, seconds = self._now(), self._settings.retry_ms * RETRY_PERIODS / 1000
            for name in [name for name, stream in self._open.items() if stream.finished]:
                stream = self._finished[name] = self._open.pop(name)
                self._finished_size += stream.size
            oldest = list(islice(self._finished.items(), MAX_SWEEP))
            read = [name for name, stream in oldest if stream.read >= stream.last]
            for name in read:
                if now - self._read.setdefault(name, now) > seconds:
                    self._remove_stream(name)
            while len(self._finished) > 1 and self._is_too_much():  # the newest always stays
                self._remove_stream(next(iter(self._finished)))
            self._report()
        if self._budget.size > self._budget.limit:
            self._budget.shed()

    def clear(self) -> None:
        """Remove every finished stream, because other sessions need the memory."""
        with self._lock:
            for name in [name for name, stream in self._open.items() if stream.finished]:
                del self._open[name]
            self._finished.clear()
            self._read.clear()
            self._finished_size = 0
            self._report()

    def _remove_stream(self, name: str) -> None:
        self._finished_size -= self._finished.pop(name).size
        self._read.pop(name, None)

    def _is_too_much(self) -> bool:
        return self._kept_size() > self._settings.replay_bytes or len(self._open) + len(self._finished) > MAX_STREAMS

    def _kept_size(self) -> int:
        return self._finished_size + sum([stream.size for stream in self._open.values()])

    def _report(self) -> None:
        """Report to the budget how many bytes this session keeps."""
        size = self._kept_size()
        self._budget.change(size - self._size)
        self._size = size

    def make_standing_stream(self) -> Stream:
        """A new stream for messages that belong to no request."""
        stream = self.make_stream()
        self.keep(stream)
        with self._lock:
            surplus = self._append_standing(stream)
        for one in surplus:
            one.finish()
        return stream

    def _append_standing(self, stream: Stream) -> list[Stream]:
        """Add a stream that stays open; returns the oldest ones, if there are too many. Under the lock."""
        self.standing.append(stream)
        surplus = self.standing[:-MAX_OPEN_STREAMS]
        del self.standing[:-MAX_OPEN_STREAMS]
        return surplus

    def leave_stream(self, stream: Stream) -> None:
        """Note that the client does not read an open stream any more; it can come back to it."""

    def open_stream(self, event_id: str) -> tuple[Stream, int]:
        """A new stream that stays open, and the event after which it is read."""
        return self.make_standing_stream(), 0

    def end(self, link: RequestLink) -> Response:
        """The response to DELETE, which ends the session (R2511-SESS-04)."""
        self.on_end(self)
        return Response(204)

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept (R2511-HTTP-25)."""
        name, number = split_event_id(event_id)
        with self._lock:
            stream = self._open.get(name) or self._finished.get(name)
        return None if stream is None or number is None else (stream, number)

    def send(self, message: bytes) -> None:
        """Send a message that belongs to no request on one stream only: the newest with a reader (R2511-HTTP-22).

        If no stream has a reader, the newest one keeps the message.
        """
        with self._lock:
            standing = list(self.standing)
        read = [stream for stream in standing if stream.reader is not None]
        for stream in (read or standing)[-1:]:
            stream.put(message)

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a client reads a stream."""
        return self.connection.busy or any(stream.reader is not None for stream in self._streams())

    def _streams(self) -> list[Stream]:
        with self._lock:
            return [*self._open.values(), *self._finished.values()]

    def close(self) -> None:
        """End the session and its streams, once; requests that still run are answered with an error."""
        with self._lock:
            was_closed, self.closed = self.closed, True
        if was_closed:
            return
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        for stream in self._streams():
            stream.finish()
        self.clear()
