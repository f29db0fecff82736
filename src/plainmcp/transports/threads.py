"""A limited number of threads that run plain functions, started when they are needed, and shared fairly by callers.

They are daemons: a function that never ends blocks its own request only, not the end of the process. Work goes to the
thread that was busy last, so that a server with little work has few threads and needs little memory.
"""

import logging
import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from ..limits.shares import AtAddress, Tally, most_at_address
from ..protocol.core import Core
from ..protocol.failures import log_exception
from .held_threads import HeldLimit, HeldThreads

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = [
    "FILE_THREADS",
    "FILE_THREADS_EACH",
    "Executor",
    "Job",
    "OwnThreads",
    "Threads",
    "WaitingThread",
    "make_threads",
    "threads_of",
    "without_slot",
]

T = TypeVar("T")

_log = logging.getLogger("plainmcp")
_local = threading.local()  # .job: the job that a thread of ours runs

Work = Callable[[], object]
Inbox = SimpleQueue["Job | None"]  # the next job of one thread, or None to end it


class Executor(Protocol):
    """Runs functions in threads."""

    @property
    def files(self) -> "Executor":
        """Runs functions that read files."""
        ...

    def submit(self, work: Work) -> "Job | None":
        """Run a function as soon as a thread is free. It has to handle its own result and exceptions."""
        ...


class Job:
    """A function that runs in a thread, or waits for one."""

    __slots__ = ("caller", "has_ended", "has_slot", "is_given_up", "since", "threads", "work")

    since: float
    """When it began to wait for a thread, if it had to."""

    def __init__(self, work: Work, caller: Hashable, threads: "Threads") -> None:
        self.work = work
        self.caller = caller
        self.has_slot = False  # whether it counts among the running ones
        self.has_ended = False
        self.is_given_up = False
        self.threads = threads

    def give_up(self) -> None:
        """Do not wait for it any more: other work gets its slot, although its function may still run."""
        self.is_given_up = True
        if not self.threads.withdraw(self) and self.threads.release(self):
            _log.warning(
                "a function still runs after its request was given up: it keeps a thread (%d such threads now)",
                self.threads.released,
            )


class Threads:
    """Threads for the work of many callers, which take turns.

    At most `most` jobs run at a time, and at most `most_each` of one caller; anonymous callers at one address have a
    limit together, as in shares. A job that was given up, or waits for an answer of its client, does not count, as
    long as there are at most `most_released` of them. None is no caller in particular, and may use all threads.
    """

    def __init__(
        self,
        most: int,
        *,
        most_each: int | None = None,
        most_released: int = 256,
        idle_seconds: float = 30,
        files: "Threads | None" = None,
        has_options: bool = False,
    ) -> None:
        self._most = most
        self._most_each = most if most_each is None else most_each
        self._most_at_address = most_at_address(most, self._most_each)
        self._most_released = most_released
        self._idle_seconds = idle_seconds
        self.files: Threads = files or self
        """The threads that read files."""
        self._has_options = has_options  # whether these numbers are options of a server
        self.reset()
        _all.add(self)

    def reset(self) -> None:
        """Start without threads and without work."""
        self._lock = threading.Lock()  # for the attributes below
        self._waiting: OrderedDict[Hashable, deque[Job]] = OrderedDict()  # by caller, in the order of their turns
        self._idle: list[Inbox] = []
        self._running = Tally()  # jobs with a slot, by caller
        self._count = 0  # of all these jobs
        self.released = 0
        """How many jobs run without a slot."""
        self._watch = HeldThreads(self)

    def submit(self, work: Work, caller: Hashable = None) -> Job:
        """Run a function as soon as a thread is free. It has to handle its own result and exceptions."""
        job = Job(work, caller, self)
        with self._lock:
            if not self._has_slot_for(caller):
                job.since = time.monotonic()
                self._waiting.setdefault(caller, deque()).append(job)
                self._watch.begin()
                return job
            inbox = self._take_thread()
            self._occupy(job)
        inbox.put(job)
        return job

    def close(self) -> None:
        """End the idle threads; the others end when their work is done."""
        with self._lock:
            self._idle_seconds = 0
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)

    def withdraw(self, job: Job) -> bool:
        """Forget a job that waits for a thread, with everything that it holds; returns whether it did wait."""
        with self._lock:
            jobs = self._waiting.get(job.caller, ())
            if job.has_slot or job not in jobs:
                return False
            self._waiting[job.caller].remove(job)
            if not self._waiting[job.caller]:
                del self._waiting[job.caller]
            return True

    def release(self, job: Job) -> bool:
        """Let another job run in the place of this one, if not too many are released; returns whether it was done."""
        with self._lock:
            if not job.has_slot or job.has_ended or self.released >= self._most_released:
                return False
            self._vacate(job)
            self.released += 1
            following = self._next()
            if following is None:
                return True
            try:
                inbox = self._take_thread()
            except RuntimeError:  # no thread can start now, so it waits for one that ends
                self._vacate(following)
                self._waiting.setdefault(following.caller, deque()).appendleft(following)
                return True
        inbox.put(following)
        return True

    def regain(self, job: Job) -> None:
        """Count a released job again. It does not wait for a place: it may need what it holds to end."""
        with self._lock:
            if not job.is_given_up:
                self.released -= 1
                self._occupy(job)

    def find_oldest(self) -> tuple[Hashable, float] | None:
        """The caller of the job that has waited longest, and the time since when; None if none waits."""
        with self._lock:
            waiting = [(jobs[0].since, caller) for caller, jobs in self._waiting.items()]
        since, caller = min(waiting, key=itemgetter(0), default=(0.0, None))
        return (caller, since) if waiting else None

    def find_held_limit(self, caller: Hashable) -> HeldLimit:
        """The limit that lets the jobs of a caller wait."""
        where = f" at {caller.address}" if type(caller) is AtAddress else ""
        if self._count >= self._most:
            limit = HeldLimit(f"all {self._most} threads", "threads", lambda other: True)
        elif self._running.get(caller, 0) >= self._most_each:
            text = f"all {self._most_each} threads that one caller{where} may use"
            limit = HeldLimit(text, "threads_per_caller", lambda other: other == caller)
        else:
            text = f"all {self._most_at_address} threads that anonymous callers{where} may use together"
            address = getattr(caller, "address", None)
            limit = HeldLimit(text, "threads", lambda other: getattr(other, "address", None) == address)
        return limit if self._has_options else limit._replace(option=None)

    # With the lock --------------------------------------------------------------------------------

    def _has_slot_for(self, caller: Hashable) -> bool:
        running = self._running.get
        if self._count >= self._most or (caller is not None and running(caller, 0) >= self._most_each):
            return False
        return type(caller) is not AtAddress or running(caller.address, 0) < self._most_at_address

    def _occupy(self, job: Job) -> None:
        job.has_slot = True
        self._running.add(job.caller, 1)
        self._count += 1

    def _vacate(self, job: Job) -> None:
        job.has_slot = False
        self._running.add(job.caller, -1)
        self._count -= 1

    def _take_thread(self) -> Inbox:
        """An idle thread, or a new one."""
        if self._idle:
            return self._idle.pop()
        inbox: Inbox = SimpleQueue()
        name = f"plainmcp-{self._count + 1}"
        threading.Thread(target=self._serve, args=(inbox,), name=name, daemon=True).start()
        return inbox

    def _next(self) -> Job | None:
        """The next job that may run, with a slot; the caller of it has its next turn after all others."""
        for caller, jobs in self._waiting.items():
            if self._has_slot_for(caller):
                job = jobs.popleft()
                if jobs:
                    self._waiting.move_to_end(caller)
                else:
                    del self._waiting[caller]
                self._occupy(job)
                return job
        return None

    # In a thread ----------------------------------------------------------------------------------

    def _serve(self, inbox: Inbox) -> None:
        job, stays = None, True
        while stays:
            job = job or self._wait(inbox)
            if job is None:
                return
            self._run(job)
            job, stays = self._end(job, inbox)

    def _wait(self, inbox: Inbox) -> Job | None:
        """The next job; None if the thread is to end."""
        while True:
            try:
                return inbox.get(timeout=self._idle_seconds)
            except Empty:
                with self._lock:
                    if inbox in self._idle:  # no work for a while
                        self._idle.remove(inbox)
                        return None

    def _run(self, job: Job) -> None:
        _local.job = job
        try:
            job.work()
        except BaseException as error:
            log_exception(error, "work in a thread failed")
        finally:
            del _local.job
            job.work = _do_nothing  # its objects must not stay alive while the thread waits

    def _end(self, job: Job, inbox: Inbox) -> tuple[Job | None, bool]:
        """Count a job as ended; returns the next one, and whether the thread goes on."""
        with self._lock:
            job.has_ended = True
            if job.has_slot:
                self._vacate(job)
            else:
                self.released -= 1
            following = self._next()
            is_idle = following is None and self._count + len(self._idle) < self._most and self._idle_seconds > 0
            if is_idle:
                self._idle.append(inbox)
            return following, following is not None or is_idle


class OwnThreads:
    """Threads, as one caller uses them."""

    def __init__(self, threads: Threads, caller: Hashable) -> None:
        self._threads, self._caller = threads, caller

    @property
    def files(self) -> "OwnThreads":
        """The same threads."""
        return self

    def submit(self, work: Work) -> Job:
        """Run a function as soon as a thread is free, within the share of the caller."""
        return self._threads.submit(work, self._caller)


def _do_nothing() -> None: ...


@contextmanager
def without_slot() -> Generator[None, None, None]:
    """Let other work run while this thread waits for its client."""
    job: Job | None = getattr(_local, "job", None)
    is_released = job is not None and job.threads.release(job)
    try:
        yield
    finally:
        if job is not None and is_released:
            job.threads.regain(job)


class WaitingThread:
    """A thread that waits for a result in a loop. Meanwhile it runs the plain functions on the way to the result.

    So one request never needs two threads at once, and many requests cannot block one another.
    """

    def __init__(self, threads: Executor) -> None:
        self._threads = threads
        self._job: Job | None = getattr(_local, "job", None)  # that this thread runs
        self._inbox: SimpleQueue[Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._is_done = False

    @property
    def files(self) -> Executor:
        """Files are read in this thread, too."""
        return self

    def submit(self, work: Work) -> Job | None:
        """Run a function in this thread; in another one, if it does not wait any more."""
        with self._lock:
            if not self._is_done:
                self._inbox.put(work)
                return self._job
        return self._threads.submit(work)

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


FILE_THREADS = 8
"""How many threads read files: functions that do not end must not block them."""
FILE_THREADS_EACH = 6
"""How many of these read for one caller over HTTP."""

_threads: WeakKeyDictionary[Core, Threads] = WeakKeyDictionary()
_all: WeakSet[Threads] = WeakSet()


def threads_of(server: Core) -> Threads:
    """The threads for the plain functions of a server, within its limits."""
    threads = _threads.get(server)
    if threads is None:
        threads = _threads.setdefault(server, make_threads(server))
    return threads


def make_threads(server: Core) -> Threads:
    """New threads with the limits of a server."""
    each, released = server.threads_per_caller, server.max_waiting_threads
    files = Threads(FILE_THREADS, most_each=FILE_THREADS_EACH)
    return Threads(server.threads, most_each=each, most_released=released, files=files, has_options=True)


def _enter_child() -> None:
    """Reset all threads in a child process, which does not have them."""
    for threads in _all:
        threads.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)
