"""What changes during a session that all replicas serve: log level, subscriptions, and its end. Does no I/O."""

from secrets import token_hex
from typing import NamedTuple

import msgspec

from ..protocol.session import Session

__all__ = ["SessionState", "StateChange"]


class SessionState(msgspec.Struct, array_like=True):
    """The state of a session, as it is in the store."""

    version: int = 0
    level: str | None = None  # the one that the client has set
    subscribed: list[str] = []
    has_ended: bool = False
    origin: str = ""
    """A random text, drawn with the first change of a session: after a loss of all, the next change draws another."""

    def complete(self, stored: "SessionState | None") -> "SessionState":
        """The state of a store that may have lost this one: what it has, if that is later, or this one, or both."""
        if stored is None:
            return self
        if stored.has_ended or stored.origin == self.origin:
            return stored if stored.has_ended or stored.version >= self.version else self
        if stored.version > self.version and set(self.subscribed) <= set(stored.subscribed):
            return stored
        subscribed = sorted({*self.subscribed, *stored.subscribed})
        version = max(self.version, stored.version) + 1
        return SessionState(version, stored.level or self.level, subscribed, origin=self.origin)


class StateChange(NamedTuple):
    """A change of a session's state: what one request has done."""

    level: str | None = None  # None: it stays as it is
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @classmethod
    def between(cls, before: Session, after: Session) -> "StateChange":
        """What is different in a session."""
        level = after.log_level if after.log_level != before.log_level else None
        added, removed = after.subscribed - before.subscribed, before.subscribed - after.subscribed
        return cls(level, frozenset(added), frozenset(removed))

    def is_in(self, state: SessionState) -> bool:
        """Whether a state has this change already."""
        is_level = self.level in (None, state.level)
        return is_level and self.added.issubset(state.subscribed) and self.removed.isdisjoint(state.subscribed)

    def apply(self, state: SessionState) -> SessionState:
        """The next state."""
        subscribed = sorted((set(state.subscribed) | self.added) - self.removed)
        origin = state.origin or token_hex(8)
        return SessionState(state.version + 1, self.level or state.level, subscribed, origin=origin)
