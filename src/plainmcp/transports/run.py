"""Runs what an exchange asks, in this thread: with looped, the only room that runs user code.

Knows steps, not methods: it brings back a value or an exception, and the exchange decides what that means. Only for
the commonest message of all, the call of a plain tool, does it know a shorter way.
"""

from types import CoroutineType
from typing import Any

from msgspec import UNSET

from .. import revisions
from ..interrupts import raise_interrupt
from ..protocol import exchange, plan
from ..protocol.features import Feature
from ..protocol.methods.shared import Steps
from ..protocol.methods.tools import Single
from ..protocol.steps import FAILURES, Cancelled, Run, Stay
from ..questions import InputRequired
from ..revisions import Revision
from ..wire.codec import encode
from ..wire.jsonrpc import read_plain
from .invoke import Process, Staying, awaited, called, cannot_stay, end_child, failed, finish

__all__ = ["handle", "resume", "run"]

_ALONE = exchange.assumed(None)  # what a message speaks that stands alone and does not say


def handle(
    server: Any, message: Any, *, revision: str | Revision | None = None, principal: Any = None
) -> bytes | None:
    """Answer one message, in bytes, text or data; no loop, no socket, no lifespan.

    `revision` says what is spoken when the message does not say so itself.
    """
    # Most messages that stand alone call a tool that takes nothing but its arguments. No rule has a say in such a
    # call but those that read and bind it and make its result: without the steps that lead to other answers it takes
    # half the time. Whatever is unusual about a message, or goes wrong before the function runs, takes these steps.
    id: Any = None
    tool: Any = None
    kwargs: dict[str, Any] | None = None
    if revision is None and type(message) is bytes:
        try:
            plain = read_plain(message)
            id, params = plain.id, plain.params
            if plain.method == "tools/call" and type(id) is int and id and params._meta is UNSET:
                tool = server.registry.tools.features[params.name]
                if tool.is_plain:
                    kwargs = tool.bind(params.arguments)
        except FAILURES as error:
            raise_interrupt(error)
            kwargs = None
    if kwargs is None:
        spoken = None if revision is None else revisions.revision_of(revision)
        return run(server.begin(message, None, None, principal, spoken))
    said, process = encode(id), Process.current
    try:
        value = tool.function(**kwargs)
        if type(value) is CoroutineType:
            value = _unwrapped(value)
        mold = tool.molds.get(_ALONE.name)  # `molds.made` would be one frame more
        answer: bytes = (
            plan.made(server, tool, _ALONE, said, value) if mold is None else mold[type(value)](said, value)
        )
        return answer
    except BaseException as error:
        return failed(Single(tool, kwargs, None, server, said, _ALONE), error)
    finally:
        end_child(process)


def run(answer: bytes | Single | Steps | None, staying: Staying | None = None) -> bytes | None:
    """An answer, or what is left when the steps to it are driven to their end."""
    if type(answer) is not Single:
        return _driven(answer, staying)
    made, process = None, Process.current
    try:  # what `_value` does for others: so short a call is nearly all frames
        feature = answer.feature
        if feature.is_quick:
            value = feature.function(**answer.kwargs)
            made = answer.finish(value if type(value) is not CoroutineType else _unwrapped(value))
        else:
            made = _looped(answer)
    except BaseException as error:
        made = failed(answer, error)
    finally:
        end_child(process)
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
    stays, process = False, Process.current
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
        end_child(process)
        if not stays:
            steps.close()  # whatever ends this ends the exchange too


def _value(step: Run) -> Any:
    """What a step brings back."""
    if not step.feature.is_quick:
        return _looped(step)
    value = called(step)
    return finish(step, _unwrapped(value) if type(value) is CoroutineType else value)


def _unwrapped(coroutine: Any) -> Any:
    """The same for a plain wrapper around an async function."""
    return _looped(Run(_AWAITED, {"value": coroutine}, None))


_AWAITED = Feature(function=awaited, is_async=True)


def _looped(step: Run) -> Any:
    from . import run_async  # an event loop is loaded for those who need one

    return run_async.wait_for(step)
