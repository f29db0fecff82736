"""Whether the store of the replicas works, as this process has found out. Knows nothing of what is in it."""

import logging
from collections.abc import Callable
from time import monotonic

from ....store.interface import StoreError

__all__ = ["PAUSE", "UNAVAILABLE", "StoreHealth", "contain"]

PAUSE = 0.2
"""How many seconds pass before the next try, after the store has failed."""
UNAVAILABLE = "the store that the replicas of this server share cannot be used at the moment; try again"
"""What clients are sent when the store fails; the log says why."""

EFFECT = "Plain calls go on; what needs the store is refused until it works again, which is tried all the time."
"""What it means for those who read the log."""

_log = logging.getLogger("plainmcp")


class StoreHealth:
    """What has failed, of reading and of writing, and since when the store works."""

    def __init__(self, come_back: Callable[[], None]) -> None:
        self._come_back = come_back  # called when the store works again
        self._problems: dict[str, str] = {}
        self._up_since = self._down_since = monotonic()

    @property
    def problem(self) -> str | None:
        """The reason for clients why the store cannot be used at the moment; None if it can."""
        return UNAVAILABLE if self._problems else None

    def has_failed(self, what: str) -> bool:
        """Whether reading or writing failed the last time."""
        return what in self._problems

    def has_worked_for(self, seconds: float) -> bool:
        """Whether the store has worked all that time."""
        return not self._problems and monotonic() - self._up_since > seconds

    def check(self) -> None:
        """Raise StoreError if the store has failed, and has not worked since."""
        for problem in list(self._problems.values()):
            raise StoreError(problem)

    def fail(self, what: str, error: StoreError) -> None:
        """Note that reading or writing failed."""
        if not self._problems:
            self._down_since = monotonic()
            _log.warning("the store of the replicas failed: %s. %s", str(error).rstrip("."), EFFECT)
        self._problems[what] = str(error)
        self._up_since = monotonic()

    def recover(self, what: str) -> None:
        """Note that reading or writing works."""
        if self._problems.pop(what, None) is None or self._problems:
            return
        _log.warning("the store of the replicas works again, after %.1f seconds", monotonic() - self._down_since)
        self._up_since = monotonic()
        contain(self._come_back)


def contain(work: Callable[[], None]) -> None:
    """Call a function; what it raises ends nothing but itself."""
    try:
        work()
    except StoreError as error:
        _log.debug("%s", error)
    except Exception:
        _log.exception("an entry of the store could not be taken")
