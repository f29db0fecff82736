"""Calls the user's functions: the one place that does, for both runners. Knows no event loop and no thread."""

import os
from collections.abc import Callable
from typing import Any

from ..errors import InvalidRequest
from ..interrupts import raise_interrupt
from ..protocol.exchange import Exchange, Listen, Run
from ..protocol.request import Cancelled
from ..questions import InputRequired

__all__ = ["PASSED_ON", "Listener", "Process", "cannot_listen", "contain", "end_child", "invoke"]

PASSED_ON = (Exception, InputRequired, Cancelled)
"""What a function may raise as it is; everything else would reach further than its call, and is contained."""

Listener = Callable[[Listen, Exchange], None]
"""Takes over an exchange that stays open; it is ended by bringing back a value."""


def cannot_listen() -> InvalidRequest:
    """The error for a listen request where nothing can be sent after the response."""
    return InvalidRequest("subscriptions/listen needs a connection that stays open")


class Process:
    """Which process this is: `current` is another object in each child."""

    current = object()


def end_child() -> None:
    """End this process silently: it is a child of the one in which a call began, made by the user's function.

    A function that forks may return in the child too, and only its parent answers.
    """
    os._exit(0)


def invoke(step: Run) -> Any:
    """Call the function of a step; it may end its own call, never the server."""
    process = Process.current
    try:
        return step.feature.function(**step.kwargs)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contain(error) from error
    finally:
        if process is not Process.current:
            end_child()


def contain(error: BaseException) -> BaseException:
    """An exception that would reach further than the call it comes from, as one that does not; raises Ctrl-C."""
    if isinstance(error, (Exception, InputRequired)):
        return error
    raise_interrupt(error)
    deed = "tried to exit the process" if isinstance(error, SystemExit) else f"raised {type(error).__name__}"
    problem = RuntimeError(f"the function {deed}")
    problem.__cause__ = error  # the log says where
    return problem


def _enter_child() -> None:
    Process.current = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)
