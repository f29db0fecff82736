"""How much callers may let this process write into the store, so that none of them fills it. Does no I/O."""

import threading
from collections import Counter
from collections.abc import Callable, Hashable

from ...shares import Limit

__all__ = ["SMALL", "StoreBudget"]

PERIOD = 10.0 * 60
"""The limits are for so many seconds: almost everything has expired after that."""
SMALL = 256
"""About how many bytes a small entry or value takes: the renewal of a session, or its end."""
MAX_ALL = 2**28
"""How many bytes all callers may let one process write."""
MAX_EACH = 2**25
"""How many bytes one caller may."""

_OWN = Limit("this caller has written too much into the shared store of this server; try again later", True)
_ALL = Limit("too much is written into the shared store of this server; try again later", False)


class StoreBudget:
    """The bytes that each caller has let this process write in a period."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._since = now()
        self._sizes: Counter[Hashable] = Counter()
        self._size = 0

    def spend(self, caller: Hashable, size: int) -> Limit | None:
        """Count bytes for a caller, or return the limit that it has reached."""
        with self._lock:
            now = self._now()
            if not 0 <= now - self._since < PERIOD:
                self._since, self._size = now, 0
                self._sizes.clear()
            if self._sizes[caller] + size > MAX_EACH:
                return _OWN
            if self._size + size > MAX_ALL:
                return _ALL
            self._size += size
            self._sizes[caller] += size
            return None
