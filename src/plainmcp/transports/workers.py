"""Several processes that do the same work: they are forked, replaced when one ends by itself, and ended together.

Knows processes and signals, but not the work.
"""

import logging
import mmap
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from ..errors import AuthorError
from .shutdown import check_grace

__all__ = ["run_workers"]

SOON = 1.0
"""A worker that ends within this number of seconds is replaced after the same number of seconds."""
SPARE = 0.5
"""How many seconds after their grace period workers are killed."""

_ENDING = (signal.SIGTERM, signal.SIGINT)
_log = logging.getLogger("plainmcp")

Work = Callable[[Callable[[], None]], None]
"""The work of each process; it calls its argument when it starts to serve."""


def run_workers(count: int, work: Work, grace: float) -> None:
    """Do the work in `count` processes until a signal ends them; raises AuthorError if the work cannot start."""
    Workers(count, work, check_grace(grace)).run()


class Workers:
    """The worker processes, and the parent process that starts and ends them."""

    def __init__(self, count: int, work: Work, grace: float) -> None:
        self._work = work
        self._grace = grace
        self._children: dict[int, float] = {}  # process ids, with the time of the start
        self._starts = [0.0] * count  # the times at which workers are to be started
        self._kill_at: float | None = None  # set when all are to end
        self._problem: str | None = None
        self._served = mmap.mmap(-1, 1)  # shared by all: whether one of them has served
        self._alive, self._line = os.pipe()  # closed when the parent ends in any way, so that workers end too

    def run(self) -> None:
        """Start the workers, replace those that end by themselves, and return when all have ended."""
        try:
            with _receive_signals(*_ENDING, signal.SIGCHLD) as wait:
                while self._starts or self._children:
                    self._start_due()
                    if not wait(self._find_timeout()).isdisjoint(_ENDING):
                        self._end()
                    self._kill_late()
                    self._reap()
        finally:
            os.close(self._alive)
            os.close(self._line)
        if self._problem is not None:
            raise AuthorError(self._problem)

    def _find_timeout(self) -> float | None:
        """The seconds until something has to be done without a signal; None if there is nothing."""
        moments = [*self._starts, *([] if self._kill_at is None else [self._kill_at])]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _start_due(self) -> None:
        """Start one of the workers that are due: a signal is noticed before the next one."""
        now = time.monotonic()
        if not self._starts or min(self._starts) > now:
            return
        self._starts.remove(min(self._starts))
        try:
            with _block_signals():  # until the child has its own handlers
                child = os.fork()
                if not child:
                    self._serve()
        except OSError as error:
            _log.warning("a worker could not be started, which is tried again: %s", error.strerror)
            self._starts.append(now + SOON)
        else:
            self._children[child] = now

    def _reap(self) -> None:
        """Take the exit codes of workers that have ended, and replace them unless all are to end."""
        for child, started in list(self._children.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del self._children[child]
                if self._kill_at is None:
                    self._replace(child, os.waitstatus_to_exitcode(status), started)

    def _replace(self, child: int, code: int, started: float) -> None:
        if code > 0 and not self._served[0]:
            self._problem = f"a worker ended with code {code} before it served anything; what it logged says why"
            self._end()
            return
        _log.warning("worker %d %s; another one takes its place", child, _describe_exit(code))
        now = time.monotonic()
        self._starts.append(now if now - started >= SOON else now + SOON)  # the next one may fail in the same way

    def _end(self) -> None:
        """End all workers, each within its grace period."""
        self._starts.clear()
        if self._kill_at is None:
            self._kill_at = time.monotonic() + self._grace + SPARE
        self._send(signal.SIGTERM)

    def _kill_late(self) -> None:
        if self._kill_at is not None and time.monotonic() >= self._kill_at:
            self._kill_at = time.monotonic() + SPARE
            self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        for child in self._children:
            os.kill(child, number)  # it exists at least until its exit code is taken

    # In a worker ----------------------------------------------------------------------------------

    def _serve(self) -> NoReturn:
        code = 1
        try:
            os.close(self._line)
            signal.set_wakeup_fd(-1)  # this is the parent's
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # before it serves, nothing needs a shutdown
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            with suppress(KeyboardInterrupt):
                self._work(self._report_served)
            code = 0
        except SystemExit:  # the reason is printed already
            pass
        except BaseException:
            _log.exception("a worker failed")
        finally:
            os._exit(code)

    def _report_served(self) -> None:
        self._served[0] = 1

    def _end_with_parent(self) -> None:
        os.read(self._alive, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(self._grace + SPARE)
        os._exit(0)  # it is stuck, and there is no parent to kill it


@contextmanager
def _receive_signals(*numbers: int) -> Generator[Callable[[float | None], set[int]], None, None]:
    """Receive signals by a function that waits for some, at most some seconds, and returns them.

    They are bytes in a pipe: a signal right before the wait is not overlooked, as it would be by a handler of Python.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    poll = select.poll()
    poll.register(reading, select.POLLIN)

    def wait(seconds: float | None) -> set[int]:
        return set(os.read(reading, 4096)) if poll.poll(None if seconds is None else 1000 * seconds) else set()

    former_fd = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    former = {number: signal.signal(number, _take_signal) for number in numbers}
    former_mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)  # the program that started this may block some
    try:
        yield wait
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former_mask)
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_fd)
        os.close(reading)
        os.close(writing)


def _take_signal(number: int, frame: Any) -> None:
    """Do nothing: the number is in the pipe."""


@contextmanager
def _block_signals() -> Generator[None, None, None]:
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
