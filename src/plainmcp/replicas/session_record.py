"""What changes during a session that all replicas serve: log level, subscriptions, what handlers keep, and its end.

Does no I/O. What handlers keep is JSON: a request sees a dict, which notes what is set and deleted there.
"""

from collections.abc import Mapping
from secrets import token_hex
from typing import Any, NamedTuple

import msgspec

from ..protocol.session import Session
from ..wire import codec

__all__ = ["KeptValues", "RecordChange", "SessionRecord"]


class SessionRecord(msgspec.Struct, array_like=True):
    """The record of a session in the store."""

    version: int = 0
    level: str | None = None  # the one that the client has set
    subscribed: list[str] = []
    has_ended: bool = False
    origin: str = ""
    """A random text, drawn with the first change of a session: after a loss of all, the next change draws another."""
    values: dict[str, bytes] = {}
    """What handlers keep, in JSON."""

    def complete(self, stored: "SessionRecord | None") -> "SessionRecord":
        """The record of a store that may have lost this one: what it has, if that is later, or this one, or both."""
        if stored is None:
            return self
        if stored.has_ended or stored.origin == self.origin:
            return stored if stored.has_ended or stored.version >= self.version else self
        is_in = set(self.subscribed) <= set(stored.subscribed) and self.values.keys() <= stored.values.keys()
        if stored.version > self.version and is_in:
            return stored
        subscribed = sorted({*self.subscribed, *stored.subscribed})
        version = max(self.version, stored.version) + 1
        level, values = stored.level or self.level, self.values | stored.values
        return SessionRecord(version, level, subscribed, origin=self.origin, values=values)


class RecordChange(NamedTuple):
    """A change of a session's record: what one request has done."""

    level: str | None = None  # None: it stays as it is
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    values: Mapping[str, bytes | None] = {}  # of handlers, by key; None: it was deleted

    @classmethod
    def between(cls, before: Session, after: Session) -> "RecordChange":
        """What is different in a session."""
        level = after.log_level if after.log_level != before.log_level else None
        added, removed = after.subscribed - before.subscribed, before.subscribed - after.subscribed
        return cls(level, frozenset(added), frozenset(removed))

    def is_in(self, record: SessionRecord) -> bool:
        """Whether a record has this change already."""
        is_level = self.level in (None, record.level)
        are_values = all(record.values.get(key) == value for key, value in self.values.items())
        are_subscribed = self.added.issubset(record.subscribed) and self.removed.isdisjoint(record.subscribed)
        return is_level and are_values and are_subscribed

    def apply(self, record: SessionRecord) -> SessionRecord:
        """The next record."""
        subscribed = sorted((set(record.subscribed) | self.added) - self.removed)
        origin, level = record.origin or token_hex(8), self.level or record.level
        changed = {**record.values, **self.values}
        values = {key: value for key, value in changed.items() if value is not None}
        return SessionRecord(record.version + 1, level, subscribed, origin=origin, values=values)


class KeptValues(dict[str, Any]):
    """What handlers keep in a session, as one request sees it.

    A change counts when a key is set or deleted; a change inside a value does not, unless the value is set again.

    >>> values = KeptValues({"seen": b"[1]"})
    >>> values["seen"] = [*values["seen"], 2]
    >>> values.finish()
    {'seen': b'[1,2]'}
    """

    def __init__(self, values: Mapping[str, bytes], has_ended: bool = False) -> None:
        super().__init__((key, msgspec.json.decode(value)) for key, value in values.items())
        self._change: dict[str, bytes | None] = {}
        self._has_ended = has_ended

    def finish(self) -> dict[str, bytes | None]:
        """The keys that were set, with their values in JSON, and those that were deleted; no more of them can be."""
        self._has_ended = True
        return self._change

    def _note(self, key: str, value: bytes | None) -> None:
        if self._has_ended:
            raise RuntimeError(f"ctx.session_state[{key!r}]: the request has ended, and its changes are saved")
        self._change[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
        self._note(key, _to_json(key, value))
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a key, which is set first if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *others: Any, **values: Any) -> None:
        """Set several keys."""
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __ior__(self, other: Any) -> "KeptValues":  # type: ignore[override,misc]
        self.update(other)
        return self

    def pop(self, key: str, *default: Any) -> Any:
        """Delete a key, and return its value."""
        if key in self:
            self._note(key, None)
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        """Delete the last key, and return it with its value."""
        key = next(reversed(self), "")
        return key, self.pop(key)

    def clear(self) -> None:
        """Delete all keys."""
        for key in list(self):
            del self[key]


def _to_json(key: Any, value: Any) -> bytes:
    """A value in JSON; raises TypeError if it, or its key, would not come back as it is."""
    problem: Exception | None = None
    try:
        raw = msgspec.json.encode(value)
        codec.check_depth(raw)
        if key.encode().decode() == key and msgspec.json.decode(raw) == value:
            return raw
    except Exception as error:  # the classes may be the author's
        problem = error
    raise TypeError(
        f"ctx.session_state[{key!r}] is shared by several processes: its key must be a str, and its value JSON, made "
        f"of dict, list, str, int, float, bool and None; this {type(value).__name__} is not, or has something else"
    ) from problem
