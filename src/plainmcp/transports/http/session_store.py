"""The sessions of the handshake revisions over HTTP: who owns one, for how long, and what it can fetch again.

Knows connections and streams; how bytes reach a client is the transport's. The clock is given.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from secrets import token_urlsafe
from typing import Any

from ...errors import InternalError
from ...protocol.core import Core
from ..connection import Connection
from .settings import Settings
from .stream import Stream

__all__ = ["SESSION_ENDED", "HttpSession", "ReplayBudget", "SessionStore"]

MOST_STANDING = 8
"""How many streams one session may hold open for messages to come."""
RETURNS = 5
"""For how many times retry_ms a stream is kept that was read to its end: its last events may be lost on the way."""
MOST_KEPT = 64
"""How many streams one session keeps in all."""
A_FEW = 8
"""How many sessions, or streams, are looked at in one go: a request never waits for all of them."""
SESSION_ENDED = InternalError("the session ended before this request was answered")
"""The error for a request that still runs when its session ends."""

_log = logging.getLogger("plainmcp")
_OTHER_CALLER = (
    "a request named a session that belongs to another caller, and was told that there is no such session (404): "
    "what principal= gave for it (%s) is not equal to what it gave when the session was opened (%s). If both were "
    "the same caller, let principal= give something that compares equal on every request, such as a user id or a "
    "frozen dataclass. This is said once."
)


class ReplayBudget:
    """How many bytes all sessions of one endpoint keep for clients that come back."""

    def __init__(self, most: int, shed: Callable[[], None]) -> None:
        self.most = most
        self.size = 0
        self.shed = shed
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        """Count more, or less."""
        with self._lock:
            self.size += by


class HttpSession:
    """One session: its connection, and the streams that may still be read."""

    def __init__(self, core: Core, settings: Settings, principal: Any, now: float, budget: ReplayBudget) -> None:
        self.id = token_urlsafe(32).encode()  # R2511-SESS-01, R2511-SESS-02
        self.principal = principal
        self.connection = Connection(core, self.send, principal=principal, ask_seconds=settings.ask_seconds)
        self.created = self.used = now
        self.closed = False
        self.standing: list[Stream] = []
        self._settings = settings
        self._now = core.now
        self._lock = threading.Lock()  # of what follows
        self._count = 0
        self._open: dict[str, Stream] = {}  # by name: streams that are still written
        self._finished: OrderedDict[str, Stream] = OrderedDict()  # those that are not, the oldest first
        self._finished_size = 0
        self._read: dict[str, float] = {}  # since when a finished stream is known to be read to its end
        self._budget = budget
        self._size = 0  # what the budget counts for this session

    # Streams --------------------------------------------------------------------------------------

    def make_stream(self) -> Stream:
        """A stream of its own for one response."""
        revision = self.connection.session.revision
        with self._lock:
            self._count += 1
            name = str(self._count)
        polling = revision is not None and revision.polling
        most, retry_ms = self._settings.replay_bytes, self._settings.retry_ms
        return Stream(name, resumable=True, polling=polling, retry_ms=retry_ms, most_bytes=most)

    def keep(self, stream: Stream) -> None:
        """Remember a stream from which something was sent."""
        with self._lock:
            if self.closed or stream.name in self._finished:
                return
            self._open[stream.name] = stream
        self.tidy()

    def tidy(self) -> None:
        """Forget what is too old to be fetched again, or too much; what is still to be read is never forgotten."""
        with self._lock:
            now, seconds = self._now(), self._settings.retry_ms * RETURNS / 1000
            for name in [name for name, stream in self._open.items() if stream.finished]:
                stream = self._finished[name] = self._open.pop(name)
                self._finished_size += stream.size
            oldest = list(islice(self._finished.items(), A_FEW))
            read = [name for name, stream in oldest if stream.read >= stream.last]
            for name in read:
                if now - self._read.setdefault(name, now) > seconds:
                    self._forget(name)
            while len(self._finished) > 1 and self._is_too_much():  # the newest may be all there is
                self._forget(next(iter(self._finished)))
            self._report()
        if self._budget.size > self._budget.most:
            self._budget.shed()

    def clear(self) -> None:
        """Forget every finished stream: others need the room."""
        with self._lock:
            for name in [name for name, stream in self._open.items() if stream.finished]:
                del self._open[name]
            self._finished.clear()
            self._read.clear()
            self._finished_size = 0
            self._report()

    def _forget(self, name: str) -> None:
        self._finished_size -= self._finished.pop(name).size
        self._read.pop(name, None)

    def _is_too_much(self) -> bool:
        return self._kept_size() > self._settings.replay_bytes or len(self._open) + len(self._finished) > MOST_KEPT

    def _kept_size(self) -> int:
        return self._finished_size + sum([stream.size for stream in self._open.values()])

    def _report(self) -> None:
        """Let the budget know how much is kept."""
        size = self._kept_size()
        self._budget.change(size - self._size)
        self._size = size

    def make_standing_stream(self) -> Stream:
        """A stream for messages that belong to no request."""
        stream = self.make_stream()
        self.keep(stream)
        with self._lock:
            self.standing.append(stream)
            surplus = self.standing[:-MOST_STANDING]
            del self.standing[:-MOST_STANDING]
        for one in surplus:
            one.finish()
        return stream

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream on which an event was, and the number of the event; never another stream (R2511-HTTP-25)."""
        name, _, number = event_id.rpartition("-")
        with self._lock:
            stream = self._open.get(name) or self._finished.get(name)
        if stream is None or not number.isascii() or not number.isdigit() or len(number) > 18:
            return None
        return stream, int(number)

    def send(self, message: bytes) -> None:
        """Send what belongs to no request, on one stream only (R2511-HTTP-22): the newest that is read, or was."""
        with self._lock:
            standing = list(self.standing)
        read = [stream for stream in standing if stream.reader is not None]
        for stream in (read or standing)[-1:]:
            stream.put(message)

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a stream is being read."""
        return self.connection.busy or any(stream.reader is not None for stream in self._streams())

    def _streams(self) -> list[Stream]:
        with self._lock:
            return [*self._open.values(), *self._finished.values()]

    def close(self) -> None:
        """End everything of it; what still runs is answered with an error."""
        with self._lock:
            self.closed = True
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        for stream in self._streams():
            stream.finish()
        self.clear()


class SessionStore:
    """Every session of one endpoint, the longest unused first."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._idle, self._life = settings.session_idle_seconds, settings.session_seconds
        self._recent = min(1.0, self._idle / 10, self._life / 10)  # for so long a use is not noted again
        self._now = now
        self._lock = threading.Lock()
        self._sessions: OrderedDict[bytes, HttpSession] = OrderedDict()
        self._swept = float("-inf")  # when expired sessions were last looked for
        self._has_warned = False  # that a session belongs to another caller
        self.budget = ReplayBudget(settings.replay_bytes_in_all, self._shed)

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: HttpSession) -> None:
        """Keep a session; at the limit the one that is unused the longest is closed."""
        with self._lock:
            surplus = self._take_expired(self._now())
            while len(self._sessions) >= self._settings.max_sessions:
                surplus.append(self._sessions.popitem(last=False)[1])
            self._sessions[session.id] = session
        for one in surplus:
            one.close()

    def get(self, id: bytes, principal: Any) -> HttpSession | None:
        """The session of that id, if it has not expired and is this caller's (R2511-SESS-05)."""
        now, expired, session = self._now(), [], self._sessions.get(id)
        if session is not None and not self._is_owned_by(session, principal):
            return None
        if session is not None and 0 <= now - session.used < self._recent:
            return session  # it was used just now, and is where it belongs
        with self._lock:
            if now - self._swept >= 1:
                expired = self._take_expired(now)
            session = self._sessions.get(id)
            if session is not None and self._is_expired(session, now):
                expired.append(self._sessions.pop(id))
                session = None
            elif session is not None:
                session.used = now
                self._sessions.move_to_end(id)
        for one in expired:
            one.close()
        return session

    def _is_owned_by(self, session: HttpSession, principal: Any) -> bool:
        """Whether a session is this caller's; the log says once why one was not (R2511-SESS-05)."""
        owner, problem = session.principal, None
        try:
            if owner == principal:
                return True
        except Exception as error:  # a comparison of the user's own
            problem = error
        if not self._has_warned:
            self._has_warned = True
            _log.warning(_OTHER_CALLER, type(principal).__name__, type(owner).__name__, exc_info=problem)
        return False

    def remove(self, session: HttpSession) -> None:
        """End a session (R2511-SESS-04)."""
        with self._lock:
            self._sessions.pop(session.id, None)
        session.close()

    def close(self) -> None:
        """End them all."""
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), OrderedDict()
        for session in sessions:
            session.close()

    def _shed(self) -> None:
        """Let those unused the longest forget what they keep, until it is no longer too much."""
        with self._lock:
            unused_first = list(self._sessions.values())
        for session in unused_first:
            if self.budget.size <= self.budget.most:
                return
            session.clear()

    def _is_expired(self, session: HttpSession, now: float) -> bool:
        return now - session.created > self._life or (now - session.used > self._idle and not session.busy)

    def _take_expired(self, now: float) -> list[HttpSession]:
        """Take out those at the front that have expired; one that is busy goes to the end of the queue."""
        expired: list[HttpSession] = []
        self._swept = now
        for session in list(islice(self._sessions.values(), A_FEW)):
            if self._is_expired(session, now):
                expired.append(self._sessions.pop(session.id))
            elif now - session.used > self._idle:
                session.used = now
                self._sessions.move_to_end(session.id)
            else:
                break  # those behind it were used later
        return expired
