"""A bounded number of threads that run plain functions, started as they are needed. Knows nothing of what they run.

They are daemons: a function that never ends holds up its own request and nothing else, nor the end of the process.
"""

import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

__all__ = ["Threads"]

_log = logging.getLogger("plainmcp")


class Threads:
    """Threads for a queue of work."""

    def __init__(self, most: int, *, idle_seconds: float = 30) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._work: SimpleQueue[Callable[[], object]] = SimpleQueue()  # hands over faster than a Condition does
        self._lock = threading.Lock()
        self._running = 0
        self._free = 0  # threads that wait for work, less the work that waits for them

    def submit(self, work: Callable[[], object]) -> None:
        """Run a function as soon as a thread is free; it looks after its own outcome."""
        with self._lock:
            self._free -= 1
            if self._free < 0 and self._running < self._most:
                self._running += 1
                self._free += 1
                threading.Thread(target=self._serve, name=f"plainmcp-{self._running}", daemon=True).start()
        self._work.put(work)

    def _serve(self) -> None:
        while True:
            try:
                work = self._work.get(timeout=self._idle_seconds)
            except Empty:
                with self._lock:
                    if self._free > 0:  # nothing to do for a while: the next one starts anew
                        self._free -= 1
                        self._running -= 1
                        return
                continue
            try:
                work()
            except BaseException:
                _log.exception("work in a thread failed")
            del work  # what it holds is not ours to keep while we wait
            with self._lock:
                self._free += 1
