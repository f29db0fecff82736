"""Runs what an exchange asks, in an event loop; and lends one, in a thread of its own, to those who have none.

Plain functions run in threads of ours, so that they neither hold up the loop nor take the loop's own threads away.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import CoroutineType
from typing import Any, cast
from weakref import WeakKeyDictionary

from ..errors import ToolError
from ..interrupts import raise_interrupt
from ..media import is_large
from ..protocol.methods.shared import Steps
from ..protocol.methods.tools import Single
from ..protocol.steps import Cancelled, Run, Stay
from ..questions import InputRequired
from .invoke import (
    PASSED_ON,
    Pending,
    Process,
    Staying,
    awaited,
    called,
    cannot_stay,
    contained,
    end_child,
    failed,
    finish,
)
from .threads import DaemonExecutor, Threads

__all__ = [
    "Rest",
    "answered",
    "begun",
    "resume",
    "run",
    "run_loop",
    "soon",
    "start",
    "started",
    "threads_of",
    "tried",
    "wait_for",
    "waited",
]

_log = logging.getLogger("plainmcp")


async def run(
    answer: bytes | Single | Steps | None, staying: Staying | None = None, threads: Threads | None = None
) -> bytes | None:
    """An answer, or what is left when the steps to it are driven to their end in this loop."""
    if type(answer) is Single:
        return await resume(answer, answer, staying, threads)
    if answer is None or isinstance(answer, bytes):
        return answer
    steps = iter(answer)
    try:
        step = next(steps)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    return await resume(steps, step, staying, threads)


async def resume(
    steps: Single | Steps, step: Any, staying: Staying | None = None, threads: Threads | None = None
) -> bytes | None:
    """The same for an exchange that has come as far as a step."""
    if isinstance(steps, Single):
        made, rest = begun(steps, threads)
        return made if rest is None else await rest
    stays, process = False, Process.current
    try:
        while True:
            if type(step) is Stay and staying is not None:
                stays = True
                return staying(step, steps)
            try:
                value = await _perform(step, threads or _shared)
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
            steps.close()  # whoever cancels this task ends the exchange too


def begun(single: Single, threads: Threads | None = None) -> tuple[bytes | None, Awaitable[bytes | None] | None]:
    """The answer of a single function that waits for nothing; of any other, what is left to be awaited."""
    link, feature = single.link, single.feature
    if not feature.is_async or feature.timeout is not None or (link is not None and link.cancelled):
        return None, _finished(single, _perform(single, threads or _shared))
    made, rest = None, None
    try:
        made, rest = tried(single)
    finally:
        if rest is None:
            made = _over(single, made)
    return made, None if rest is None else waited(single, rest)


def tried(single: Single) -> tuple[bytes | None, Awaitable[Any] | None]:
    """The same of an async function without a time limit; what is left is then given to `waited`.

    The most common request of all goes this way: it does by itself what `_awaited` does for others.
    """
    process = Process.current
    try:
        coroutine = single.feature.function(**single.kwargs)
        if type(coroutine) is not CoroutineType:
            return None, awaited(coroutine)
        try:
            return None, Rest(coroutine, coroutine.send(None))
        except StopIteration as end:
            if is_large(end.value):
                return None, _ready(end.value)
            return single.finish(end.value), None
    except BaseException as error:
        return failed(single, error), None
    finally:
        end_child(process)


async def _ready(value: Any) -> Any:
    return value


def waited(single: Single, rest: Awaitable[Any]) -> Awaitable[bytes | None]:
    """The answer of a single function that has begun, to be awaited for as long as somebody wants it."""
    return _finished(single, _finish_in_loop(single, _wanted(single.link, rest), _shared))


async def _finished(single: Single, answer: Awaitable[bytes]) -> bytes | None:
    """The answer of a single function, once it is there."""
    made, process = None, Process.current
    try:
        made = await answer
    except (Exception, InputRequired) as error:
        made = single.failed(error)
    except Cancelled:
        pass
    finally:
        end_child(process)
        made = _over(single, made)
    return made


def _over(single: Single, made: bytes | None) -> bytes | None:
    return made if single.link is None or single.link.over() else None  # CANC-01


async def _perform(step: Any, threads: Threads) -> Any:
    if type(step) is Stay:
        raise cannot_stay()
    if step.link is not None and step.link.cancelled:
        raise Cancelled
    return await (_performed if step.feature.timeout is None else _bounded)(step, threads)


async def _performed(step: Run, threads: Threads) -> Any:
    """What a step brings back; a plain function runs in a thread, and so does what is made of its value."""
    if step.feature.is_async:
        return await _finish_in_loop(step, _awaited(step), threads)
    inline = step.feature.inline
    value = called(step) if inline else await _wanted(step.link, _threaded(partial(_complete, step), threads))
    if type(value) is CoroutineType:  # a plain wrapper around an async function
        return await _finish_in_loop(step, _wanted(step.link, value), threads)
    return await _finish_in_loop(step, _ready(value), threads) if inline else value


def _complete(step: Run) -> Any:
    value = called(step)
    return value if type(value) is CoroutineType else finish(step, value)


async def _finish_in_loop(step: Run, waiting: Awaitable[Any], threads: Threads) -> Any:
    """What a step brings back for a value that comes in this loop; a large one must not hold up the loop."""
    value = await waiting
    if is_large(value):
        return await _wanted(step.link, _threaded(partial(finish, step, value), threads))
    return finish(step, value)


async def _awaited(step: Run) -> Any:
    """The value of an async function; one that never waits for anything needs nobody to look after it."""
    coroutine = called(step)
    if type(coroutine) is not CoroutineType:
        return await _wanted(step.link, coroutine)
    try:
        value, rest = started(coroutine)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contained(error) from error
    return value if rest is None else await _wanted(step.link, rest)


async def _bounded(step: Run, threads: Threads) -> Any:
    """Run a step's function for as long as it may take; raises ToolError after that."""
    seconds = step.feature.timeout
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await _performed(step, threads)
    except TimeoutError:
        if not limit.expired():
            raise  # the function's own
        raise ToolError(f"This took longer than {seconds:g} seconds and was given up.") from None


async def _wanted(link: Any, work: Awaitable[Any]) -> Any:
    """Wait for a value for as long as somebody wants it; raises Cancelled after that."""
    loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
    before, ours = task.cancelling(), False

    def stop() -> None:
        nonlocal ours
        if going:
            ours = True
            task.cancel()

    def forget() -> None: ...

    going = True
    if link is not None:
        forget = link.on_cancel(partial(soon, loop, stop))
    try:
        return await work
    except asyncio.CancelledError as error:
        if task.cancelling() > before + ours:
            raise  # somebody ends the whole task
        if ours:
            task.uncancel()
            raise Cancelled from None
        raise contained(error) from error
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contained(error) from error
    finally:
        going = False
        forget()


class Rest:
    """What is left of a coroutine that has begun to wait; the task that began it awaits it."""

    __slots__ = ("_coroutine", "_waiting")

    def __init__(self, coroutine: Any, waiting: Any) -> None:
        self._coroutine = coroutine
        self._waiting = waiting  # what the coroutine waits for

    def __await__(self) -> Generator[Any, Any, Any]:
        coroutine, waiting, process = self._coroutine, self._waiting, Process.current
        try:
            while True:
                try:
                    came = yield waiting
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:
                    waiting = coroutine.throw(error)
                else:
                    waiting = coroutine.send(came)
                end_child(process)
        except StopIteration as end:
            return end.value
        finally:
            end_child(process)


def started(coroutine: Any) -> tuple[Any, Rest | None]:
    """Run a coroutine in this task up to where it waits: its value, or what is left to be awaited."""
    process = Process.current
    try:
        return None, Rest(coroutine, coroutine.send(None))
    except StopIteration as end:
        return end.value, None
    finally:
        end_child(process)


async def _threaded(function: Callable[[], Any], threads: Threads) -> Any:
    """What a function gives that runs in a thread, with the context variables of this task."""
    loop, context = asyncio.get_running_loop(), copy_context()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def work() -> None:
        if outcome.cancelled():  # given up before its turn came
            return
        value, problem = None, None
        try:
            value = context.run(function)
        except BaseException as error:
            problem = contained(error)
        soon(loop, partial(_settle, outcome, (value, problem)))

    threads.submit(work)
    value, problem = await outcome
    if problem is None:
        return value
    try:
        raise problem
    finally:
        del problem  # it knows this frame


def _settle(future: "asyncio.Future[Any]", outcome: tuple[Any, BaseException | None]) -> None:
    if not future.done():
        future.set_result(outcome)
    elif type(outcome[0]) is CoroutineType:
        outcome[0].close()  # nobody waits for it any more


def soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Call a function in a loop from any thread; in a loop that is closed nobody waits for it."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(function)


async def answered(question: Pending, seconds: float) -> Any:
    """The answer to a question, once it is there; raises PeerError."""
    loop, settled = asyncio.get_running_loop(), asyncio.Event()
    question.tell(partial(soon, loop, settled.set))
    with suppress(TimeoutError):
        await asyncio.wait_for(settled.wait(), seconds)
    return question.wait(0)


# Threads ------------------------------------------------------------------------------------------

_shared = Threads(32)
_threads: WeakKeyDictionary[Any, Threads] = WeakKeyDictionary()


def threads_of(server: Any) -> Threads:
    """The threads a server's plain functions run in: as many as it allows."""
    found = _threads.get(server)
    if found is None:
        found = _threads.setdefault(server, Threads(server.threads))
    return found


# A loop for those who have none --------------------------------------------------------------------

_loop: asyncio.AbstractEventLoop | None = None
_lock = threading.Lock()


def _private_loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own, started when first needed and kept."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            _loop.set_default_executor(DaemonExecutor())
            threading.Thread(target=run_loop, args=(_loop,), name="plainmcp-loop", daemon=True).start()
        return _loop


def run_loop(loop: asyncio.AbstractEventLoop, until: "asyncio.Task[Any] | None" = None) -> None:
    """Run a loop, for ever or until a task is done: another task that tries to end the process ends itself only."""
    while True:
        try:
            loop.run_forever() if until is None else loop.run_until_complete(until)
            return
        except (SystemExit, KeyboardInterrupt) as error:
            if until is not None and until.done():
                raise
            raise_interrupt(error)
            _log.error("a task raised %s, and whoever awaits it fails", type(error).__name__, exc_info=error)


def _on_private_loop() -> bool:
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def _forked() -> None:
    """A child of this process has neither our loop nor our threads."""
    global _loop, _lock, _shared
    _loop, _lock, _shared = None, threading.Lock(), Threads(32)
    _threads.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def start(work: Callable[[], Any]) -> None:
    """Run what an `async def` function does as a task on the private loop; it looks after its own outcome."""
    loop, context = _private_loop(), copy_context()

    def begin() -> None:
        task = loop.create_task(work(), context=context)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    loop.call_soon_threadsafe(begin)


_tasks: set[Any] = set()  # a loop alone does not keep its tasks alive


def wait_for(step: Run) -> Any:
    """Run a step on the private loop, with this thread's context variables, and wait for it."""
    done = threading.Event()
    outcome: list[Any] = [None, None]

    async def work() -> None:
        try:
            outcome[0] = await _perform(step, _shared)
        except BaseException as error:
            outcome[1] = error
        finally:
            done.set()

    if _on_private_loop():
        # An async tool that calls `handle` for another holds up this very loop: the other gets one for itself.
        threading.Thread(target=copy_context().run, args=(lambda: asyncio.run(work()),), daemon=True).start()
    else:
        start(work)
    done.wait()
    value, problem = outcome
    if problem is None:
        return value
    try:
        raise problem
    finally:
        outcome.clear()  # it knows this frame
        del problem
