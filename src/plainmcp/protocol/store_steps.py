"""Steps that ask the store before or after an exchange. The drivers take them, so that nothing is blocked."""

import logging
from collections.abc import Callable
from time import monotonic

from ..errors import InternalError, ToolError
from ..store.interface import StoreError
from .conversation import ENDS, Steps, keep
from .exchange import Evaluation, Exchange, Run
from .features import Feature
from .files import reads_file

__all__ = [
    "UNAVAILABLE",
    "StoreExchange",
    "Work",
    "ask_store",
    "ask_store_first",
    "deadline",
    "do_nothing",
    "step_for",
    "steps_of",
]

UNAVAILABLE = "the shared store of this server is not available at the moment; try again"
"""What clients are sent when the store fails; the log says why."""
SECONDS = 0.8
"""How long a request waits for the store, so that it is answered within a second."""
LATE = 0.5
"""How many seconds work may wait for a thread: when many ask a slow store, most are told so instead of waiting."""

_log = logging.getLogger("plainmcp")

Work = Callable[[], InternalError | None]
"""Asks the store; may return an error for the client."""


class StoreExchange(Evaluation, kw_only=True):
    """An exchange by the generator of its steps, whose value is the response."""

    def end(self) -> None:
        """Set the response."""
        self.response = self.result()


def deadline() -> float:
    """Until when a request that comes now waits for the store, on the clock of this process."""
    return monotonic() + SECONDS


def do_nothing() -> None:
    """Do nothing else after a failure."""


def ask_store(work: Work, fail: Callable[[], object] = do_nothing, until: float | None = None) -> Steps:
    """Ask the store; returns the error for the client, or None.

    If the store fails, or the work would begin too late, `fail` is called, too. What takes longer than `until`, in
    seconds of the clock of this process, is not waited for.
    """
    try:
        return (yield step_for(work, fail, until or deadline()))
    except ToolError:  # it takes too long, and goes on in its thread
        return InternalError(UNAVAILABLE)


def step_for(work: Work, fail: Callable[[], object], until: float) -> Run:
    """A step that asks the store, in the threads for files: functions of the user cannot keep it waiting."""
    latest = monotonic() + LATE

    @reads_file
    def run() -> InternalError | None:
        try:
            if monotonic() <= latest:
                return work()
        except StoreError:
            pass
        except Exception:
            _log.exception("asking the store failed")
        fail()
        return InternalError(UNAVAILABLE)

    timeout = max(0.01, until - monotonic())
    return Run(Feature(function=run, is_async=False, timeout=timeout), {}, keep, None)


def ask_store_first(work: Work, exchange: Exchange) -> Steps:
    """Ask the store before an exchange goes on, which it does after a failure, too."""
    try:
        yield from ask_store(work)
    except ENDS as error:  # the request was cancelled, or the server ends
        if exchange.step is not None:
            exchange.throw(error)


def steps_of(exchange: Exchange) -> Steps:
    """The steps of an exchange; returns its response."""
    while (step := exchange.step) is not None:
        try:
            value = yield step
        except ENDS as error:
            exchange.throw(error)
        else:
            exchange.send(value)
    return exchange.response
