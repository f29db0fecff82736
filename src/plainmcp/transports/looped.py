"""Runs what an exchange asks, in an event loop; and lends one, in a thread of its own, to those who have none."""

import asyncio
import threading
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from ..errors import ToolError
from ..methods.answering import Steps
from ..questions import InputRequired
from ..steps import Run, Stay
from .calling import Pending, Staying, called, cannot_stay

__all__ = ["answered", "run", "wait_for"]


async def run(steps: Steps, staying: Staying | None = None) -> bytes | None:
    """Drive an exchange to its end in this loop; plain functions run in a thread, unless they are inline."""
    try:
        step = next(steps)
        while True:
            if type(step) is Stay and staying is not None:
                return staying(step, steps)
            try:
                value = await _perform(step)
            except (Exception, InputRequired) as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        answer: bytes | None = end.value
        return answer


async def _perform(step: Any) -> Any:
    if type(step) is not Run:
        raise cannot_stay()
    if step.inline and not step.is_async:
        return called(step)
    return await _awaited(step)


async def _awaited(step: Run) -> Any:
    """Run a step's function for as long as it may take."""
    work = step.function(**step.kwargs) if step.is_async else asyncio.to_thread(called, step)
    try:
        return await (work if step.timeout is None else asyncio.wait_for(work, step.timeout))
    except TimeoutError:
        if step.timeout is None:
            raise
        raise ToolError(f"This took longer than {step.timeout:g} seconds and was given up.") from None
    except SystemExit as error:
        raise RuntimeError("the function tried to exit the process") from error


async def answered(question: Pending, seconds: float) -> Any:
    """The answer to a question, once it is there; raises PeerError."""
    loop, settled = asyncio.get_running_loop(), asyncio.Event()
    question.tell(lambda: loop.call_soon_threadsafe(settled.set) and None)
    with suppress(TimeoutError):
        await asyncio.wait_for(settled.wait(), seconds)
    return question.wait(0)


# A loop for those who have none --------------------------------------------------------------------

_loop: asyncio.AbstractEventLoop | None = None
_lock = threading.Lock()


def _private_loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own, started when first needed and kept."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="plainmcp-loop", daemon=True).start()
        return _loop


def wait_for(step: Run) -> Any:
    """Run a step on the private loop, with this thread's context variables, and wait for it."""
    done = threading.Event()
    outcome: list[Any] = [None, None]

    async def work() -> None:
        try:
            outcome[0] = await _awaited(step)
        except BaseException as error:
            outcome[1] = error
        finally:
            done.set()

    loop, context = _private_loop(), copy_context()
    loop.call_soon_threadsafe(lambda: loop.create_task(work(), context=context))
    done.wait()
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
