"""Runs what an exchange asks, in this thread: with looped, the only room that runs user code.

Knows steps, not methods: it brings back a value or an exception, and the exchange decides what that means.
"""

from types import CoroutineType, GeneratorType
from typing import Any

from ..methods.answering import Steps
from ..questions import InputRequired
from ..steps import Cancelled, Run, Stay
from .calling import Staying, cannot_stay, contained

__all__ = ["resume", "run"]


def run(answer: bytes | Steps | None, staying: Staying | None = None) -> bytes | None:
    """An answer, or what is left when the steps to it are driven to their end."""
    if not isinstance(answer, GeneratorType):
        return answer  # type: ignore[return-value]
    try:
        return resume(answer, next(answer), staying)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def resume(steps: Steps, step: Any, staying: Staying | None = None) -> bytes | None:
    """The same for an exchange that has come as far as a step."""
    try:
        while True:
            if staying is not None and type(step) is Stay:
                return staying(step, steps)
            try:
                # A plain function is called right here: in a small call every frame counts.
                plain = type(step) is Run and not step.is_async and step.timeout is None
                value = step.function(**step.kwargs) if plain else _perform(step)
                if type(value) is CoroutineType:  # a plain wrapper around an async function
                    value = _perform(Run(_awaited, {"value": value}, True))
            except (Exception, InputRequired, Cancelled) as error:
                step = steps.throw(error)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a function may end its call, never the server
                step = steps.throw(contained(error))
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    except Cancelled:
        return None


async def _awaited(value: Any) -> Any:
    return await value


def _perform(step: Any) -> Any:
    if type(step) is not Run:
        raise cannot_stay()
    from . import looped  # an event loop is loaded for those who need one

    return looped.wait_for(step)
