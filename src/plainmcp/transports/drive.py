"""Runs what an exchange asks, in this thread: with looped, the only room that runs user code.

Knows steps, not methods: it brings back a value or an exception, and the exchange decides what that means.
"""

from typing import Any

from ..methods.answering import Steps
from ..questions import InputRequired
from ..steps import Run, Stay
from .calling import Staying, called, cannot_stay

__all__ = ["run"]


def run(steps: Steps, staying: Staying | None = None) -> bytes | None:
    """Drive an exchange to its end."""
    try:
        step = next(steps)
        while True:
            if type(step) is Stay and staying is not None:
                return staying(step, steps)
            try:
                value = _perform(step)
            except (Exception, InputRequired) as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        answer: bytes | None = end.value
        return answer


def _perform(step: Any) -> Any:
    if type(step) is not Run:
        raise cannot_stay()
    if step.is_async or step.timeout is not None:
        from . import looped  # an event loop is loaded for those who need one

        return looped.wait_for(step)
    return called(step)
