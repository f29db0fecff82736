"""The last changes of all replicas, as this process has read them, for clients that reconnect. Does no I/O."""

import threading
from collections import OrderedDict
from itertools import takewhile
from typing import NamedTuple

import msgspec

from ..store.interface import Entry
from .keys import MAX_CHANGES, StoreKeys

__all__ = ["Change", "ChangeLog"]


ChangeContent = tuple[str, str | None, str, int, bool]
"""A change in the log: the fields of a `Change` after its position."""


class Change(NamedTuple):
    """One change, as it is in the log of the store."""

    position: int  # 0 before it is written
    event: str
    uri: str | None
    source: str  # the replica in which it was made
    number: int  # among the changes of that replica
    was_delivered: bool  # whether the listen requests there were notified at once

    @property
    def content(self) -> ChangeContent:
        """What is written into the log."""
        return self[1:]

    @property
    def id(self) -> tuple[str, int]:
        """The same for a change that was written again, because the response of the store got lost."""
        return self.source, self.number


class ChangeLog:
    """The last changes, in the order of the log."""

    def __init__(self, keys: StoreKeys) -> None:
        self._keys = keys
        self._changes: OrderedDict[tuple[str, int], Change] = OrderedDict()  # by id, the oldest first
        self.lock = threading.RLock()
        """Held while a change is received: no change comes meanwhile."""
        self.position = 0
        """The position of the last change; the end of the log, if the store has lost it."""
        self.newest = 0
        """The greatest position, also if the store has lost it."""

    def add(self, entry: Entry) -> Change | None:
        """Add an entry of the log; returns None if its change is known already, or cannot be read."""
        self.position, self.newest = entry.position, max(self.newest, entry.position)
        content = self._keys.open(entry.log, entry.value)
        if content is None:
            return None
        try:
            change = Change(entry.position, *msgspec.convert(content, ChangeContent))
        except msgspec.ValidationError:  # of another version of this package
            return None
        if change.id in self._changes:
            return None
        self._changes[change.id] = change
        if len(self._changes) > MAX_CHANGES:
            self._changes.popitem(last=False)
        return change

    def find_after(self, position: int) -> list[Change]:
        """The changes after a position, the oldest first."""
        with self.lock:
            later = takewhile(lambda change: change.position > position, reversed(self._changes.values()))
            return list(later)[::-1]
