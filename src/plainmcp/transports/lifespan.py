"""The lifespan of a server: a context manager that is entered once before its first request, and left at its end.

An async one lives in one task, in the loop that serves, or in the background loop where there is no other. A program
that serves starts it; otherwise the first request does, as the outermost middleware of every method.
"""

import asyncio
import atexit
import inspect
import logging
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from threading import Lock
from typing import Any

from ..errors import AuthorError, InternalError
from ..protocol.core import Core
from ..protocol.failures import log_exception, log_incident
from ..protocol.interrupts import raise_interrupt
from ..protocol.middleware import Middleware, compile

__all__ = ["Lifespan"]

_log = logging.getLogger("plainmcp")
_SECONDS_TO_END = 10
"""How long the end of an async lifespan is waited for from another thread."""
_NO_MANAGER = (
    "the lifespan function returned {!r}, which is not a context manager; write a function with a yield, "
    "`def` or `async def`"
)


class Lifespan:
    """The lifespan of one server: `start` and `close`, each for threads and for loops.

    `function` takes the server, and returns a context manager or an async one; it may be a generator function, too.
    `changed` is called with whether it has started, and with its value.
    """

    def __init__(self, server: Core, function: Callable[..., Any], changed: Callable[[bool, Any], None]) -> None:
        self._server = weakref.ref(server)
        self._changed = weakref.WeakMethod(changed)
        self._function = _to_manager_function(function)
        self._is_async = inspect.isasyncgenfunction(_innermost(function))
        self._lock = Lock()
        self._start: Future[None] | None = None  # since the start began
        self._manager: Any = None  # the context manager, if it is not async
        self._stop: asyncio.Event | None = None  # ends the task of an async one
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: Future[None] = Future()  # done when that task has ended

    @property
    def middleware(self) -> Middleware:
        """Starts the lifespan before a request."""
        return compile(self._start_before_async if self._is_async else self._start_before)

    def _start_before(self, request: Any, call_next: Any) -> Any:
        try:
            self.start()
        except Exception as error:
            raise _to_request_error(error) from error
        return call_next(request)

    async def _start_before_async(self, request: Any, call_next: Any) -> Any:
        try:
            await self.start_async()
        except Exception as error:
            raise _to_request_error(error) from error
        return await call_next(request)

    # Start ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, unless it has started, and wait until it has; raises what it raises."""
        if self._is_async:
            from . import background_loop  # loads asyncio only when it is needed

            return background_loop.wait_for(self.start_async)
        start, is_first = self._claim()
        if is_first:
            self._enter(start)
        start.result()

    async def start_async(self) -> None:
        """Start it in this loop, unless it has started, and wait until it has; raises what it raises."""
        start, is_first = self._claim()
        if is_first and self._is_async:
            self._loop, self._end = asyncio.get_running_loop(), Future()
            self._task = self._loop.create_task(self._live(start))
        elif is_first:
            self._enter(start)
        await asyncio.wrap_future(start)

    def _claim(self) -> "tuple[Future[None], bool]":
        """The future of the start, and whether this caller is the first and has to start."""
        with self._lock:
            is_first = self._start is None
            self._start = start = self._start or Future()
        return start, is_first

    def _enter(self, start: "Future[None]") -> None:
        try:
            manager = self._function(self._server())
            if not hasattr(manager, "__enter__"):
                raise AuthorError(_NO_MANAGER.format(manager))
            value = manager.__enter__()
        except BaseException as error:
            self._fail(start, error)
        else:
            self._manager = manager
            self._begin(start, value)

    async def _live(self, start: "Future[None]") -> None:
        """The task of an async lifespan: it is entered and left here."""
        self._stop = asyncio.Event()
        try:
            async with self._function(self._server()) as value:
                self._begin(start, value)
                await self._stop.wait()
        except BaseException as error:
            if not start.done():
                self._fail(start, error)
            elif not isinstance(error, asyncio.CancelledError):  # the loop ends, and has ended the manager with that
                log_exception(error, "the lifespan of the server failed at its end")
        finally:
            self._end.set_result(None)

    def _begin(self, start: "Future[None]", value: Any) -> None:
        self._report(True, value)
        atexit.register(self.close)
        start.set_result(None)

    def _fail(self, start: "Future[None]", error: BaseException) -> None:
        with self._lock:
            self._start = None  # the next request tries again
        start.set_exception(error)

    def _report(self, has_started: bool, value: Any) -> None:
        changed = self._changed()
        if changed is not None:
            changed(has_started, value)

    # End ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End it, if it has started. Not from the loop in which an async one lives: use close_async there."""
        if not self._release():
            return
        if self._manager is not None:
            self._leave()
            return
        loop, stop, end = self._loop, self._stop, self._end
        if loop is None or stop is None or end.done():
            return
        if loop.is_closed() or not loop.is_running():
            _log.warning("the event loop of the lifespan is not running, so the lifespan cannot end")
            return
        loop.call_soon_threadsafe(stop.set)
        try:
            end.result(_SECONDS_TO_END)
        except TimeoutError:
            _log.warning("the lifespan of the server did not end within %d s", _SECONDS_TO_END)

    async def close_async(self) -> None:
        """End it, if it has started, and wait for its end."""
        if self._loop is not asyncio.get_running_loop():
            await asyncio.to_thread(self.close)
        elif self._release() and self._stop is not None:
            self._stop.set()
            await asyncio.wrap_future(self._end)

    def _release(self) -> bool:
        """Whether it has started, and is to be ended by this caller."""
        with self._lock:
            if self._start is None or not self._start.done():
                return False
            self._start = None
        atexit.unregister(self.close)
        self._report(False, None)
        return True

    def _leave(self) -> None:
        manager, self._manager = self._manager, None
        try:
            manager.__exit__(None, None, None)
        except BaseException as error:
            raise_interrupt(error)
            log_exception(error, "the lifespan of the server failed at its end")


def _to_request_error(error: Exception) -> InternalError:
    return InternalError(log_incident("The start of the server", error))


def _innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that the author wrote, inside decorators and `functools.partial`."""
    function = inspect.unwrap(function)
    return _innermost(function.func) if isinstance(function, partial) else function


def _to_manager_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns a context manager, also for a generator function without a decorator."""
    if inspect.isasyncgenfunction(function):
        return asynccontextmanager(function)
    return contextmanager(function) if inspect.isgeneratorfunction(function) else function
