"""What changes during a session that all replicas serve, in the store: its log level, subscriptions, and its end.

Knows the store and what a state means for a session, but neither HTTP nor exchanges. All of it waits for the store.
"""

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from ....errors import InternalError
from ....store.interface import Store, StoreError
from ....wire.jsonrpc import Envelope
from .replica import Announcement, Replica
from .session import SessionState, SharedSession
from .session_use import SIGN
from .store_steps import Work

__all__ = ["SessionStates", "StateChange"]

MAX_STATE = 2**16
"""How many bytes the state of a session may take in the store."""
MAX_NOTE = 2**10
"""How many bytes of a state are in a note for other replicas; they read a larger one from the store."""
SAVING = 0.25
"""For how many seconds a change is tried when others change the state, too: clients are answered within a second."""
TAKING = 0.25
"""How many seconds the other replicas have to take a change."""
MAX_AGAIN = 1_000
"""How many sessions are ended again after the store has lost that, the last ones first."""
TRIES = 3
"""How often a session is kept, while others change it."""

REFUSED = "this session has too many subscriptions, too many changes at once, or has ended"
"""Why a change of a session is refused."""


class StateChange(NamedTuple):
    """A change of a session's state: what one request asks for."""

    level: str | None = None  # None: it stays as it is
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, envelope: Envelope) -> "StateChange":
        """The change that a request asks for; nothing, if its parameters do not fit: then it is refused."""
        params = envelope.params
        if params is None:
            return cls()
        if envelope.method == "logging/setLevel":
            level = msgspec.json.decode(params.level) if params.level else None
            return cls(level if isinstance(level, str) else None)
        uris = frozenset([params.uri] if isinstance(params.uri, str) else [])
        return cls(added=uris) if envelope.method == "resources/subscribe" else cls(removed=uris)

    def is_in(self, state: SessionState) -> bool:
        """Whether a state has this change already."""
        is_level = self.level in (None, state.level)
        return is_level and self.added.issubset(state.subscribed) and self.removed.isdisjoint(state.subscribed)

    def apply(self, state: SessionState) -> SessionState:
        """The next state."""
        subscribed = sorted((set(state.subscribed) | self.added) - self.removed)
        return SessionState(state.version + 1, self.level or state.level, subscribed)


class SessionStates:
    """The states of the sessions of one endpoint."""

    def __init__(self, replica: Replica, seconds: float) -> None:
        self._replica = replica
        self._seconds = seconds  # how long a session is kept after its last use

    def load(self, session: SharedSession, store: Store) -> SessionState | None:
        """Load the state of a session; None if the store has none."""
        key = self._key_of(session.name)
        session.stored = store.get(key)
        state = self._decode(key, session.stored)
        if state is not None:
            session.apply(state)
        return state

    def end(self, session: SharedSession) -> None:
        """End a session on all replicas; raises StoreError."""
        self._replica.ask(partial(self._put_end, session.name))
        self._replica.wait_for_peers(self._replica.announce("end", session.name), TAKING)

    def end_again(self, names: list[str], store: Store) -> None:
        """End sessions again, the last ones of some that have ended: unless the store still has that."""
        for name in names[: -MAX_AGAIN - 1 : -1]:
            if store.get(self._key_of(name)) is not None:
                return
            self._put_end(name, store)
            self._replica.append(self._replica.keys.notes, "end", name)

    def _put_end(self, name: str, store: Store) -> None:
        key = self._key_of(name)
        store.put(key, self._replica.keys.sign(key, SessionState(has_ended=True)), self._seconds)

    def renew(self, session: SharedSession, store: Store) -> None:
        """Keep a session that is in use.

        If the state of the store is not the one that is known here, nor a later one, it has lost that. Then it gets
        all that is known.
        """
        key, own = self._key_of(session.name), _state_of(session)
        for _ in range(TRIES):  # unless others change it at the same time, and so keep it
            before = store.get(key)
            state = self._decode(key, before)
            is_lost = state is None or not (state.has_ended or state.version > own.version or _covers(state, own))
            value = self._replica.keys.sign(key, _merge(own, state)) if is_lost or before is None else before
            if store.change(key, before, value, self._seconds):
                if is_lost and state is not None:
                    self._replica.append(self._replica.keys.notes, "state", session.name, None)
                return

    def to_save(self, session: SharedSession, change: StateChange) -> tuple[Work, Callable[[], None]]:
        """How to save a change that a request makes to the state of a session, and how to undo it."""
        former, facts = _state_of(session), session.connection.session
        undo = partial(_undo, session, change, facts.log_level, frozenset(facts.subscribed))

        def save() -> InternalError | None:
            announcement = self._replica.ask(partial(self._change, session, change, former))
            if announcement is None:
                undo()
                return InternalError(REFUSED)
            self._replica.wait_for_peers(announcement, TAKING)
            return None

        return save, undo

    def _change(
        self, session: SharedSession, change: StateChange, former: SessionState, store: Store
    ) -> Announcement | None:
        """Change the state in the store, and announce it; returns None if it is refused."""
        key, before, until = self._key_of(session.name), session.stored, monotonic() + SAVING
        while monotonic() < until:  # others may change it at the same time
            stored = self._decode(key, before)
            state = stored or former  # what the store has lost is written again
            if state.has_ended or self._replica.budget.take(session.owner, SIGN) is not None:
                return None
            is_saved = stored is not None and change.is_in(stored)  # also by a try whose response got lost
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
                announcement = self._replica.announce("state", session.name, shown)
                session.apply(state)  # not before: what was not announced is undone here, and must come again
                return announcement
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

    def _key_of(self, name: str) -> str:
        return self._replica.keys.key("session", name)


def _state_of(session: SharedSession) -> SessionState:
    """The state of a session as this replica knows it."""
    facts = session.connection.session
    return SessionState(session.version, facts.log_level if session.version else None, sorted(facts.subscribed))


def _covers(state: SessionState, own: SessionState) -> bool:
    """Whether a state has all that is in another one of the same version."""
    return state.version == own.version and set(own.subscribed) <= set(state.subscribed)


def _merge(own: SessionState, state: SessionState | None) -> SessionState:
    """The state that a store gets which has lost the one that this replica knows, and may have got another since."""
    if state is None:
        return own
    subscribed = sorted({*own.subscribed, *state.subscribed})
    return SessionState(own.version + 1, state.level or own.level, subscribed)


def _undo(session: SharedSession, change: StateChange, level: str | None, subscribed: frozenset[str]) -> None:
    """Take back a change that was not saved."""
    facts = session.connection.session
    if change.level is not None:
        facts.log_level = level
    facts.subscribed = (facts.subscribed - (change.added - subscribed)) | (change.removed & subscribed)
