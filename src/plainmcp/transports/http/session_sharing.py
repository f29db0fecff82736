"""The sessions that all replicas serve: opened from their signed ids, with their state and streams in the store.

Knows what the entries of the store mean for sessions. Plain calls do not ask the store; what has to wait for it runs
in a thread.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from secrets import token_urlsafe
from time import sleep
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import msgspec

from ...errors import InternalError
from ...protocol.core import Core
from ...protocol.exchange import Exchange
from ...store.interface import Store, StoreError
from ..connection import change_message
from ..shares import Limit
from ..threads import threads_of
from .http_session import HttpSession, SessionShares
from .mirrors import Mirrors
from .replica import UNAVAILABLE, replica_of
from .session_store import SessionStore
from .settings import Settings
from .shared_session import STANDING, SessionState, SharedSession
from .signed_ids import SignedId, SignedIds
from .store_steps import AfterStore, BeforeStore, Work
from .stream import Stream

__all__ = ["SharedSessions"]

MAX_ENDED = 10_000
"""How many sessions that have ended are remembered."""
MAX_STATE = 2**16
"""How many bytes the state of a session may take in the store."""
SETTLE = 0.02
"""How many seconds other replicas have to take a change of a session, after this one has taken it."""
TRIES = 10
"""How often a change of a state is tried when others change it at the same time."""

_log = logging.getLogger("plainmcp")


class _Change(NamedTuple):
    """A change of a session's state."""

    level: str | None
    added: set[str]
    removed: set[str]
    former_level: str | None

    def is_in(self, state: SessionState) -> bool:
        """Whether a state has this change already."""
        is_level = self.level in (self.former_level, state.level)
        return is_level and self.added.issubset(state.subscribed) and self.removed.isdisjoint(state.subscribed)

    def apply(self, state: SessionState) -> SessionState:
        """The next state."""
        level = state.level if self.level == self.former_level else self.level
        return SessionState(state.version + 1, level, sorted((set(state.subscribed) | self.added) - self.removed))


class SharedSessions:
    """The sessions of one endpoint that other replicas serve, too."""

    def __init__(self, core: Core, settings: Settings, sessions: SessionStore, shares: SessionShares) -> None:
        self._threads = threads_of(core).files
        self._core, self._settings = core, settings
        self._sessions, self._shares = sessions, shares
        self._ids = SignedIds(core, settings.session_seconds)
        self._by_name: WeakValueDictionary[str, SharedSession] = WeakValueDictionary()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._opening = threading.Lock()
        self.replica = replica_of(core, settings.store)
        self._mirrors = Mirrors(self.replica)
        self.replica.listeners.append(self._take)
        self.replica.ticks.append(self._notice_the_dead)
        self.replica.returns.append(self._restore_states)

    # Sessions -------------------------------------------------------------------------------------

    def make(self, principal: Any, address: str | None) -> SharedSession:
        """A new session, before its handshake."""
        return self._make(principal, address, token_urlsafe(15))

    def _make(self, principal: Any, address: str | None, name: str) -> SharedSession:
        self.replica.start()
        session = SharedSession(self._core, self._settings, principal, self._shares, address, self.replica, name)
        self._by_name[name] = session
        return session

    def name(self, session: SharedSession, principal: Any) -> bytes:
        """The signed id of a session after its handshake; raises InvalidParams."""
        id, facts = self._ids.make(session.connection.session, principal, session.name)
        session.until = facts.until
        self._sessions.rename(session, id)
        return id

    def restore(self, id: bytes, principal: Any, address: str | None) -> HttpSession | Limit | None:
        """The session of an id that another replica made; None if there is none."""
        facts = self._ids.read(id, principal)
        if facts is None or facts.name in self._ended:
            return None
        with self._opening:
            return self._sessions.get(id, principal) or self._open(id, facts, principal, address)

    def _open(self, id: bytes, facts: SignedId, principal: Any, address: str | None) -> SharedSession | Limit | None:
        session = self._make(principal, address, facts.name)
        if not session.restore(id, facts):
            session.close()
            return None
        limit = self._sessions.add(session)
        if limit is not None:
            session.close()
        return limit or session

    def end(self, session: SharedSession) -> None:
        """End a session on all replicas."""
        state = SessionState(session.version + 1, has_ended=True)
        key = self._key_of(session)
        value, seconds = self.replica.sign(key, state), self._seconds_of(session)
        self.replica.later(lambda store: store.put(key, value, seconds))
        self.replica.append(self.replica.bus, "end", session.name)
        self._end_here(session.name)

    def _end_here(self, name: str) -> None:
        self._ended[name] = None
        while len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        session = self._by_name.pop(name, None)
        if session is not None:
            self._sessions.remove(session)

    def _key_of(self, session: SharedSession) -> str:
        return self.replica.key("session", session.name)

    def _seconds_of(self, session: SharedSession) -> float:
        return max(1.0, session.until - self._core.now())

    # State ----------------------------------------------------------------------------------------

    def load_before(self, session: SharedSession, exchange: Exchange) -> Exchange:
        """Load the state of a session before the steps of an exchange that may need it."""
        return exchange if session.is_loaded else AfterStore.of(partial(self.load, session), lambda: exchange)

    def save_after(
        self, session: SharedSession, begin: Callable[[], Exchange], refuse: Callable[[InternalError], bytes]
    ) -> Exchange:
        """Load the state of a session before an exchange, and save it afterwards; the response waits for that."""

        def begin_and_save() -> Exchange:
            if not session.is_loaded:
                return Exchange(refuse(InternalError(UNAVAILABLE)))
            find_work = self._watch_state(session)
            return BeforeStore(rest=begin(), find_work=find_work, refuse=refuse).begin()

        session.is_loaded = False
        return AfterStore.of(partial(self.load, session), begin_and_save)

    def load(self, session: SharedSession) -> None:
        """Load the state of a session that was opened elsewhere; raises StoreError."""
        if session.is_loaded:
            return
        _, state = self.replica.ask(partial(self._read_state, self._key_of(session)))
        session.is_loaded = True
        if state.has_ended:
            self._end_here(session.name)
        session.apply(state)

    def _read_state(self, key: str, store: Store) -> tuple[bytes | None, SessionState]:
        value = store.get(key)
        content = None if value is None else self.replica.open(key, value)
        if content is None:
            return value, SessionState()
        return value, msgspec.convert(content, SessionState)

    def _watch_state(self, session: SharedSession) -> Callable[[], Work]:
        """A function that finds out how the state of a session has changed since now, and how to save that."""
        facts = session.connection.session
        level, subscribed = facts.log_level, frozenset(facts.subscribed)

        def find_work() -> Work:
            added, removed = facts.subscribed - subscribed, set(subscribed - facts.subscribed)
            return partial(self._save, session, _Change(facts.log_level, added, removed, level))

        return find_work

    def _save(self, session: SharedSession, change: "_Change") -> InternalError | None:
        """Save a change of a session's state for all replicas; returns the error if that failed."""
        facts = session.connection.session
        try:
            if self.replica.ask(partial(self._change_state, session, change)):
                return None
            problem = "this session has too many subscriptions, too many changes at once, or has ended"
        except StoreError as error:
            _log.debug("a change of a session was not saved: %s", error)
            problem = UNAVAILABLE
        facts.log_level = change.former_level
        facts.subscribed = (facts.subscribed - change.added) | change.removed
        return InternalError(problem)

    def _change_state(self, session: SharedSession, change: "_Change", store: Store) -> bool:
        key = self._key_of(session)
        for _ in range(TRIES):
            before, state = self._read_state(key, store)
            if state.has_ended:
                return False
            is_saved = change.is_in(state)  # also by a try whose response got lost, so that others may not know it
            if not is_saved:
                state = change.apply(state)
                value = self.replica.sign(key, state)
                if len(value) > MAX_STATE:
                    return False
                is_saved = store.change(key, before, value, self._seconds_of(session))
            if is_saved:
                session.apply(state)
                position = self.replica.append_now(self.replica.bus, "state", session.name, state)
                self.replica.wait_for(position, 0.5)
                sleep(SETTLE)
                return True
        return False

    def _restore_states(self) -> None:
        """Write the states of sessions again, after a store without persistence was restarted."""
        for session in list(self._by_name.values()):
            session.is_loaded = False
            if session.version and not session.closed:
                facts = session.connection.session
                state = SessionState(session.version, facts.log_level, sorted(facts.subscribed))
                self.replica.later(partial(self._put_if_newer, session, state))

    def _put_if_newer(self, session: SharedSession, state: SessionState, store: Store) -> None:
        key = self._key_of(session)
        for _ in range(TRIES):
            before, stored = self._read_state(key, store)
            if stored.version >= state.version:
                return
            if store.change(key, before, self.replica.sign(key, state), self._seconds_of(session)):
                return

    # Entries ------------------------------------------------------------------------------------

    def _take(self, kind: str, content: list[Any]) -> None:
        """Take an entry of another replica, or of this one."""
        if kind in ("change", "wake"):
            return
        name: str = content[0]
        if kind == "end":
            self._end_here(name)
            return
        session = self._by_name.get(name)
        if session is None or session.closed:
            if kind == "resend":
                self.replica.append(self.replica.key("stream", name, content[1]), "lost")
            return
        connection = session.connection
        match kind:
            case "state":
                session.apply(msgspec.convert(content[1], SessionState))
            case "cancel":
                connection.cancel_request(content[1])
            case "answer":
                connection.take_answer(*content[1:4])
            case "reader":
                session.reader = None if content[1] == self.replica.name else content[1]
            case "left":
                if session.reader == content[1]:
                    self._read_here(session)
            case "resend":
                self._mirrors.send_again(session, content[1])
            case _:
                pass  # of a newer version of this package

    # Streams that stay open -----------------------------------------------------------------------

    def open_stream(self, session: SharedSession, event_id: str) -> tuple[Stream, int, Callable[[], None]]:
        """The stream for a GET, the event after which it is read, and work that has to be done in a thread."""
        name, _, digits = event_id.rpartition("-")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else 0
        resumed = session.find_stream(event_id)
        if resumed is not None:
            return *resumed, lambda: None
        parts = session.read_name(name)
        if parts is not None:
            stream = session.mirror(name, number)
            return stream, number, partial(self._mirrors.follow, session, stream, parts)
        after = number if name == STANDING else self.replica.position
        stream = session.make_standing_stream(after)
        return stream, after, partial(self._contain, stream, partial(self._catch_up, session, stream, after))

    def _contain(self, stream: Stream, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreError as error:
            _log.debug("a stream could not be continued: %s", error)
            stream.finish()  # the client comes back, and is told the problem if there still is one

    def _catch_up(self, session: SharedSession, stream: Stream, position: int) -> None:
        """Send the changes since a position, and then all later ones; raises StoreError."""
        self.replica.wait_to_begin()
        self.load(session)
        replica, bus = self.replica, self.replica.bus
        while not self._is_added(session, stream, position):
            entries = replica.ask(lambda store, after=position: store.read({bus: after}))  # type: ignore[misc]
            for entry in entries:
                content = replica.open(bus, entry.value)
                if content and content[0] == "change":
                    event, uri = content[1:3]
                    if session.connection.session.wants(event, uri):
                        stream.put(change_message(event, uri), entry.position)
            position = entries[-1].position if entries else replica.position
        if not stream.finished:
            replica.append(bus, "reader", session.name, replica.name)

    def _is_added(self, session: SharedSession, stream: Stream, position: int) -> bool:
        """Let a stream get all later changes, if it has those that this replica has; returns whether it has."""
        with self.replica.bus_lock:  # no change comes between
            if position < self.replica.position:
                return False
            session.add_standing(stream)
            return True

    def _read_here(self, session: SharedSession) -> None:
        """Send messages on the stream of this replica again, with those that came while another one had a stream."""
        session.reader = None
        stream = session.take_standing()
        if stream is not None:
            self._threads.submit(
                partial(self._contain, stream, partial(self._catch_up, session, stream, stream.last))
            )

    def _notice_the_dead(self) -> None:
        """Take over the open streams of sessions whose newest one was at a replica that is dead."""
        muted = [session for session in list(self._by_name.values()) if session.reader and session.standing]
        dead = self.replica.find_dead({session.reader for session in muted if session.reader})
        for session in muted:
            if session.reader in dead:
                self._read_here(session)
