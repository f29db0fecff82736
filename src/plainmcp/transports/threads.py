"""A limited number of threads that run plain functions, started when they are needed.

They are daemons: a function that never ends blocks its own request only, not the end of the process. Work goes to the
thread that was busy last, so that a server with little work has few threads and needs little memory.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from ..protocol.core import Core

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Threads", "WaitingThread", "threads_of"]

T = TypeVar("T")

_log = logging.getLogger("plainmcp")

Work = Callable[[], object]
Inbox = SimpleQueue[Work | None]  # the next work of one thread, or None to end it


class Threads:
    """Threads for a queue of work."""

    def __init__(self, most: int, *, idle_seconds: float = 30) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self.reset()
        _all.add(self)

    def reset(self) -> None:
        """Start without threads and without work."""
        self._lock = threading.Lock()  # for the attributes below
        self._waiting: deque[Work] = deque()
        self._idle: list[Inbox] = []
        self._running = 0

    def submit(self, work: Work) -> None:
        """Run a function as soon as a thread is free. It has to handle its own result and exceptions."""
        with self._lock:
            if self._idle:
                inbox = self._idle.pop()
            elif self._running < self._most:
                inbox = SimpleQueue()
                name = f"plainmcp-{self._running + 1}"
                threading.Thread(target=self._serve, args=(inbox,), name=name, daemon=True).start()
                self._running += 1  # only if it could start
            else:
                self._waiting.append(work)
                return
        inbox.put(work)

    def close(self) -> None:
        """End the idle threads; the others end when their work is done."""
        with self._lock:
            self._idle_seconds = 0
            idle, self._idle = self._idle, []
            self._running -= len(idle)
        for inbox in idle:
            inbox.put(None)

    def _serve(self, inbox: Inbox) -> None:
        while True:
            try:
                work = inbox.get(timeout=self._idle_seconds)
            except Empty:
                with self._lock:
                    if inbox in self._idle:  # no work for a while: the thread ends
                        self._idle.remove(inbox)
                        self._running -= 1
                        return
                continue
            if work is None:
                return
            while True:
                try:
                    work()
                except BaseException:
                    _log.exception("work in a thread failed")
                del work  # its objects must not stay alive while the thread waits
                with self._lock:
                    if not self._waiting:
                        self._idle.append(inbox)
                        break
                    work = self._waiting.popleft()


class WaitingThread:
    """A thread that waits for a result in a loop. Meanwhile it runs the plain functions on the way to the result.

    So one request never needs two threads at once, and many requests cannot block one another.
    """

    def __init__(self, threads: "Threads | WaitingThread") -> None:
        self._threads = threads
        self._inbox: SimpleQueue[Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._is_done = False

    def submit(self, work: Work) -> None:
        """Run a function in this thread; in another one, if it does not wait any more."""
        with self._lock:
            if not self._is_done:
                self._inbox.put(work)
                return
        self._threads.submit(work)

    def wait(self, future: "Future[T]") -> T:
        """Wait for a result, and run functions until it is there."""
        future.add_done_callback(self._end)
        while (work := self._inbox.get()) is not None:
            work()
        return future.result()

    def _end(self, future: object) -> None:
        with self._lock:
            self._is_done = True
            self._inbox.put(None)


_threads: WeakKeyDictionary[Core, Threads] = WeakKeyDictionary()
_all: WeakSet[Threads] = WeakSet()


def threads_of(server: Core) -> Threads:
    """The threads for the plain functions of a server, at most `server.threads`."""
    threads = _threads.get(server)
    if threads is None:
        threads = _threads.setdefault(server, Threads(server.threads))
    return threads


def _enter_child() -> None:
    """Reset all threads in a child process, which does not have them."""
    for threads in _all:
        threads.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)
