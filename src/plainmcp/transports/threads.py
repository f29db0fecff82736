"""A limited number of threads that run plain functions, started when they are needed, and shared fairly by callers.

They are daemons: a function that never ends blocks its own request only, not the end of the process. Work goes to the
thread that was busy last, so that a server with little work has few threads and needs little memory.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from operator import attrgetter
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from ..limits.shares import AtAddress
from ..limits.turns import Turns, group_of
from ..protocol.core import Core
from ..protocol.failures import log_exception
from .held_threads import HeldLimit, HeldThreads

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = [
    "FILE_THREADS",
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

# The theory: who may have a thread is in `limits/turns`; when one is woken is here.
#
# To wake a thread costs more than a short function. So only a few are woken at a time, for the interpreter runs one
# of them. Other jobs wait, and a thread whose function has ended takes the next one without waking another. When all
# that were woken have begun, their functions may be blocked, for all we know, and the next few are woken. So while no
# thread is waking, no job waits that may run.
#
# A job that was given up, or waits for its client, gives back its place, but not its thread: then there are more
# threads than places, and those that find no place left when their job ends, end.

MAX_WAKING = 4
"""How many threads may be woken at a time."""

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
    """Threads for the work of many callers, which take turns and have shares: see `Turns`.

    A job that was given up, or waits for an answer of its client, does not count, as long as there are at most
    `most_released` of them.
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
        self._most_each = most_each
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
        self._turns: Turns[Job] = Turns(self._most, self._most_each)
        self._idle: list[Inbox] = []
        self._waking = 0  # threads that were given a job and have not begun
        self.released = 0
        """How many jobs run without a slot."""
        self._watch = HeldThreads(self)

    def submit(self, work: Work, caller: Hashable = None) -> Job:
        """Run a function as soon as a thread is free. It has to handle its own result and exceptions."""
        job = Job(work, caller, self)
        with self._lock:
            if not (self._waking < MAX_WAKING and self._turns.may_have(caller) and self._wake(job)):
                job.since = time.monotonic()
                self._turns.wait(job)
                self._watch.begin()
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
            return self._turns.withdraw(job)

    def release(self, job: Job) -> bool:
        """Let other jobs run in the place of this one, if not too many are released; returns whether it was done."""
        with self._lock:
            if not job.has_slot or job.has_ended or self.released >= self._most_released:
                return False
            self._set_slot(job, False)
            self.released += 1
            self._wake_for_waiting()
            return True

    def regain(self, job: Job) -> None:
        """Count a released job again. It does not wait for a place: it may need what it holds to end."""
        with self._lock:
            if not job.is_given_up:
                self.released -= 1
                self._set_slot(job, True)

    def find_oldest(self) -> tuple[Hashable, float] | None:
        """The caller of the job that has waited longest, and the time since when; None if none waits."""
        with self._lock:
            job = min(self._turns.first_jobs(), key=attrgetter("since"), default=None)
        return None if job is None else (job.caller, job.since)

    def find_held_limit(self, caller: Hashable) -> HeldLimit:
        """The limit that lets the jobs of a caller wait."""
        turns, each, group = self._turns, self._most_each, group_of(caller)
        where = f" at {caller.address}" if type(caller) is AtAddress else ""
        if turns.count >= self._most:
            limit = HeldLimit(f"all {self._most} threads", "threads", lambda other: True)
        elif each is not None and turns.held.get(caller, 0) >= each:
            text = f"all {each} threads that one caller{where} may use"
            limit = HeldLimit(text, "threads_per_caller", lambda other: other == caller)
        else:
            who = f"anonymous callers{where} may now use together" if where else "one caller may now use"
            text = f"all {turns.held.get(group, 0)} of {self._most} threads that {who}"
            limit = HeldLimit(text, "threads", lambda other: group_of(other) == group)
        return limit if self._has_options else limit._replace(option=None)

    # With the lock --------------------------------------------------------------------------------

    def _set_slot(self, job: Job, has_slot: bool) -> None:
        job.has_slot = has_slot
        self._turns.add(job.caller, 1 if has_slot else -1)

    def _wake(self, job: Job) -> bool:
        """Give a job to an idle thread or a new one; False if no thread can start now, so that it waits for one."""
        if self._idle:
            inbox = self._idle.pop()
        else:
            inbox = SimpleQueue()
            name = f"plainmcp-{self._turns.count + 1}"
            try:
                threading.Thread(target=self._serve, args=(inbox,), name=name, daemon=True).start()
            except RuntimeError:
                if not self._turns.count and not self.released:  # none that could end
                    raise
                return False
        self._set_slot(job, True)
        self._waking += 1
        inbox.put(job)
        return True

    def _wake_for_waiting(self) -> None:
        """Wake threads for jobs that wait and may run, once all that were woken before have begun."""
        if self._turns.waiting and not self._waking:
            while self._waking < MAX_WAKING and (job := self._turns.find_next()) is not None and self._wake(job):
                self._turns.end_turn(job)

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
                job = inbox.get(timeout=self._idle_seconds)
            except Empty:
                with self._lock:
                    if inbox in self._idle:  # no work for a while
                        self._idle.remove(inbox)
                        return None
            else:
                if job is not None:
                    with self._lock:
                        self._waking -= 1
                        self._wake_for_waiting()
                return job

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
                self._set_slot(job, False)
            else:
                self.released -= 1
            following = self._turns.find_next() if self._turns.waiting else None
            if following is not None:
                self._set_slot(following, True)
                self._turns.end_turn(following)
            is_idle = (
                following is None and self._turns.count + len(self._idle) < self._most and self._idle_seconds > 0
            )
            if is_idle:
                self._idle.append(inbox)
            self._wake_for_waiting()
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
    files = Threads(FILE_THREADS)
    return Threads(server.threads, most_each=each, most_released=released, files=files, has_options=True)


def _enter_child() -> None:
    """Reset all threads in a child process, which does not have them."""
    for threads in _all:
        threads.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)
