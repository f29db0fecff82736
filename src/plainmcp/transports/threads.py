"""A bounded number of threads that run plain functions, started as they are needed. Knows nothing of what they run.

They are daemons: a function that never ends holds up its own request and nothing else, nor the end of the process.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable

__all__ = ["Threads"]

_log = logging.getLogger("plainmcp")


class Threads:
    """Threads for a queue of work."""

    def __init__(self, most: int, *, idle_seconds: float = 30) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._work: deque[Callable[[], object]] = deque()
        self._change = threading.Condition()
        self._running = 0
        self._idle = 0

    def submit(self, work: Callable[[], object]) -> None:
        """Run a function as soon as a thread is free; it looks after its own outcome."""
        with self._change:
            self._work.append(work)
            if self._idle >= len(self._work):
                self._change.notify()
            elif self._running < self._most:
                self._running += 1
                threading.Thread(target=self._serve, name=f"plainmcp-{self._running}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._change:
                self._idle += 1
                there = self._change.wait_for(lambda: bool(self._work), self._idle_seconds)
                self._idle -= 1
                if not there:  # nothing to do for a while: the next one starts anew
                    self._running -= 1
                    return
                work = self._work.popleft()
            try:
                work()
            except BaseException:
                _log.exception("work in a thread failed")
            del work  # what it holds is not ours to keep while we wait
