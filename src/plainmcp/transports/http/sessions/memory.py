"""Sessions in the memory of this process: their owners, their lifetime, and their number.

Does no I/O. The clock is a parameter.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from ....limits.shares import Limit, Share, share_of
from ....protocol.core import Core
from ....protocol.exchange import FAILURES
from ....protocol.failures import log_exception
from ....protocol.interrupts import name_of, raise_interrupt
from ....wire.jsonrpc import Envelope
from ..checks import HeaderFacts, missing_session_error
from ..headers import Headers
from ..pending import KeptSession, PendingResponse
from ..refusals import refuse_by
from ..response import Response
from ..settings import Settings
from .http_session import HttpSession, SessionShares
from .interface import STARTED_BY_CORE, Sender
from .kept_streams import ReplayBudget
from .session_ids import is_of_another_process

__all__ = ["MemorySessions", "SessionTable", "sender_of", "shares_of"]

MAX_SWEEP = 8
"""How many sessions one request checks for expiry, so that it never waits for all of them."""
MAX_SEARCH = 64
"""How many sessions are looked at to find one that can be closed for another."""

_log = logging.getLogger("plainmcp")
_OTHER_CALLER = (
    "a request named a session that belongs to another caller, and was answered by 404 (no such session): "
    "what principal= gave for it (%s) is not equal to what it gave when the session was opened (%s). If both were "
    "the same caller, let principal= give something that compares equal on every request, such as a user id or a "
    "frozen dataclass. This is logged once."
)
_OTHER_PROCESS = (
    "a request named a session that another process has opened, and was answered by 404 (no such session): several "
    'processes of one server need sessions="signed" or store=, see "Several processes" in the documentation. '
    "This is logged once."
)


class Kept(KeptSession, Protocol):
    """What is asked of a session while it is kept."""

    id: bytes
    used: float
    """When it was used last."""

    @property
    def principal(self) -> Any:
        """Who has opened it."""
        ...

    @property
    def owner(self) -> Hashable:
        """Whose share of the sessions it uses."""
        ...

    @property
    def created(self) -> float:
        """When it was opened."""
        ...

    @property
    def is_used(self) -> bool:
        """Whether it got a message after its handshake."""
        ...

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a client reads a stream."""
        ...

    @property
    def is_reopenable(self) -> bool:
        """Whether it can be closed here and opened again without a loss, because other processes serve it, too."""
        ...

    def note_use(self, now: float) -> None:
        """Note that the client uses the session."""

    def close(self) -> None:
        """End it here."""


S = TypeVar("S", bound=Kept)


class SessionTable(Generic[S]):
    """The sessions of one endpoint, the least recently used first."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float],
        restore: Callable[[bytes, Any, str | None], S | Limit | None] | None = None,
    ) -> None:
        self._idle, self._life = settings.session_idle_seconds, settings.session_seconds
        self._recent = min(1.0, self._idle / 10, self._life / 10)  # within this time a use is not recorded again
        self._now = now
        self._restore = restore  # opens a session of another process, by its id; returns the limit that it is over
        self._lock = threading.Lock()
        self._sessions: OrderedDict[bytes, S] = OrderedDict()
        self._unused: OrderedDict[bytes, S] = OrderedDict()  # of these, the ones that only had a handshake
        self._share = share_of(settings, "max_sessions", "sessions", "open")
        self._swept = float("-inf")  # when expired sessions were last removed
        self._has_warned = False  # about a session that belongs to another caller
        self._has_warned_of_processes = False
        self._began = now()
        self.budget = ReplayBudget(settings.replay_bytes_in_all, self._shed)

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: S) -> Limit | None:
        """Add a session; returns the limit that it is over, if no other can be closed for it."""
        with self._lock:
            surplus = self._take_expired(self._now())
            while (limit := self._share.find_limit(session.owner)) is not None:
                other = self._find_dispensable(session, limit)
                if other is None:
                    break
                surplus.append(self._pop(other))
            if limit is None:
                self._sessions[session.id] = self._unused[session.id] = session
                self._share.add(session.owner)
        for one in surplus:
            one.close()
        return limit

    def __contains__(self, id: bytes) -> bool:
        return id in self._sessions

    def rename(self, session: S, id: bytes) -> None:
        """Give a session another id."""
        with self._lock:
            for sessions in (self._sessions, self._unused):
                if sessions.pop(session.id, None) is not None:
                    sessions[id] = session
            session.id = id

    def _pop(self, session: S) -> S:
        if self._sessions.pop(session.id, None) is not None:
            self._unused.pop(session.id, None)
            self._share.remove(session.owner)
        return session

    def _find_dispensable(self, new: S, limit: Limit) -> S | None:
        """A session to close for a new one: never a busy one, and for an anonymous caller never a used one.

        A shared one can be closed if it can be opened again as it is.
        """
        for session in islice(self._unused.values(), MAX_SEARCH):
            if not limit.is_own or session.owner == new.owner:
                return session
        for session in islice(self._sessions.values(), MAX_SEARCH):
            if session.is_reopenable and not session.busy and (not limit.is_own or session.owner == new.owner):
                return session
        if new.principal is None:
            return None
        for session in islice(self._sessions.values(), MAX_SEARCH):
            is_allowed = session.owner == new.owner or (session.principal is None and not limit.is_own)
            if is_allowed and not session.busy:
                return session
        return None

    def find(self, headers: Headers, facts: HeaderFacts, principal: Any) -> Sender | Response | None:
        """The sender of a message; None if it names an unknown session, or a response that refuses it.

        Raises ProtocolError.
        """
        id = headers.get_unique(b"mcp-session-id")
        if id is None:
            raise missing_session_error(facts)
        session: S | Limit | None = self.get(id, principal)
        if session is None and self._restore is not None:
            session = self._restore(id, principal, headers.address)
        if session is None or isinstance(session, Limit):
            return session and refuse_by(session)
        session.connection.principal = principal
        return sender_of(session)

    def get(self, id: bytes, principal: Any) -> S | None:
        """The session with an id; None if it has expired or belongs to another caller (R2511-SESS-05)."""
        now, expired, session = self._now(), [], self._sessions.get(id)
        if session is None:
            self._note_unknown(id, now)
        if session is not None and not self._is_owned_by(session, principal):
            return None
        if session is not None and session.is_used and 0 <= now - session.used < self._recent:
            return session  # it was used just now, so it is at the end of the queue already
        with self._lock:
            if now - self._swept >= 1:
                expired = self._take_expired(now)
            session = self._sessions.get(id)
            if session is not None and self._is_expired(session, now):
                expired.append(self._pop(session))
                session = None
            elif session is not None:
                session.note_use(now)
                self._sessions.move_to_end(id)
                self._unused.pop(id, None)
        for one in expired:
            one.close()
        return session

    def _note_unknown(self, id: bytes, now: float) -> None:
        """Log once that another process serves the same clients."""
        if not self._has_warned_of_processes and is_of_another_process(id, self._began, now):
            self._has_warned_of_processes = True
            _log.warning(_OTHER_PROCESS)

    def _is_owned_by(self, session: S, principal: Any) -> bool:
        """Whether a session belongs to this caller; logs once why one does not (R2511-SESS-05)."""
        owner: Any = session.principal
        problem: BaseException | None = None
        try:
            if owner == principal:
                return True
        except FAILURES as error:  # from the user's own __eq__
            raise_interrupt(error)
            problem = error
        if not self._has_warned:
            self._has_warned = True
            names = name_of(type(principal)), name_of(type(owner))
            if problem is None:
                _log.warning(_OTHER_CALLER, *names)
            else:
                log_exception(problem, _OTHER_CALLER, *names, level=logging.WARNING)
        return False

    def remove(self, session: S) -> None:
        """End a session (R2511-SESS-04)."""
        with self._lock:
            self._pop(session)
        session.close()

    def close(self) -> None:
        """End all sessions."""
        with self._lock:
            sessions = [self._pop(session) for session in list(self._sessions.values())]
        for session in sessions:
            session.close()

    def _shed(self) -> None:
        """Clear the least recently used sessions until the budget is kept."""
        with self._lock:
            oldest_first = list(self._sessions.values())
        for session in oldest_first:
            if self.budget.size <= self.budget.limit:
                return
            session.streams.clear()

    def _is_expired(self, session: S, now: float) -> bool:
        return now - session.created > self._life or (now - session.used > self._idle and not session.busy)

    def _take_expired(self, now: float) -> list[S]:
        """Remove expired sessions from the front of the queue and return them; a busy one moves to the end."""
        expired: list[S] = []
        self._swept = now
        for session in list(islice(self._sessions.values(), MAX_SWEEP)):
            if self._is_expired(session, now):
                expired.append(self._pop(session))
            elif now - session.used > self._idle:
                session.used = now
                self._sessions.move_to_end(session.id)
            else:
                break  # the next ones were used later
        return expired


def sender_of(session: KeptSession) -> Sender:
    """Who sends the messages of a session."""
    return Sender(session.connection.session, session.connection, session)


def shares_of(sessions: SessionTable[Any], settings: Settings, unread: Share) -> SessionShares:
    """What the sessions of one endpoint share; `unread` counts the bytes that wait for readers."""
    questions = share_of(settings, "max_questions", "questions", "open")
    return SessionShares(sessions.budget, questions, unread, sessions.remove)


class MemorySessions:
    """Sessions in the memory of this process; see interface."""

    is_started = True
    why_no_changes = None
    starts = STARTED_BY_CORE
    wrap = None
    routed = ()
    why_not_listen = None
    why_no_get = None

    def __init__(self, core: Core, settings: Settings, unread: Share) -> None:
        self.kept = SessionTable[HttpSession](settings, core.now)
        self.find = self.kept.find
        self._core, self._settings = core, settings
        self._shares = shares_of(self.kept, settings, unread)

    def open(self, principal: Any, headers: Headers) -> Sender | Limit:
        """The sender of `initialize`, in a session before its handshake; or the limit that it is over."""
        session = HttpSession(self._core, self._settings, principal, self._core.now(), self._shares, headers.address)
        limit = self.kept.add(session)
        if limit is not None:
            session.close()
        return limit or sender_of(session)

    def discard(self, sender: Sender) -> None:
        """Forget a session whose client does not get to know it."""
        self.kept.remove(_session_of(sender))

    def seal(self, sender: Sender, principal: Any) -> bytes:
        """The id of a session after its handshake."""
        return _session_of(sender).id

    def route(self, sender: Sender, pending: PendingResponse, envelope: Envelope) -> None:
        """Every message is for this process."""

    def start(self) -> None:
        """There is nothing to start."""

    def close(self) -> None:
        """End all sessions."""
        self.kept.close()


def _session_of(sender: Sender) -> HttpSession:
    assert isinstance(sender.kept, HttpSession)
    return sender.kept
