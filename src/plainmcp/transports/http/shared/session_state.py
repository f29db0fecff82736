"""What changes during a session that all replicas serve, in the store: its log level, subscriptions, and its end.

Knows the store and what a state means for a session, but neither HTTP nor exchanges. All of it waits for the store.
"""

from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any, NamedTuple

import msgspec

from ....errors import InternalError
from ....store.interface import Store, StoreError
from .replica import Replica
from .session import SessionState, SharedSession
from .store_health import UNAVAILABLE
from .store_steps import Work

__all__ = ["SessionStates"]

MAX_STATE = 2**16
"""How many bytes the state of a session may take in the store."""
SETTLE = 0.02
"""How many seconds other replicas have to take a change of a session, after this one has taken it."""
MAX_NOTE = 2**10
"""How many bytes of a state are in a note for other replicas; they read a larger one from the store."""
SAVING = 0.25
"""For how many seconds a change is tried when others change the state, too: clients are answered within a second."""
TRIES = 3
"""How often a session is kept, while others change it."""

REFUSED = "this session has too many subscriptions, too many changes at once, or has ended"
"""Why a change of a session is refused."""


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


class SessionStates:
    """The states of the sessions of one endpoint."""

    def __init__(self, replica: Replica, seconds: float) -> None:
        self._replica = replica
        self._seconds = seconds  # how long a session is kept after its last use

    def load(self, session: SharedSession, store: Store) -> SessionState | None:
        """Load the state of a session; None if the store has none."""
        key = self._key_of(session)
        session.stored = store.get(key)
        state = self._decode(key, session.stored)
        if state is not None:
            session.apply(state)
        return state

    def end(self, session: SharedSession) -> None:
        """End a session on all replicas; raises StoreError."""
        key = self._key_of(session)
        value = self._replica.keys.sign(key, SessionState(session.version + 1, has_ended=True))
        self._replica.ask(lambda store: store.put(key, value, self._seconds))
        self._replica.append_now(self._replica.keys.notes, "end", session.name)

    def renew(self, session: SharedSession, store: Store) -> None:
        """Keep a session that is in use; with the state that this replica has, if that of the store is older."""
        key, facts = self._key_of(session), session.connection.session
        own = SessionState(session.version, facts.log_level if session.version else None, sorted(facts.subscribed))
        for _ in range(TRIES):  # unless others change it at the same time, and so keep it
            before = store.get(key)
            state = self._decode(key, before)
            is_newer = before is not None and state is not None and state.version >= own.version
            value = before if before is not None and is_newer else self._replica.keys.sign(key, own)
            if store.change(key, before, value, self._seconds):
                return

    def watch(self, session: SharedSession) -> Callable[[], tuple[Work, Work]]:
        """A function that finds out how the state of a session changes from now on: how to save that, and undo it."""
        facts = session.connection.session
        level, subscribed = facts.log_level, frozenset(facts.subscribed)

        def find_work() -> tuple[Work, Work]:
            added, removed = facts.subscribed - subscribed, set(subscribed - facts.subscribed)
            change = _Change(facts.log_level, added, removed, level)
            return partial(self._save, session, change), partial(_undo, session, change, UNAVAILABLE)

        return find_work

    def _save(self, session: SharedSession, change: _Change) -> InternalError | None:
        """Save a change of a session's state for all replicas; returns the error if it is refused."""
        position = self._replica.ask(partial(self._change, session, change))
        if position is None:
            return _undo(session, change, REFUSED)
        self._replica.follower.wait_for(position, SAVING)
        sleep(SETTLE)
        return None

    def _change(self, session: SharedSession, change: _Change, store: Store) -> int | None:
        """Change the state in the store, and announce it; returns the position of that, or None if it is refused."""
        key, before, until = self._key_of(session), session.stored, monotonic() + SAVING
        while monotonic() < until:  # others may change it at the same time
            state = self._decode(key, before) or SessionState(session.version)
            if state.has_ended:
                return None
            is_saved = change.is_in(state)  # also by a try whose response got lost, so that others may not know it
            if not is_saved:
                state = change.apply(state)
                value = self._replica.keys.sign(key, state)
                if len(value) > MAX_STATE or self._replica.budget.take(session.owner, len(value)) is not None:
                    return None
                is_saved = store.change(key, before, value, self._seconds)
            if is_saved and monotonic() > until:
                raise StoreError("the store is too slow")  # the next try announces it
            if is_saved:
                shown = state if len(msgspec.msgpack.encode(state)) <= MAX_NOTE else None
                position = self._replica.append_now(self._replica.keys.notes, "state", session.name, shown)
                session.apply(state)  # not before: what was not announced is undone here, and must come again
                return position
            before = store.get(key)
        return None

    def take(self, session: SharedSession, shown: Any) -> None:
        """Take a state that another replica has announced: from the store, if it is too large for a note."""
        if shown is None:
            self._replica.ask(partial(self.load, session))
        else:
            session.apply(msgspec.convert(shown, SessionState))

    def _decode(self, key: str, value: bytes | None) -> SessionState | None:
        content: Any = None if value is None else self._replica.keys.open(key, value)
        return None if content is None else msgspec.convert(content, SessionState)

    def _key_of(self, session: SharedSession) -> str:
        return self._replica.keys.key("session", session.name)


def _undo(session: SharedSession, change: _Change, problem: str) -> InternalError:
    """Take back a change that was not saved, and return the error for the client."""
    facts = session.connection.session
    facts.log_level = change.former_level
    facts.subscribed = (facts.subscribed - change.added) | change.removed
    return InternalError(problem)
