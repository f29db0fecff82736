"""How much callers may let this process write into the store, so that none of them fills it. Does no I/O."""

import threading
from collections.abc import Callable, Hashable
from math import ceil

from ..limits.shares import AtAddress, Limit, Tally, most_at_address

__all__ = ["NEW_LOG", "SMALL", "StoreBudget"]

PERIOD = 10.0 * 60
"""The limits are for so many seconds: almost everything has expired after that."""
SMALL = 256
"""About how many bytes a small entry or value takes, and what surrounds a larger one."""
NEW_LOG = 4_096 + SMALL
"""About how many bytes the first entry of a log takes in Redis, whatever it has."""
MAX_ALL = 2**29
"""How many bytes all callers may let one process write."""
MAX_EACH = 2**26
"""How many bytes one caller may."""
OPTIONAL = 0.75
"""Which part of a limit may be used by what the server can do without, such as the copies of streams."""


class StoreBudget:
    """The bytes that each caller has let this process write in a period.

    Anonymous callers at one address have a limit together, as in shares.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._since = now()
        self._sizes = Tally()
        self._size = 0

    def spend(self, caller: Hashable, size: int, is_optional: bool = False) -> Limit | None:
        """Count bytes for a caller, or return the limit that it has reached."""
        with self._lock:
            now = self._now()
            if not 0 <= now - self._since < PERIOD:
                self._since, self._size = now, 0
                self._sizes.clear()
            part = OPTIONAL if is_optional else 1
            seconds = ceil(self._since + PERIOD - now)
            if self._is_over(caller, size, part):
                text = "this caller has written too much into the shared store of this server; try again later"
                return Limit(text, True, seconds)
            if self._size + size > MAX_ALL * part:
                return Limit(
                    "too much is written into the shared store of this server; try again later", False, seconds
                )
            self._size += size
            self._sizes.add(caller, size)
            return None

    def _is_over(self, caller: Hashable, size: int, part: float) -> bool:
        if self._sizes.get(caller, 0) + size > MAX_EACH * part:
            return True
        at_address = most_at_address(MAX_ALL, MAX_EACH) * part
        return type(caller) is AtAddress and self._sizes.get(caller.address, 0) + size > at_address
