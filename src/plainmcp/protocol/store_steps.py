"""Steps that ask the store before or after an exchange. The drivers take them, so that nothing is blocked."""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar, final

import msgspec

from ..errors import InternalError, ProtocolError, ToolError
from ..store.interface import StoreError
from .conversation import ENDS, Steps
from .exchange import Evaluation, Exchange, Run
from .features import Feature

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
    "write_into_store",
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


@final
class StoreWrite(Exchange, kw_only=True):
    """An exchange of one step, which writes into the store; it has no response, or one that says why that failed."""

    refuse: Callable[[ProtocolError], bytes | None]

    def send(self, value: object) -> None:
        """Take what the step has returned."""
        self.step = None
        if isinstance(value, ProtocolError):
            self.response = self.refuse(value)

    def throw(self, error: BaseException) -> None:
        """It takes too long, and goes on in its thread; or the request was cancelled."""
        self.send(InternalError(UNAVAILABLE))


class _StoreWork(msgspec.Struct):
    """Asks the store, if it is not too late; as a function of a step."""

    work: Callable[[], object]
    fail: Callable[[], object]
    latest: float
    reads_file: ClassVar[bool] = True
    """It runs in the threads for files: functions of the user cannot keep it waiting."""

    def __call__(self) -> object:
        try:
            if monotonic() <= self.latest:
                return self.work()
        except StoreError:
            pass
        except Exception:
            _log.exception("asking the store failed")
        self.fail()
        return InternalError(UNAVAILABLE)

    def finish(self, value: Any) -> Any:
        """What it returned, or the error: there is no response to write."""
        return value


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


def step_for(work: Callable[[], object], fail: Callable[[], object], until: float) -> Run:
    """A step that asks the store."""
    function = _StoreWork(work, fail, monotonic() + LATE)
    return Run(
        Feature(function=function, is_async=False, timeout=max(0.01, until - monotonic())), {}, function.finish, None
    )


def write_into_store(
    work: Callable[[], object], fail: Callable[[], object], refuse: Callable[[ProtocolError], bytes | None]
) -> Exchange:
    """Write something into the store; if that fails, do something else, too, and respond with an error."""
    return StoreWrite(step=step_for(work, fail, deadline()), refuse=refuse)


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
