"""The shares of callers over HTTP: how much of a limited thing one caller may hold, and all of them together.

Knows no requests and no streams: each limited thing has one object here, and asks it before it grows.
"""

import threading
from collections.abc import Callable, Hashable
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from ..protocol.exchange import FAILURES
from ..protocol.interrupts import raise_interrupt

__all__ = [
    "AtAddress",
    "Budget",
    "Limit",
    "OwnShare",
    "Share",
    "caller_of",
    "network_of",
    "share_of",
]

OPTIONAL = 0.75
"""Which part of a budget may be used by what the server can do without, such as the copies of streams."""


class AtAddress(NamedTuple):
    """The key of a caller who may pretend to be many: all of those at one address have a limit together, too."""

    address: str
    key: Hashable
    """The session; None without one."""


def network_of(address: str) -> str:
    """What addresses are counted by: an IPv6 client has all addresses with the same first half.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::', '192.0.2.7')
    """
    return _ipv6_network_of(address) if ":" in address else address


@lru_cache(maxsize=1024)
def _ipv6_network_of(address: str) -> str:
    from ipaddress import IPv6Address  # few clients have such addresses

    try:
        parsed = IPv6Address(address)
    except ValueError:  # of a Unix socket, or with a port
        return address
    return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))


def caller_of(principal: Any, session: Hashable, address: str | None) -> Hashable:
    """The key of a caller: its principal, else its session, else its address; None if nothing is known."""
    kind: Any = type(principal)
    key = session if principal is None else _Key(principal)
    if address is None or (principal is not None and kind.__eq__ is not object.__eq__):
        return key
    return AtAddress(network_of(address), key)


class _Key:
    """A principal as a key, never equal to a session or an address.

    Its hash stays what it was, so that what is counted for it is found again, and faults of its class have no effect.
    One without a hash, such as a dict, is compared with all others of its class.
    """

    __slots__ = ("_hash", "_principal")

    def __init__(self, principal: Any) -> None:
        try:
            self._hash = hash(principal)
        except FAILURES as error:
            raise_interrupt(error)
            self._hash = hash(type(principal))
        self._principal = principal

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        try:
            return isinstance(other, _Key) and bool(self._principal == other._principal)
        except FAILURES as error:
            raise_interrupt(error)
            return False


class Tally(dict[Hashable, int]):
    """Counts by the key of a caller, and for anonymous callers also by their address. Those of zero are removed."""

    def add(self, caller: Hashable, number: int) -> None:
        """Count more for a caller, or less if the number is negative."""
        count = self.get(caller, 0) + number
        if count:
            self[caller] = count
        else:
            self.pop(caller, None)
        if type(caller) is AtAddress:
            self.add(caller.address, number)


def most_at_address(most: int, most_each: int) -> int:
    """How much the anonymous callers at one address have together: less than all, and not less than one of them."""
    return max(most_each, min(most - 1, ceil(most * 3 / 4)))


class Limit(NamedTuple):
    """A limit that was reached: what there is too much of, the name of its option, and whether it is one caller's."""

    text: str
    is_own: bool
    seconds: int = 1
    """After how many seconds the caller should try again."""


class Share:
    """Counts one limited thing by caller: at most `most` in all, and `most_each` of one caller; see `find_limit`.

    None is no caller in particular: only the limit for all applies to it. Anonymous callers at one address have at
    most three quarters together.
    """

    def __init__(self, things: str, condition: str, option: str, most: int, most_each: int) -> None:
        self._things, self._condition = things, condition  # for errors
        self._option = option
        self._most = most
        self._most_each = most_each
        self._most_at_address = most_at_address(most, most_each)
        self._lock = threading.Lock()
        self._counts = Tally()
        self.count = 0
        """The count of all callers."""

    def find_limit(self, caller: Hashable) -> Limit | None:
        """The limit that this caller has reached; None if it may have more."""
        if self.count >= self._most:
            return Limit(f"too many {self._things} are {self._condition} ({self._option}={self._most})", False)
        if self._counts and caller is not None and self._counts.get(caller, 0) >= self._most_each:
            option = f"{self._option}_per_caller={self._most_each}"
            return Limit(f"too many {self._things} of this caller are {self._condition} ({option})", True)
        if type(caller) is AtAddress and self._counts.get(caller.address, 0) >= self._most_at_address:
            option = f"{self._most_at_address} of {self._option}={self._most}"
            text = f"too many {self._things} of anonymous callers at this address are {self._condition} ({option})"
            return Limit(text, True)
        return None

    def count_of(self, caller: Hashable) -> int:
        """The count of one caller."""
        return self._counts.get(caller, 0)

    def add(self, caller: Hashable, number: int = 1) -> None:
        """Count more for a caller, or less if the number is negative."""
        with self._lock:
            self.count += number
            self._counts.add(caller, number)

    def remove(self, caller: Hashable) -> None:
        """Count one less for a caller."""
        self.add(caller, -1)


def share_of(settings: object, option: str, things: str, condition: str) -> Share:
    """The share with the two limits of an option of the settings: for all, and for one caller."""
    return Share(things, condition, option, getattr(settings, option), getattr(settings, f"{option}_per_caller"))


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


class Budget:
    """How many bytes callers may write somewhere in a period: at most `most` in all, and `most_each` for one caller.

    What the server can do without may use three quarters of each limit, and so may anonymous callers at one address.
    """

    def __init__(self, place: str, most: int, most_each: int, period: float, now: Callable[[], float]) -> None:
        self._place = place  # for errors
        self._most, self._most_each, self._period, self._now = most, most_each, period, now
        self._lock = threading.Lock()
        self._since = now()
        self._sizes = Tally()
        self._size = 0

    def spend(self, caller: Hashable, size: int, is_optional: bool = False) -> Limit | None:
        """Count bytes for a caller, or return the limit that it has reached."""
        with self._lock:
            now = self._now()
            if not 0 <= now - self._since < self._period:
                self._since, self._size = now, 0
                self._sizes.clear()
            part = OPTIONAL if is_optional else 1
            seconds = ceil(self._since + self._period - now)
            if self._is_over(caller, size, part):
                text = f"this caller has written too much into {self._place}; try again later"
                return Limit(text, True, seconds)
            if self._size + size > self._most * part:
                return Limit(f"too much is written into {self._place}; try again later", False, seconds)
            self._size += size
            self._sizes.add(caller, size)
            return None

    def _is_over(self, caller: Hashable, size: int, part: float) -> bool:
        if self._sizes.get(caller, 0) + size > self._most_each * part:
            return True
        if type(caller) is not AtAddress:
            return False
        return self._sizes.get(caller.address, 0) + size > most_at_address(self._most, self._most_each) * part
