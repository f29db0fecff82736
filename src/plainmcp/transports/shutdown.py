"""The last seconds of a server that was told to end: how many it has, and the end of the process where nothing helps.

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

__all__ = ["GRACE", "LAST", "LONGEST", "SHUTTING_DOWN", "Deadline", "check_grace", "end_with_main_thread"]

GRACE = 2.0
"""Within how many seconds a server ends that is told to, unless told otherwise."""
LAST = 0.6
"""How many of them are for the end itself: what still runs is given up, told so, and cut off."""
LONGEST = 24 * 60 * 60
"""How many seconds anybody may ask for."""
STUCK = 6
"""How often the main thread is found waiting for other threads, at the end of the program, before they are left."""
SHUTTING_DOWN = InternalError("the server is shutting down, and gave up this request")
"""What a request is told that still runs when the server ends."""

_log = logging.getLogger("plainmcp")


def check_grace(grace: Any) -> float:
    """How many seconds a server has to end, never fewer than the end itself takes; raises AuthorError."""
    if not isinstance(grace, (int, float)) or isinstance(grace, bool) or not 0 <= grace <= LONGEST:
        raise AuthorError(f"grace is a number of seconds from 0 to {LONGEST}, not {grace!r}")
    return max(grace, LAST)


class Deadline:
    """When a server that was told to end has ended: a process that is still there then is ended without ceremony.

    Something may hold it up that nobody can stop: a function in the event loop that never waits, or a task that will
    not be cancelled.
    """

    def __init__(self, grace: float) -> None:
        self._seconds = check_grace(grace)
        self._timer: threading.Timer | None = None
        self._end = 0.0

    def start(self) -> None:
        """Count from now on, if that has not begun; may be called in a signal handler."""
        if self._timer is None:
            self._end = time.monotonic() + self._seconds
            self._timer = threading.Timer(self._seconds, self._end_process)
            self._timer.daemon = True
            self._timer.start()

    def seconds_until(self, before: float) -> float:
        """How long it is until so many seconds before the end."""
        return max(0.0, self._end - before - time.monotonic())

    def cancel(self) -> None:
        """The server has ended; what the process does now is its own affair."""
        if self._timer is not None:
            self._timer.cancel()

    def _end_process(self) -> None:
        _log.error(
            "something still runs %g seconds after the server was told to end: the process ends now", self._seconds
        )
        os._exit(0)


def end_with_main_thread() -> None:
    """Let no thread keep the process once its main thread has come to the end of the program.

    A function that was given up may wait for threads of its own, and Python waits for those before it exits. Where
    somebody serves beside other things, in another thread, the process is not ours to end.
    """
    if threading.current_thread() is threading.main_thread():
        threading.Thread(target=_end_once_stuck, name="plainmcp-end", daemon=True).start()


def _end_once_stuck() -> None:
    looks = 0
    while looks < STUCK:
        time.sleep(0.05)
        looks = looks + 1 if _is_exiting() else 0
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)


def _is_exiting() -> bool:
    """Whether the main thread does nothing any more but wait for other threads."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    waiting: Any = getattr(threading, "_shutdown", None)  # where Python does so
    return frame is not None and frame.f_code is getattr(waiting, "__code__", None)
