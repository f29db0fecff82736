"""The shutdown of a server: its grace period, and who waits for whom.

Knows the clock and the process, neither HTTP nor messages.
"""

# The theory of ending
#
# A server is asked to end by a signal, by the end of its input, or by the program around it. Then its grace period
# begins. What has nothing to do ends at once. The rest is waited for, and what is still there at its limit is left:
#
#   what                                             who waits            how long
#   -----------------------------------------------  -------------------  -------------------------------------------
#   1. streams that are open for later messages      nobody               they end at once
#   2. calls, which may still answer                 the transport        until LAST seconds before the end of the
#                                                                         period; then an error answers them
#   3. clients that do not read their response       the transport        a moment longer
#   4. the end of the lifespan                       the transport        to the end of the period
#   5. the program behind `server.run()`             nobody               as long as it likes
#   6. jobs of executors (concurrent.futures)        the exit of Python   to the end of the period
#   7. other threads that are not daemons            the exit of Python   a moment
#   8. functions of atexit, and buffers              the exit of Python   to the end of the period
#
# Nothing is interrupted before its limit: a response that comes in time is sent. Plain functions run in daemon
# threads, so that nobody waits for one that was given up.
#
# A job has an end, so it is waited for. Of another thread (7) nobody knows whether it ends: most of them wait for
# work that does not come any more. Code whose work has to be finished joins its thread in the end of the lifespan
# (4). Where the process belongs to a larger program, as in `run_async` and under another HTTP server, these threads
# have the whole period, too. Threads that the program starts behind `server.run()` are no business of the server:
# Python waits for them.
#
# A second Ctrl-C ends the period: LAST seconds are left, and calls are given up now.
#
# 1 to 4 happen in the transports. A Deadline watches the clock in a thread of its own, because the thread that serves
# may be held by a function that never ends. It ends the process by force right before the end of the period, after
# functions of atexit and buffers. It stops when the server has ended, and 6 to 8 have another one, in process_end:
# Python goes on with its own exit, so that the exit code is the program's.

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import AuthorError, InternalError
from .deadline import LAST, Deadline
from .process_end import end_process, run_exit_functions

__all__ = ["GRACE", "MAX_GRACE", "SHUTTING_DOWN", "STDIO_GRACE", "check_grace", "make_deadline"]

GRACE = 10.0
"""The default number of seconds for the shutdown of a server over HTTP."""
STDIO_GRACE = 2.0
"""The same on standard input and output: clients kill the process after about two seconds."""
MAX_GRACE = 24 * 60 * 60
"""The longest grace period, in seconds."""
SHUTTING_DOWN = InternalError("the server is shutting down, and gave up this request")
"""The error for a request that still runs when the server ends."""

_log = logging.getLogger("plainmcp")


def check_grace(grace: Any) -> float:
    """The number of seconds for a shutdown, at least LAST; raises AuthorError."""
    if not isinstance(grace, (int, float)) or isinstance(grace, bool) or not 0 <= grace <= MAX_GRACE:
        raise AuthorError(f"grace is a number of seconds from 0 to {MAX_GRACE}, not {grace!r}")
    return max(grace, LAST)


def make_deadline(grace: float, *, owns_process: bool, has_ended: Callable[[], bool] = lambda: False) -> Deadline:
    """The deadline of a server; with `owns_process`, a process in which it still runs then is ended.

    `has_ended` says whether it has ended without stopping the clock. Raises AuthorError.
    """
    seconds = check_grace(grace)
    return Deadline(seconds, force=partial(_end_by_force, seconds, has_ended) if owns_process else None)


def _end_by_force(seconds: float, has_ended: Callable[[], bool]) -> None:
    text = "something still runs %g seconds after the server was asked to end: the process ends now"
    if not has_ended():
        end_process(partial(_log.error, text, seconds), run_exit_functions)
