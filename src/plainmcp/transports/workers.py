"""Several processes that do the same work: they are forked, replaced when one ends by itself, and ended together.

Knows processes and signals, but not the work.
"""

import logging
import mmap
import os
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

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_log = logging.getLogger("plainmcp")

Work = Callable[[Callable[[], None]], None]
"""The work of each process; it calls its argument when it starts to serve."""


def run_workers(count: int, work: Work, grace: float) -> None:
    """Do the work in `count` processes until a signal ends them; raises AuthorError if the work cannot start."""
    Workers(count, work, check_grace(grace)).run()


class Workers:
    """The worker processes, and the parent process that starts and ends them."""

    def __init__(self, count: int, work: Work, grace: float) -> None:
        self._count = count
        self._work = work
        self._grace = grace
        self._children: dict[int, float] = {}  # process ids, with the time of the start
        self._ending = False
        self._problem: str | None = None
        self._served = mmap.mmap(-1, 1)  # shared by all: whether one of them has served
        self._alive, self._line = os.pipe()  # closed when the parent ends in any way, so that workers end too

    def run(self) -> None:
        """Start the workers, replace those that end by themselves, and return when all have ended."""
        former = {number: signal.signal(number, self._end) for number in _SIGNALS}
        try:
            for _ in range(self._count):
                self._start()
            while self._children:
                child, status = os.wait()
                started = self._children.pop(child, None)
                if started is not None and not self._ending:
                    self._replace(child, os.waitstatus_to_exitcode(status), started)
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
            os.close(self._alive)
            os.close(self._line)
        if self._problem is not None:
            raise AuthorError(self._problem)

    def _start(self) -> None:
        with _block_signals():  # so that `_end` knows every child that exists
            if self._ending:
                return
            child = os.fork()
            if not child:
                self._serve()
            self._children[child] = time.monotonic()

    def _replace(self, child: int, code: int, started: float) -> None:
        if code > 0 and not self._served[0]:
            self._problem = f"a worker ended with code {code} before it served anything; what it logged says why"
            self._end()
            return
        _log.warning("worker %d %s; another one takes its place", child, _describe_exit(code))
        if time.monotonic() - started < SOON:
            time.sleep(SOON)  # the next one may fail in the same way
        self._start()

    def _end(self, number: int = signal.SIGTERM, frame: Any = None) -> None:
        """End all workers, each within its grace period."""
        if not self._ending:
            self._ending = True
            killer = threading.Timer(self._grace + SPARE, self._send, (signal.SIGKILL,))
            killer.daemon = True
            killer.start()
        self._send(signal.SIGTERM)

    def _send(self, number: int) -> None:
        for child in list(self._children):
            with suppress(ProcessLookupError):
                os.kill(child, number)

    # In a worker ----------------------------------------------------------------------------------

    def _serve(self) -> NoReturn:
        code = 1
        try:
            os.close(self._line)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)  # before it serves, nothing needs a shutdown
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
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


@contextmanager
def _block_signals() -> Generator[None, None, None]:
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
