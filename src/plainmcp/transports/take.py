"""Takes one step in this thread. Knows no event loop: a caller says how a step is taken in one."""

from collections.abc import Callable
from functools import partial
from types import CoroutineType
from typing import Any

from ..protocol.exchange import Around, Run
from .invoke import PASSED_ON, invoke, with_call_next

__all__ = ["TakeInLoop", "call_next", "take"]

TakeInLoop = Callable[[Run | Around, Any], Any]
"""Takes a step in an event loop, and waits for its result. The second argument is its coroutine, if it was called."""


def take(step: Run | Around, take_in_loop: TakeInLoop) -> Any:
    """The result of a step, in this thread. A function that needs an event loop, or has a time limit, gets a loop."""
    feature = step.feature
    if feature.is_async or feature.timeout is not None:
        return take_in_loop(step, None)
    if type(step) is Around:
        step = with_call_next(step, partial(call_next, step, take_in_loop))
    value = invoke(step)
    return take_in_loop(step, value) if type(value) is CoroutineType else step.finish(value)


def call_next(step: Around, take_in_loop: TakeInLoop, request: Any) -> Any:
    """Take the steps that middleware is around, in this thread; returns or raises what they end with."""
    rest = step.proceed(request)
    while (inner := rest.step) is not None:
        assert isinstance(inner, (Run, Around))  # middleware ends before a request stays open
        try:
            value = take(inner, take_in_loop)
        except PASSED_ON as error:
            rest.throw(error)
        else:
            rest.send(value)
    return rest.result()
