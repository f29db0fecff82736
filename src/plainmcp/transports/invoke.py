"""The only place that calls the user's functions, for both runners. Knows no event loop and no thread."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from ..errors import InvalidRequest, ProtocolError
from ..protocol.exchange import Around, Exchange, Listen, Run
from ..protocol.interrupts import name_of, raise_interrupt
from ..protocol.request import Cancelled
from ..questions import InputRequired

__all__ = [
    "PASSED_ON",
    "PROCESS",
    "Listener",
    "cannot_listen",
    "contain",
    "end_child",
    "invoke",
    "keep_open",
    "with_call_next",
]

PASSED_ON = (Exception, InputRequired, Cancelled)
"""Exceptions that a function may raise as they are. All others could end more than its call, and are contained."""

Listener = Callable[[Listen, Exchange], ProtocolError | None]
"""Takes over an exchange that stays open, and ends it by passing back a value; or returns the error if it cannot."""


def cannot_listen() -> InvalidRequest:
    """The error for a listen request on a connection that cannot stay open."""
    return InvalidRequest("subscriptions/listen needs a connection that stays open")


def keep_open(step: Listen, exchange: Exchange, listen: Listener | None) -> bool:
    """Let an exchange stay open; returns False if it cannot, and goes on with the error."""
    error = cannot_listen() if listen is None else listen(step, exchange)
    if error is not None:
        exchange.throw(error)
    return error is None


class _Process:
    def __init__(self) -> None:
        self.current = object()


PROCESS = _Process()
"""The identity of this process: its attribute `current` is another object in each child process."""


def end_child() -> None:
    """End this process silently: it is a child process that a user's function forked.

    The function may return in the child too, but only the parent answers.
    """
    os._exit(0)


def invoke(step: Run) -> Any:
    """Call the function of a step. Its exceptions can end its own call, but never the server."""
    process = PROCESS.current
    try:
        return step.feature.function(**step.kwargs)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contain(error) from error
    finally:
        if process is not PROCESS.current:
            end_child()


def with_call_next(step: Around, call_next: Callable[[Any], Any]) -> Run:
    """The step that calls a middleware function with its request and `call_next`."""
    feature = replace(step.feature, function=partial(step.feature.function, step.request, call_next))
    return Run(feature, {}, step.finish, step.link)


def contain(error: BaseException) -> BaseException:
    """An exception, or a RuntimeError in the place of one that would end more than its call; raises Ctrl-C."""
    kind = type(error)
    if issubclass(kind, (Exception, InputRequired)):
        return error
    raise_interrupt(error)
    action = "tried to exit the process" if issubclass(kind, SystemExit) else f"raised {name_of(kind)}"
    problem = RuntimeError(f"the function {action}")
    problem.__cause__ = error  # so that the log shows where
    return problem


def _enter_child() -> None:
    PROCESS.current = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)
