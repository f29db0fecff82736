"""An event loop in its own thread, for callers without one. It is started when it is first needed."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from ..protocol.exchange import Around, Run
from ..protocol.failures import log_exception
from ..protocol.interrupts import name_of, raise_interrupt
from .invoke import PROCESS, end_child
from .run_async import take_async
from .threads import Threads

__all__ = ["DaemonExecutor", "create_task", "run_loop", "take", "wait_for"]

T = TypeVar("T")
_loop: asyncio.AbstractEventLoop | None = None
_lock = threading.Lock()
_threads = Threads(32)
_tasks: set[Any] = set()  # a loop alone does not keep its tasks alive


def take(step: Run | Around, coroutine: Any = None) -> bytes:
    """Take a step in the loop, with this thread's context variables, and wait for its result."""
    return wait_for(lambda: take_async(step, _threads, coroutine))


def wait_for(work: Callable[[], Awaitable[T]], seconds: float | None = None) -> T:
    """Await something in the loop, with this thread's context variables; returns or raises what it ends with.

    After so many seconds it is cancelled, and a TimeoutError is raised.
    """
    done = threading.Event()
    outcome: list[Any] = [None, None]

    async def settle() -> None:
        try:
            async with asyncio.timeout(seconds):
                outcome[0] = await work()
        except BaseException as error:
            outcome[1] = error
        finally:
            done.set()

    if _is_running_here():
        # An async tool that calls `handle` for another tool blocks this loop, so the other tool gets its own loop.
        threading.Thread(target=copy_context().run, args=(lambda: asyncio.run(settle()),), daemon=True).start()
    else:
        create_task(settle)
    done.wait()
    value, problem = outcome
    if problem is None:
        return value  # type: ignore[no-any-return]
    try:
        raise problem
    finally:
        outcome.clear()  # it refers to this frame
        del problem


def create_task(work: Callable[[], Any]) -> None:
    """Run an `async def` function as a task in the loop. It has to handle its own result and exceptions."""
    loop, context = _get_loop(), copy_context()

    def create() -> None:
        task = loop.create_task(work(), context=context)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    loop.call_soon_threadsafe(create)


def _get_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            _loop.set_default_executor(DaemonExecutor())
            threading.Thread(target=run_loop, args=(_loop,), name="plainmcp-loop", daemon=True).start()
        return _loop


def run_loop(loop: asyncio.AbstractEventLoop, until: "asyncio.Task[Any] | None" = None) -> None:
    """Run a loop, forever or until a task is done. Another task that tries to exit the process only ends itself."""
    while True:
        try:
            loop.run_forever() if until is None else loop.run_until_complete(until)
            return
        except (SystemExit, KeyboardInterrupt) as error:
            if until is not None and until.done():
                raise
            raise_interrupt(error)
            log_exception(error, "a task raised %s, and code that awaits it fails", name_of(type(error)))


def _is_running_here() -> bool:
    try:
        return asyncio.get_running_loop() is _loop
    except RuntimeError:
        return False


def _enter_child() -> None:
    """Forget the loop in a child process, which does not have its thread."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)


class DaemonExecutor(ThreadPoolExecutor):
    """The executor for `asyncio.to_thread`: its threads block neither the end of the loop nor the exit."""

    def __init__(self, most: int = 32) -> None:
        super().__init__(1)  # its own thread is never started
        self._daemons = Threads(most)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function as soon as a thread is free."""
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            process = PROCESS.current
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                if process is not PROCESS.current:
                    end_child()
                future.set_exception(error)
            else:
                if process is not PROCESS.current:
                    end_child()
                future.set_result(result)

        self._daemons.submit(work)
        return future
