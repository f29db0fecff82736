"""A bounded number of threads that run plain functions, started as they are needed. Knows nothing of what they run.

They are daemons: a function that never ends holds up its own request and nothing else, nor the end of the process.
Work goes to the thread that was busy last, so that a server with little to do keeps few threads and their memory.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

from .invoke import Process, end_child

__all__ = ["DaemonExecutor", "Threads"]

_log = logging.getLogger("plainmcp")

Work = Callable[[], object]
Hands = SimpleQueue[Work]  # of one thread: where it is given its next work


class Threads:
    """Threads for a queue of work."""

    def __init__(self, most: int, *, idle_seconds: float = 30) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()  # of what follows
        self._waiting: deque[Work] = deque()
        self._idle: list[Hands] = []
        self._running = 0

    def submit(self, work: Work) -> None:
        """Run a function as soon as a thread is free; it looks after its own outcome."""
        with self._lock:
            if self._idle:
                hands = self._idle.pop()
            elif self._running < self._most:
                hands = SimpleQueue()
                name = f"plainmcp-{self._running + 1}"
                threading.Thread(target=self._serve, args=(hands,), name=name, daemon=True).start()
                self._running += 1  # not if it could not start
            else:
                self._waiting.append(work)
                return
        hands.put(work)

    def _serve(self, hands: Hands) -> None:
        while True:
            try:
                work = hands.get(timeout=self._idle_seconds)
            except Empty:
                with self._lock:
                    if hands in self._idle:  # nothing to do for a while: the next one starts anew
                        self._idle.remove(hands)
                        self._running -= 1
                        return
                continue
            while True:
                try:
                    work()
                except BaseException:
                    _log.exception("work in a thread failed")
                del work  # what it holds is not ours to keep while we wait
                with self._lock:
                    if not self._waiting:
                        self._idle.append(hands)
                        break
                    work = self._waiting.popleft()


class DaemonExecutor(ThreadPoolExecutor):
    """What an event loop runs `asyncio.to_thread` in: threads that hold up neither its end nor the process's."""

    def __init__(self, most: int = 32) -> None:
        super().__init__(1)  # whose thread is never started
        self._daemons = Threads(most)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function as soon as a thread is free."""
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            process = Process.current
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                end_child(process)
                future.set_exception(error)
            else:
                end_child(process)
                future.set_result(result)

        self._daemons.submit(work)
        return future
