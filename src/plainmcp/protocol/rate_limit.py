"""How often something may be said: so much at once, and so much a second after that. Its clock is given to it."""

from collections.abc import Callable

__all__ = ["AT_ONCE", "A_SECOND", "Pace"]

AT_ONCE = 1_000
"""How many words of a kind one request may have for its client in a burst."""
A_SECOND = 100
"""How many a second after that."""


class Pace:
    """What was said lately, and so whether more may be.

    >>> pace = Pace(lambda: 0.0)
    >>> [pace.allows() for _ in range(AT_ONCE + 1)].count(True)
    1000
    """

    __slots__ = ("_now", "_room", "_since")

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: float | None = None
        self._room = float(AT_ONCE)

    def allows(self) -> bool:
        """Whether one more may be said now; it then counts as said."""
        now = self._now()
        if self._since is not None:
            self._room = min(AT_ONCE, self._room + max(0.0, now - self._since) * A_SECOND)
        self._since = now
        if self._room < 1:
            return False
        self._room -= 1
        return True
