"""The end of the process: by force, or when Python exits and threads of the program would keep it.

Knows threads and the interpreter's exit, but no server. shutdown.py says what ends when.
"""

import atexit
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from types import FrameType
from typing import Any, NoReturn
from weakref import WeakSet

from .deadline import FORCE, LAST, Deadline

__all__ = ["end_process", "flush_output", "limit_exit", "run_exit_functions"]

MOMENT = 0.3
"""How many seconds threads of the program may go on after the main thread, if the process is there for the server."""

_log = logging.getLogger("plainmcp")
_PROCESS = os.getpid()
_IS_TOO_LATE_AT_EXIT = (3, 12) <= sys.version_info < (3, 12, 2)  # these start no thread when Python exits


def end_process(*functions: Callable[[], object]) -> NoReturn:
    """End the process now, with code 0, after some last functions and the output that is still in a buffer.

    They run in another thread, because each of them may wait for something that never comes.
    """
    try:
        thread = threading.Thread(target=_run_last, args=functions, name="plainmcp-last", daemon=True)
        thread.start()
        thread.join(FORCE / 2)
    finally:
        os._exit(0)


def _run_last(*functions: Callable[[], object]) -> None:
    for function in (*functions, flush_output):
        with suppress(BaseException):
            function()


def flush_output() -> None:
    """Write what is still in the buffers of standard output and error."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def run_exit_functions() -> None:
    """Call what is registered with atexit; in a process that was forked, it is the parent's, and is not called."""
    if os.getpid() == _PROCESS:
        atexit._run_exitfuncs()


# Python's exit ------------------------------------------------------------------------------------


def limit_exit(deadline: Deadline, *, owns_process: bool = True) -> None:
    """Let the process end by a deadline once its main thread has finished, whatever threads there are now.

    If the process is there for the server (`owns_process`), they have only a moment. Without effect in another thread
    than the main thread: there the process belongs to the program around the server.
    """
    global _exit
    if threading.current_thread() is not threading.main_thread():
        return
    former, _exit = _exit, _Exit(deadline, owns_process)
    if former is not None:
        former.cancel()
    with suppress(AttributeError, RuntimeError):  # RuntimeError: Python exits already
        threading._register_atexit(_end_threads)  # type: ignore[attr-defined]


_exit: "_Exit | None" = None  # what the last server of this process has left behind


def _end_threads() -> None:
    """Called by Python when the main thread has finished, before it waits for other threads.

    The function that is registered last is called first. So it comes before the one of concurrent.futures, which
    waits for the jobs of all executors.
    """
    global _exit
    exit, _exit = _exit, None
    if exit is not None and exit.process == os.getpid():
        exit.end_threads()


class _Leave(BaseException):
    """Python does not wait for threads any longer, and goes on with its exit."""


class _Exit:
    """The exit of Python after a server has ended."""

    def __init__(self, deadline: Deadline, owns_process: bool) -> None:
        self.process = os.getpid()
        self._server = deadline
        self._owns_process = owns_process
        self._old = WeakSet(threading.enumerate())
        self._deadline = Deadline(deadline.seconds, force=partial(os._exit, 0))
        self._begins: SimpleQueue[bool] = SimpleQueue()
        self._jobs = threading.Thread(target=self._end_jobs, name="plainmcp-exit", daemon=True)
        if _IS_TOO_LATE_AT_EXIT:
            self._start_threads()

    def _start_threads(self) -> None:
        self._deadline.prepare()
        self._jobs.start()

    def cancel(self) -> None:
        """End the threads: another server was served after this one."""
        self._deadline.cancel()
        self._begins.put(False)

    def end_threads(self) -> None:
        """Wait for the threads of the program, each as long as it may go on, and leave those that are left."""
        if not _IS_TOO_LATE_AT_EXIT:
            self._start_threads()
        self._begins.put(True)
        for thread in _living_threads():
            if thread not in self._old:  # the program has started it after the server: Python's own rule holds
                thread.join()
        self._start_clock()
        flush_output()
        self._wait()
        left = [thread.name for thread in _living_threads()]
        if self._jobs.is_alive():
            _log.warning("the process ends, although the jobs of an executor still run")
            _leave()
        elif left:
            _log.info("the process ends, although threads of the program still run: %s", ", ".join(sorted(left)))
            _leave()

    def _wait(self) -> None:
        """Wait for threads as long as they may keep the process."""
        start = time.monotonic()
        while (has_jobs := self._jobs.is_alive()) or _living_threads():
            seconds = time.monotonic() - start
            is_over = not self._deadline.seconds_until(LAST) and seconds > FORCE  # so that an idle executor can end
            if is_over or (self._owns_process and not has_jobs and seconds > MOMENT):
                return
            time.sleep(0.01)

    def _start_clock(self) -> None:
        """From here on nothing keeps the process, functions of atexit neither.

        A program that went on for longer than its server had has the same number of seconds again.
        """
        rest = self._server.seconds_until()
        if 0 < rest < self._server.seconds:
            self._deadline.seconds = rest + FORCE / 2  # functions of atexit have a part of the last moment
        self._deadline.start()
        with suppress(ValueError):  # in an interpreter that is not the main one
            if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                signal.signal(signal.SIGINT, lambda number, frame: self._deadline.hurry())

    def _end_jobs(self) -> None:
        """Do what Python does before it waits for threads: there the jobs of executors come to their end."""
        functions: list[Callable[[], object]] = getattr(threading, "_threading_atexits", [])
        if self._begins.get():
            later, functions[:] = functions[:], []
            for function in reversed(later):
                with suppress(Exception):
                    function()


def _living_threads() -> list[threading.Thread]:
    """The threads that Python waits for."""
    return [one for one in threading.enumerate() if not one.daemon and one is not threading.main_thread()]


def _leave() -> None:
    """Let Python go on with its exit without waiting for threads: functions of atexit, buffers, the exit code."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not threading._shutdown.__code__:  # type: ignore[attr-defined]
        frame = frame.f_back
    if frame is None or frame.f_back is not None:  # not the exit of the interpreter: multiprocessing calls it, too
        end_process(run_exit_functions)
    former = sys.unraisablehook

    def pass_on(problem: Any) -> None:
        if problem.exc_type is not _Leave:
            former(problem)

    sys.unraisablehook = pass_on
    raise _Leave
