"""Middleware that many servers need, ready to use: a log line for each request, and a limit on requests per caller.

Each is a generator function, so that it costs neither a thread nor a task: it must not block.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from threading import Lock
from typing import Any

from .errors import AuthorError, ToolError
from .limits.shares import caller_of
from .protocol.interrupts import name_of
from .protocol.middleware import MiddlewareRequest

__all__ = ["MiddlewareRequest", "limit_rate", "log_requests"]

Observer = Callable[[MiddlewareRequest], Generator[None, None, None]]

MAX_CALLERS = 10_000
"""How many callers a rate limit remembers; those that were quiet for the longest time are forgotten."""


def log_requests(logger: logging.Logger | None = None, *, level: int = logging.INFO) -> Observer:
    """Middleware that logs each request: its method, its name, the client, how long it took, and how it ended.

    Neither arguments nor results are logged.
    """
    log = logger or logging.getLogger("plainmcp.requests")

    def observe(request: MiddlewareRequest) -> Generator[None, None, None]:
        if not log.isEnabledFor(level):
            yield
            return
        name, client, outcome = request.name, request.client.get("name"), "ok"
        start = time.perf_counter()
        try:
            yield
        except BaseException as error:
            outcome = name_of(type(error))
            raise
        finally:
            took = (time.perf_counter() - start) * 1000
            what = request.method if name is None else f"{request.method} {name[:200]!r}"
            log.log(level, "%s from %.100r: %s in %.1f ms", what, client, outcome, took)

    return observe


def limit_rate(
    per_second: float,
    *,
    burst: int | None = None,
    key: Callable[[MiddlewareRequest], Any] | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Observer:
    """Middleware that refuses requests of a caller who sends too many: a burst, then so many per second.

    `key` returns who is counted together: by default the principal, without one the session, without both all
    callers. The refusal tells how long to wait.
    """
    if not per_second > 0:
        raise AuthorError(f"limit_rate takes a number of requests per second above 0, not {per_second!r}")
    size = float(burst if burst is not None else max(1.0, per_second))
    key_of = key or _caller_of
    credits: OrderedDict[Any, tuple[float, float]] = OrderedDict()  # by caller: the credit, and when it was counted
    lock = Lock()

    def wait_time(caller: Any) -> float:
        """Count a request; returns for how many seconds the caller has to wait, or 0."""
        with lock:
            moment = now()
            credit, since = credits.get(caller, (size, moment))
            credit = min(size, credit + (moment - since) * per_second)
            is_allowed = credit >= 1
            credits[caller] = (credit - 1 if is_allowed else credit, moment)
            credits.move_to_end(caller)
            if len(credits) > MAX_CALLERS:
                credits.popitem(last=False)
            return 0.0 if is_allowed else (1 - credit) / per_second

    def observe(request: MiddlewareRequest) -> Generator[None, None, None]:
        seconds = wait_time(key_of(request))
        if seconds:
            raise ToolError(f"Too many requests: wait {seconds:.1f} seconds and try again.")
        yield

    return observe


def _caller_of(request: MiddlewareRequest) -> Any:
    return caller_of(request.principal, request.session_id, None)
