"""The shares of callers over HTTP: how much of a limited thing one caller may hold, and all of them together.

Knows no requests and no streams: each limited thing has one object here, and asks it before it grows.
"""

import threading
from collections import Counter
from collections.abc import Hashable
from typing import Any, NamedTuple

__all__ = ["Limit", "OwnShare", "Share", "caller_of", "share_of"]


def caller_of(principal: Any, session: bytes | None, address: str | None) -> Hashable:
    """The key of a caller: its principal, else its session, else its address; None if nothing is known."""
    if principal is None:
        return session or address
    for key_of in (_Key, repr):  # a dict has no hash, and classes of the author's may have anything
        try:
            return key_of(principal)
        except Exception:
            continue
    return (type(principal).__qualname__,)


class _Key:
    """A principal as a key, never equal to a session or an address.

    Its hash stays what it was, so that what is counted for it is found again, and faults of its class have no effect.
    """

    __slots__ = ("_hash", "_principal")

    def __init__(self, principal: Any) -> None:
        self._hash = hash(principal)
        self._principal = principal

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        try:
            return isinstance(other, _Key) and bool(self._principal == other._principal)
        except Exception:
            return False


class Limit(NamedTuple):
    """A limit that was reached: what there is too much of, the name of its option, and whether it is one caller's."""

    text: str
    is_own: bool


class Share:
    """Counts one limited thing by caller: at most `most` in all, and `most_each` of one caller; see `find_limit`.

    None is no caller in particular: only the limit for all applies to it.
    """

    def __init__(self, things: str, state: str, option: str, most: int, most_each: int) -> None:
        self._things, self._state = things, state  # for errors
        self._option = option
        self._most = most
        self._most_each = most_each
        self._lock = threading.Lock()
        self._counts: Counter[Hashable] = Counter()
        self.count = 0
        """The count of all callers."""

    def find_limit(self, caller: Hashable) -> Limit | None:
        """The limit that this caller has reached; None if it may have more."""
        if self.count >= self._most:
            return Limit(f"too many {self._things} are {self._state} ({self._option}={self._most})", False)
        if self._counts and caller is not None and self._counts[caller] >= self._most_each:
            option = f"{self._option}_per_caller={self._most_each}"
            return Limit(f"too many {self._things} of this caller are {self._state} ({option})", True)
        return None

    def count_of(self, caller: Hashable) -> int:
        """The count of one caller."""
        return self._counts[caller]

    def add(self, caller: Hashable, number: int = 1) -> None:
        """Count more for a caller, or less if the number is negative."""
        with self._lock:
            self.count += number
            self._counts[caller] += number
            if not self._counts[caller]:
                del self._counts[caller]

    def remove(self, caller: Hashable) -> None:
        """Count one less for a caller."""
        self.add(caller, -1)


def share_of(settings: object, option: str, things: str, state: str) -> Share:
    """The share with the two limits of an option of the settings: for all, and for one caller."""
    return Share(things, state, option, getattr(settings, option), getattr(settings, f"{option}_per_caller"))


class OwnShare(NamedTuple):
    """The share of one caller."""

    whole: Share
    caller: Hashable

    def add(self, number: int = 1) -> None:
        """Count more, or less if the number is negative."""
        self.whole.add(self.caller, number)

    def find_limit(self) -> Limit | None:
        """The limit that this caller has reached; None if it may have more."""
        return self.whole.find_limit(self.caller)
