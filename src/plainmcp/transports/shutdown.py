"""The shutdown of a server: its grace period, and the end of the process when something does not stop.

Knows the clock and the process, neither HTTP nor messages.
"""

import logging
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from ..errors import AuthorError, InternalError

__all__ = ["GRACE", "LAST", "MAX_GRACE", "SHUTTING_DOWN", "Deadline", "check_grace", "end_with_main_thread"]

GRACE = 2.0
"""The default number of seconds for a shutdown."""
LAST = 0.6
"""How many of these seconds are for cancelling what still runs, sending errors and closing connections."""
MAX_GRACE = 24 * 60 * 60
"""The longest grace period, in seconds."""
MAX_WAITS = 6
"""How often in a row the main thread may be waiting for other threads at exit, before the process is ended."""
SHUTTING_DOWN = InternalError("the server is shutting down, and gave up this request")
"""The error for a request that still runs when the server ends."""

_log = logging.getLogger("plainmcp")


def check_grace(grace: Any) -> float:
    """The number of seconds for a shutdown, at least LAST; raises AuthorError."""
    if not isinstance(grace, (int, float)) or isinstance(grace, bool) or not 0 <= grace <= MAX_GRACE:
        raise AuthorError(f"grace is a number of seconds from 0 to {MAX_GRACE}, not {grace!r}")
    return max(grace, LAST)


class Deadline:
    """The time limit of a shutdown: a process that still runs after it is ended at once.

    Some code cannot be stopped otherwise: a function in the event loop that never waits, or a task that ignores its
    cancellation.
    """

    def __init__(self, grace: float, *, ends_process: bool = True) -> None:
        self._seconds = check_grace(grace)
        self._ends_process = ends_process  # False where the process belongs to the program around the server
        self._timer: threading.Timer | None = None
        self._end = 0.0

    def start(self) -> None:
        """Start the timer, unless it runs already; may be called in a signal handler."""
        if self._timer is None:
            self._end = time.monotonic() + self._seconds
            self._timer = threading.Timer(self._seconds, self._end_process if self._ends_process else _do_nothing)
            self._timer.daemon = True
            self._timer.start()

    def seconds_until(self, before: float) -> float:
        """The seconds until a moment that lies some seconds before the deadline."""
        return max(0.0, self._end - before - time.monotonic())

    def cancel(self) -> None:
        """Stop the timer: the server has ended, and the process may go on."""
        if self._timer is not None:
            self._timer.cancel()

    def _end_process(self) -> None:
        _log.error(
            "something still runs %g seconds after the server was asked to end: the process ends now", self._seconds
        )
        os._exit(0)


def _do_nothing() -> None:
    """Let a deadline pass."""


def end_with_main_thread() -> None:
    """Do not let other threads keep the process alive after the main thread has finished.

    A function that was given up may have started threads, and Python waits for them at exit. If the server runs in
    another thread than the main thread, this does nothing: the process belongs to the program around it.
    """
    if threading.current_thread() is threading.main_thread():
        threading.Thread(target=_end_once_stuck, name="plainmcp-end", daemon=True).start()


def _end_once_stuck() -> None:
    waits = 0
    while waits < MAX_WAITS:
        time.sleep(0.05)
        waits = waits + 1 if _is_exiting() else 0
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)


def _is_exiting() -> bool:
    """Whether the main thread has finished and only waits for other threads."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    wait: Any = getattr(threading, "_shutdown", None)  # the function in which Python waits at exit
    return frame is not None and frame.f_code is getattr(wait, "__code__", None)
