"""Runs an exchange in an event loop. Plain functions run in threads, so that they do not block the loop."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import CoroutineType
from typing import Any, cast

from msgspec.structs import replace

from ..errors import ToolError
from ..protocol.exchange import Around, Detach, Detachment, Exchange, Listen, Run
from ..protocol.request import Cancelled, Link
from ..values.slow import LARGE, look_for, takes_long
from .invoke import PASSED_ON, PROCESS, Listener, contain, end_child, invoke, keep_open, with_call_next
from .pending_request import PendingRequest
from .take import call_next
from .threads import Executor, WaitingThread

__all__ = [
    "Rest",
    "advance",
    "await_request",
    "call_soon",
    "run_async",
    "run_in_thread",
    "start",
    "start_task",
    "take_async",
]


async def run_async(
    exchange: Exchange, threads: Executor, listen: Listener | None = None, waiting: Awaitable[bytes] | None = None
) -> bytes | None:
    """Take every step of an exchange; returns the response, or None if none is sent, or not yet.

    `waiting` is the step that waits, if the first steps were taken by `advance` already.
    """
    try:
        waiting = waiting or advance(exchange, threads, listen)
        while waiting is not None:
            try:
                response = await waiting
            except PASSED_ON as error:
                exchange.throw(error)
            else:
                exchange.send(response)
            waiting = advance(exchange, threads, listen)
    except BaseException:  # the task is cancelled, or Ctrl-C
        if exchange.step is not None:
            with suppress(Cancelled):  # it must not take the place of what ends the task
                exchange.throw(Cancelled())
            _finish_later(exchange, threads)
        raise
    return exchange.response


def advance(exchange: Exchange, threads: Executor, listen: Listener | None = None) -> Awaitable[bytes] | None:
    """Take the steps of an exchange in this task until one waits; returns an awaitable of the result of that step.

    Returns None if the exchange has its response, or stays open.
    """
    while (step := exchange.step) is not None:
        if type(step) is Listen:
            if keep_open(step, exchange, listen):
                return None
            continue
        try:
            response, rest = _start_step(step, threads)
        except PASSED_ON as error:
            exchange.throw(error)
        else:
            if rest is not None:
                return rest
            exchange.send(response)
    return None


_tasks: set["asyncio.Task[bytes | None]"] = set()  # a loop alone does not keep its tasks alive


def _finish_later(exchange: Exchange, threads: Executor) -> None:
    """Take the steps that are left after a cancel, such as the ends of dependencies, in another task."""
    if exchange.step is not None:
        _start_task(run_async(exchange, threads))


def _start_task(coroutine: Coroutine[Any, Any, bytes | None]) -> "asyncio.Task[bytes | None]":
    task = asyncio.get_running_loop().create_task(coroutine)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


async def _take_detachable(step: Detach, threads: Executor) -> bytes | None:
    """The response of an exchange; or what is sent in its place, while it goes on in a task of its own."""
    loop, detachment = asyncio.get_running_loop(), step.detachment
    call, may_answer = _start_task(run_async(step.exchange, threads)), asyncio.Event()
    waiting = loop.create_task(may_answer.wait())
    try:
        detachment.listen(partial(call_soon, loop, may_answer.set))
        await asyncio.wait((call, waiting), timeout=detachment.after, return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            return call.result()
        try:
            return await run_async(detachment.answer(), threads)
        finally:
            _start_task(_end_detached(call, detachment, threads))
    except BaseException:  # the task is cancelled, or Ctrl-C
        call.cancel()
        raise
    finally:
        waiting.cancel()


async def _end_detached(call: "asyncio.Task[bytes | None]", detachment: Detachment, threads: Executor) -> None:
    try:
        await asyncio.wait((call,))
    finally:  # also when the loop ends, which cancels all its tasks
        has_response = call.done() and not call.cancelled() and call.exception() is None
        await run_async(detachment.end(call.result() if has_response else None), threads)


async def take_async(step: Run | Around, threads: Executor, coroutine: Any = None) -> bytes:
    """The result of a step: the response for its function's value, within its time limit.

    `coroutine` is the coroutine of the function, if it was called already.
    """
    response, rest = _start_step(step, threads, coroutine)
    return cast("bytes", response) if rest is None else await rest


def _start_step(
    step: Run | Around | Detach, threads: Executor, coroutine: Any = None
) -> tuple[bytes | None, Awaitable[bytes] | None]:
    """Take a step in this task until it waits; returns its result, or the rest to be awaited."""
    if type(step) is Detach:
        return None, cast("Awaitable[bytes]", _take_detachable(step, threads))  # the exchange takes None, too
    link, feature = step.link, step.feature
    if type(step) is Around:
        step = _with_call_next(step, threads)
    if link is not None and link.cancelled:
        raise Cancelled
    if feature.is_async or feature.inline or coroutine is not None:
        value, rest = invoke(step) if coroutine is None else coroutine, None
        if feature.is_async or type(value) is CoroutineType:
            value, rest = _start_contained(value)
        if rest is None and type(value) is not CoroutineType and not _takes_long(value):
            return step.finish(value), None
        work = _finish_step(step, threads, value, rest)
    else:
        work = _take_in_thread(step, threads)
    return None, work if feature.timeout is None else _take_within(feature.timeout, work)


def _takes_long(value: Any) -> bool:
    """Whether the response for a value takes so long to write that other requests should not wait for it."""
    if type(value) is str:  # the most common value
        return len(value) > LARGE
    return look_for(type(value)) is not None and takes_long(value)


async def _take_within(seconds: float, work: Awaitable[bytes]) -> bytes:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise  # raised by the function itself
        raise ToolError(f"This took longer than {seconds:g} seconds and was given up.") from None


async def _finish_step(step: Run, threads: Executor, value: Any, rest: Awaitable[Any] | None = None) -> bytes:
    """The result of a step by the value of its function, which may still wait."""
    link = step.link
    value = value if rest is None else await _wait_unless_cancelled(link, rest)
    while type(value) is CoroutineType:  # of a plain wrapper around an async function
        value, rest = _start_contained(value)
        value = value if rest is None else await _wait_unless_cancelled(link, rest)
    if _takes_long(value):  # it must not block the loop
        value = await _wait_unless_cancelled(link, run_in_thread(partial(step.finish, value), threads))
        return cast("bytes", value)
    return step.finish(value)


def _with_call_next(step: Around, threads: Executor) -> Run:
    """The step for a middleware function. In a plain one, which runs in a thread, call_next waits for its value."""
    if step.feature.is_async:
        return with_call_next(step, partial(_call_next, step, threads))
    take_in_loop = partial(_take_from_thread, asyncio.get_running_loop(), threads)
    return with_call_next(step, partial(call_next, step, take_in_loop))


async def _call_next(step: Around, threads: Executor, request: Any) -> Any:
    """Take the steps that middleware is around, in this task; returns or raises what they end with."""
    rest = step.proceed(request)
    while (inner := rest.step) is not None:
        assert isinstance(inner, (Run, Around))  # middleware ends before a request stays open
        try:
            # A cancel stops the task of the outermost step, and so all steps inside it.
            value = await take_async(replace(inner, link=None), threads)
        except PASSED_ON as error:
            rest.throw(error)
        except BaseException:  # the task is cancelled
            rest.throw(Cancelled())
            _finish_later(rest, threads)
            raise
        else:
            rest.send(value)
    return rest.result()


def _take_from_thread(loop: asyncio.AbstractEventLoop, threads: Executor, step: Run | Around, coroutine: Any) -> Any:
    """Take a step in a loop, and wait for its result in this thread."""

    waiting = WaitingThread(threads)

    async def work() -> bytes:
        return await take_async(step, waiting, coroutine)

    return waiting.wait(asyncio.run_coroutine_threadsafe(work(), loop))


def _start_contained(awaitable: Any) -> tuple[Any, Awaitable[Any] | None]:
    """Run a coroutine of the user inline until it waits; only then a cancel can stop it. Returns as `start` does."""
    process = PROCESS.current
    try:
        return start(awaitable)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contain(error) from error
    finally:
        if process is not PROCESS.current:
            end_child()


async def _take_in_thread(step: Run, threads: Executor) -> bytes:
    """The result of a step whose plain function runs in a thread, in which the response is written, too."""
    is_for_file = getattr(step.feature.function, "reads_file", False)
    work = run_in_thread(partial(_complete, step), threads.files if is_for_file else threads)
    value = await _wait_unless_cancelled(step.link, work)
    return await _finish_step(step, threads, value) if type(value) is CoroutineType else value


def _complete(step: Run) -> Any:
    """Run a plain function in a thread; returns the response, or the coroutine that the function returned."""
    value = invoke(step)
    return value if type(value) is CoroutineType else step.finish(value)


async def _wait_unless_cancelled(link: Link | None, work: Awaitable[Any]) -> Any:
    """Wait for a value until the request is cancelled; then raises Cancelled."""
    loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
    before, is_stopped = task.cancelling(), False

    def stop() -> None:
        nonlocal is_stopped
        if is_waiting:
            is_stopped = True
            task.cancel()

    def forget() -> None: ...

    is_waiting = True
    if link is not None:
        forget = link.on_cancel(partial(call_soon, loop, stop))
    try:
        return await work
    except asyncio.CancelledError as error:
        if task.cancelling() > before + is_stopped:
            raise  # the whole task is cancelled
        if is_stopped:
            task.uncancel()
            raise Cancelled from None
        raise contain(error) from error
    except PASSED_ON:
        raise
    except BaseException as error:
        raise contain(error) from error
    finally:
        is_waiting = False
        forget()


# Coroutines ---------------------------------------------------------------------------------------


class Rest(Coroutine[Any, Any, Any]):
    """A coroutine that runs inline until it waits; the rest of it is awaited, or run by a task."""

    __slots__ = ("_coroutine", "_process", "_waiting", "is_done", "value")

    def __init__(self, coroutine: Any, waiting: Any = None) -> None:
        self.is_done = False
        self.value: Any = None
        self._coroutine = coroutine
        self._process = PROCESS.current
        self._waiting = waiting  # the object that the coroutine waits for, until it is passed on

    def start(self) -> None:
        """Run the coroutine inline until it waits."""
        try:
            self._waiting = self.send(None)
        except StopIteration as end:
            self.is_done, self.value = True, end.value

    def send(self, value: Any) -> Any:
        """Continue the coroutine; the first time, return the object that it waits for."""
        if self.is_done:
            raise StopIteration(self.value)
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            return waiting
        try:
            return self._coroutine.send(value)
        finally:
            if self._process is not PROCESS.current:
                end_child()

    def throw(self, *error: Any) -> Any:
        """Continue the coroutine with an exception."""
        self._waiting = None
        try:
            return self._coroutine.throw(*error)
        finally:
            if self._process is not PROCESS.current:
                end_child()

    def close(self) -> None:
        """Close the coroutine."""
        self._coroutine.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield from _Steps(self))


class _Steps:
    """A coroutine as a generator, for `yield from`."""

    def __init__(self, rest: Rest) -> None:
        self.send, self.throw, self.close = rest.send, rest.throw, rest.close

    def __iter__(self) -> "_Steps":
        return self

    def __next__(self) -> Any:
        return self.send(None)


def start(awaitable: Any) -> tuple[Any, Awaitable[Any] | None]:
    """Run a coroutine in this task until it waits; returns its value, or the rest to be awaited."""
    if type(awaitable) is not CoroutineType:
        return None, _await(awaitable)
    try:
        waiting = awaitable.send(None)
    except StopIteration as end:
        return end.value, None
    return None, Rest(awaitable, waiting)


async def _await(awaitable: Any) -> Any:
    return await awaitable


def start_task(coroutine: Any) -> tuple[Any, "asyncio.Task[Any] | None"]:
    """Run a coroutine inline until it waits, in its own task; returns its value, or the task that continues it."""
    loop, outer, rest, context = asyncio.get_running_loop(), asyncio.current_task(), Rest(coroutine), copy_context()
    if outer is None:
        return None, loop.create_task(coroutine)
    task = loop.create_task(rest, context=context)
    _switch(loop, outer, task)
    try:
        context.run(rest.start)
    except BaseException:
        task.cancel()
        raise
    finally:
        _switch(loop, task, outer)
    return (rest.value, None) if rest.is_done else (None, task)


def _switch(loop: asyncio.AbstractEventLoop, one: Any, other: Any) -> None:
    """Make another task the current one. These functions of asyncio are for code that runs tasks itself."""
    asyncio.tasks._leave_task(loop, one)
    asyncio.tasks._enter_task(loop, other)


async def await_request(question: PendingRequest) -> Any:
    """The result of a request that we sent; raises PeerError."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    question.on_done(partial(call_soon, loop, done.set))
    with suppress(TimeoutError):
        await asyncio.wait_for(done.wait(), question.seconds)
    return question.wait(0)


# Threads ------------------------------------------------------------------------------------------


async def run_in_thread(function: Callable[[], Any], threads: Executor) -> Any:
    """The value of a function that runs in a thread with the context variables of this task."""
    loop, context = asyncio.get_running_loop(), copy_context()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def work() -> None:
        if outcome.cancelled():  # cancelled before a thread was free
            return
        value, problem, process = None, None, PROCESS.current
        try:
            value = context.run(function)
        except BaseException as error:
            problem = contain(error)
        if process is not PROCESS.current:
            end_child()
        call_soon(loop, partial(_settle, outcome, (value, problem)))

    job = threads.submit(work)
    try:
        value, problem = await outcome
    except asyncio.CancelledError:
        if job is not None:
            job.give_up()
        raise
    if problem is None:
        return value
    try:
        raise problem
    finally:
        del problem  # it refers to this frame


def _settle(future: "asyncio.Future[Any]", outcome: tuple[Any, BaseException | None]) -> None:
    if not future.done():
        future.set_result(outcome)
    elif type(outcome[0]) is CoroutineType:
        outcome[0].close()  # its value is not needed any more


def call_soon(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Call a function in a loop from any thread; does nothing if the loop is closed."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(function)
