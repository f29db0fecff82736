"""What changes during a session that all replicas serve: log level, subscriptions, and its end. Does no I/O."""

from typing import NamedTuple

import msgspec

from ....protocol.session import Session

__all__ = ["SessionState", "StateChange"]


class SessionState(msgspec.Struct, array_like=True):
    """The state of a session, as it is in the store."""

    version: int = 0
    level: str | None = None  # the one that the client has set
    subscribed: list[str] = []
    has_ended: bool = False

    def includes(self, other: "SessionState") -> bool:
        """Whether it is a later state than another one, or the same, or the end."""
        if self.has_ended or self.version > other.version:
            return True
        return self.version == other.version and set(other.subscribed) <= set(self.subscribed)

    def merge(self, other: "SessionState | None") -> "SessionState":
        """The next state of a store that has lost this one, and has another one since."""
        if other is None:
            return self
        subscribed = sorted({*self.subscribed, *other.subscribed})
        return SessionState(self.version + 1, other.level or self.level, subscribed)


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
        return SessionState(state.version + 1, self.level or state.level, subscribed)
