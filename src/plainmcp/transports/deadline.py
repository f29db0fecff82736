"""A clock that calls a function shortly before a deadline, and one at the deadline. Knows neither server nor process.

It has a thread of its own, because the thread that serves may be held by a function that never ends.
"""

import threading
import time
from collections.abc import Callable
from itertools import count
from math import inf
from queue import Empty, SimpleQueue

__all__ = ["FORCE", "LAST", "Deadline"]

LAST = 0.6
"""How many seconds before its deadline a shutdown gives up what still runs."""
FORCE = 0.1
"""How many seconds before the deadline the process is ended by force, so that it has ended then."""


class Deadline:
    """The end of a number of seconds, which begin with `start`; or sooner, after `hurry`.

    `give_up` is called LAST seconds before the end, and `force` right before it.
    """

    def __init__(self, seconds: float, *, force: Callable[[], object] | None = None) -> None:
        self.seconds = seconds
        self.give_up: Callable[[], object] = _do_nothing
        self._force = force or _do_nothing
        self._preparations, self._starts = count(), count()  # unlike a flag, they cannot be seen twice as new
        self._end = inf
        self._is_cancelled = False
        self._changes: SimpleQueue[None] = SimpleQueue()  # unlike an Event, a signal handler may use it

    def prepare(self) -> None:
        """Start the thread already: it may be too late when the seconds begin."""
        if next(self._preparations) == 0:
            threading.Thread(target=self._watch, name="plainmcp-deadline", daemon=True).start()

    def start(self) -> None:
        """Begin the seconds, unless they have begun; may be called in a signal handler."""
        if next(self._starts) == 0:
            self._end = time.monotonic() + self.seconds
            self.prepare()
            self._changes.put(None)

    def hurry(self) -> None:
        """Leave only LAST seconds, so that all is given up now; may be called in a signal handler."""
        self.start()
        self._end = min(self._end, time.monotonic() + LAST)
        self._changes.put(None)

    def cancel(self) -> None:
        """Stop the clock: nothing is called any more."""
        self._is_cancelled = True
        self._changes.put(None)

    def seconds_until(self, before: float = 0) -> float:
        """The seconds until a moment that lies some seconds before the deadline."""
        return max(0.0, self._end - before - time.monotonic())

    def _watch(self) -> None:
        if self._is_reached(LAST):
            self.give_up()
        if self._is_reached(FORCE):
            self._force()

    def _is_reached(self, before: float) -> bool:
        """Wait until a moment that lies some seconds before the deadline; returns False if the clock is stopped."""
        while not self._is_cancelled and (seconds := self.seconds_until(before)):
            try:
                self._changes.get(timeout=None if seconds == inf else seconds)
            except Empty:
                break
        return not self._is_cancelled


def _do_nothing() -> None:
    """Do nothing at a moment."""
