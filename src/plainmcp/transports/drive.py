"""Runs what an exchange asks, in this thread: with looped, the only room that runs user code.

Knows steps, not methods: it brings back a value or an exception, and the exchange decides what that means.
"""

from types import CoroutineType
from typing import Any

from ..methods.answering import Single, Steps
from ..questions import InputRequired
from ..steps import Cancelled, Run, Stay
from .calling import Staying, called, cannot_stay, contained

__all__ = ["resume", "run"]


def run(answer: bytes | Single | Steps | None, staying: Staying | None = None) -> bytes | None:
    """An answer, or what is left when the steps to it are driven to their end."""
    if type(answer) is not Single:
        return _driven(answer, staying)
    made = None
    try:  # what `_value` does for others: so short a call is nearly all frames
        elsewhere = answer.is_async or answer.timeout is not None
        value = _looped(answer) if elsewhere else answer.function(**answer.kwargs)
        made = answer.done(value if type(value) is not CoroutineType else _unwrapped(value))
    except (Exception, InputRequired) as error:
        made = answer.failed(error)
    except Cancelled:
        pass
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        made = answer.failed(contained(error))
    finally:
        wanted = answer.link is None or answer.link.over()
    return made if wanted else None  # CANC-01


def _driven(answer: Any, staying: Staying | None) -> bytes | None:
    if answer is None or isinstance(answer, bytes):
        return answer
    steps = iter(answer)
    try:
        return resume(steps, next(steps), staying)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def resume(steps: Single | Steps, step: Any, staying: Staying | None = None) -> bytes | None:
    """The same for an exchange that has come as far as a step."""
    if isinstance(steps, Single):
        return run(steps)
    stays = False
    try:
        while True:
            if staying is not None and type(step) is Stay:
                stays = True
                return staying(step, steps)
            try:
                if type(step) is Stay:
                    raise cannot_stay()
                value = _value(step)
            except (Exception, InputRequired, Cancelled) as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    except Cancelled:
        return None
    finally:
        if not stays:
            steps.close()  # whatever ends this ends the exchange too


def _value(step: Run) -> Any:
    """What a function gives."""
    value = _looped(step) if step.is_async or step.timeout is not None else called(step)
    return _unwrapped(value) if type(value) is CoroutineType else value


def _unwrapped(coroutine: Any) -> Any:
    """The same for a plain wrapper around an async function."""
    return _looped(Run(_awaited, {"value": coroutine}, True, False, None, None))


async def _awaited(value: Any) -> Any:
    return await value


def _looped(step: Run) -> Any:
    from . import looped  # an event loop is loaded for those who need one

    return looped.wait_for(step)
