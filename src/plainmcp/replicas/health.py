"""Whether the shared store works, as this process has found out. Knows nothing of what is in it."""

import logging
import threading
from collections.abc import Callable
from os import getpid
from time import monotonic

from ..store.interface import StoreError

__all__ = ["PAUSE", "StoreHealth", "contain"]

PAUSE = 0.2
"""How many seconds pass before the next try, after the store has failed."""

QUIET = 30.0
"""How many seconds pass before the same failure is logged again: a store may fail and work again many times."""
EFFECT = "What needs it is refused, and everything else goes on. It is tried again until it works."
"""What it means for those who read the log."""

_log = logging.getLogger("plainmcp")


class StoreHealth:
    """What has failed, of reading and of writing, and since when the store works."""

    def __init__(self, come_back: Callable[[], None]) -> None:
        self._come_back = come_back  # called when the store works again
        self._problems: dict[str, str] = {}
        self.why_down: str | None = None
        """Why the store cannot be used at the moment; None if it can."""
        self._down_since = self._up_since = self._confirmed = monotonic()
        self._worked = 0.0  # before `_up_since`
        self._lock = threading.Lock()
        self._logged, self._logged_text = float("-inf"), ""  # when a failure was last logged, and which one
        self._skipped = 0  # failures that were not logged since then
        self._is_logged = False  # whether the last one was
        self._gaps: set[str] = set()  # whether something was missed in reading or writing, since the last recovery

    def has_failed(self, what: str) -> bool:
        """Whether reading or writing failed the last time."""
        return what in self._problems

    @property
    def worked(self) -> float:
        """How many seconds the store has worked, in all. The time of a pause of this process does not count."""
        return self._worked + self.worked_lately

    @property
    def worked_lately(self) -> float:
        """How many seconds it has worked since it last failed."""
        return self._confirmed - self._up_since

    def fail(self, what: str, error: Exception) -> None:
        """Note that reading or writing failed; an error that is not a StoreError is logged with its traceback."""
        text = str(error) if isinstance(error, StoreError) else f"{type(error).__name__}: {error}"
        with self._lock:
            is_new = not self._problems
            self._problems[what] = self.why_down = text
            self._worked = self.worked
            self._up_since = self._confirmed = monotonic()
            if is_new:
                self._down_since = monotonic()
                self._log_failure(text, None if isinstance(error, StoreError) else error)

    def note_gap(self, what: str, reason: str) -> None:
        """Note that something may be missed although the store works; `recover` has to follow."""
        with self._lock:
            self._worked = self.worked
            self._up_since = self._confirmed = monotonic()
            self._gaps.add(what)
        _log.warning("process %d may have missed something in the shared store: %s", getpid(), reason)

    def _log_failure(self, text: str, details: Exception | None) -> None:
        """Log a failure, but not each time if a store fails again and again."""
        self._is_logged = text != self._logged_text or monotonic() - self._logged > QUIET
        if not self._is_logged:
            self._skipped += 1
            return
        again = f" ({self._skipped} more times since this was last logged)" if self._skipped else ""
        self._logged, self._logged_text, self._skipped = monotonic(), text, 0
        problem = text.rstrip(".") + again
        _log.warning("process %d cannot use the shared store: %s. %s", getpid(), problem, EFFECT, exc_info=details)

    def recover(self, what: str) -> None:
        """Note that reading or writing works."""
        with self._lock:
            was_down = self._problems.pop(what, None) is not None
            self.why_down = next(iter(self._problems.values()), None)
            if not self._problems:
                self._confirmed = monotonic()
            if self._problems or not (was_down or what in self._gaps):
                return
            self._up_since = self._confirmed
            self._gaps.discard(what)
        if was_down and self._is_logged:
            seconds = monotonic() - self._down_since
            _log.warning("process %d can use the shared store again, after %.1f seconds", getpid(), seconds)
        contain(self._come_back)


def contain(work: Callable[[], None]) -> None:
    """Call a function; what it raises ends nothing but itself."""
    try:
        work()
    except StoreError as error:
        _log.debug("%s", error)
    except Exception:
        _log.exception("work for the replicas failed")
