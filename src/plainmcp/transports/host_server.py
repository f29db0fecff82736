"""The HTTP server that runs our ASGI application, if it is not ours: notices that it begins to shut down.

ASGI tells an application about a shutdown after the last response only, and a stream that stays open for later
messages has no end of its own. So the server waits for the stream, and the stream for the server.
"""

# How the beginning of a shutdown is noticed
#
# uvicorn: one of the tasks of the loop is in a method of its Server. The method `shutdown` of this object is
# replaced, for this object only, by one that ends the streams first. So a signal, `should_exit`, a limit of requests,
# and a server in another thread than the main thread are all the same. The object forgets it at its end.
#
# Other servers handle SIGTERM somehow, in Python or in the loop. A handler is put before theirs, which ends the
# streams and calls theirs. It is removed when the lifespan ends, unless another one was put before it meanwhile.
# Where nobody handles SIGTERM, nobody waits for streams either, and nothing is done; neither outside of the main
# thread.
#
# Calls that still run are given up at the end of the grace period: that of uvicorn if it has one, else ours. If
# uvicorn made the loop of the main thread, and serves nothing else, the process ends then, whatever still holds the
# loop: a call that blocks it or cannot be cancelled, the end of a lifespan, a thread that Python waits for. There the
# period begins with the signal, because uvicorn does nothing about it while the loop is blocked.

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any, Protocol

from .deadline import LAST, Deadline
from .process_end import limit_exit
from .run_async import call_soon
from .shutdown import GRACE, MAX_GRACE, make_deadline

__all__ = ["Application", "HostServer"]

_log = logging.getLogger("plainmcp")
SOON = 0.05
"""After how many seconds it looks again whether uvicorn was told not to wait."""


class Application(Protocol):
    """What ends with the server around it."""

    def drain(self) -> None:
        """End the streams that stay open."""
        ...

    def give_up(self) -> int:
        """Answer the requests that still run."""
        ...

    async def end(self) -> None:
        """End everything, the lifespan too; another server may start it again."""
        ...


class HostServer:
    """The server around an application, as far as its shutdown is concerned."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._uvicorn: Any = None  # its server, once it is found
        self._begin: Callable[[], object] = _do_nothing  # after a signal
        self._former: dict[int, Any] = {}  # the handlers of signals behind ours

    def follow(self, *, is_alone: bool) -> None:
        """Notice from now on that the server shuts down, if it is another one than ours. May be called again.

        If it serves nothing but this application (`is_alone`), the process ends in time after it.
        """
        servers = _find_uvicorns()
        if not servers:
            loop = asyncio.get_running_loop()
            deadline = make_deadline(GRACE, owns_process=False)
            self._begin = partial(call_soon, loop, partial(self._end, loop, deadline, is_alone))
            self._follow_signals()
        elif self._uvicorn is None:
            self._uvicorn = host = _choose(servers)
            if host is not None and not hasattr(host, "drains"):
                self._follow_uvicorn(host, is_alone)

    def forget(self) -> None:
        """Put the former handlers of signals back."""
        for number, former in self._former.items():
            if signal.getsignal(number) == self._handle_signal:
                signal.signal(number, former)
        self._former.clear()

    def _end(self, loop: asyncio.AbstractEventLoop, deadline: Deadline, is_alone: bool) -> None:
        """End the streams now, and in time what does not end by itself."""
        deadline.give_up = partial(call_soon, loop, self._app.give_up)
        deadline.start()
        self._app.drain()
        if is_alone:
            limit_exit(deadline, owns_process=False)

    # uvicorn --------------------------------------------------------------------------------------

    def _follow_uvicorn(self, host: Any, is_alone: bool) -> None:
        seconds = host.config.timeout_graceful_shutdown
        seconds = GRACE if seconds is None else min(max(0, seconds), MAX_GRACE)
        owns_loop = is_alone and _runs_loop(host)
        is_closed = asyncio.get_running_loop().is_closed
        deadline = make_deadline(seconds, owns_process=owns_loop, has_ended=is_closed)
        host.shutdown = partial(self._shut_down, host, host.shutdown, deadline, is_alone)
        if owns_loop:
            self._begin = deadline.start
            self._follow_signals()

    async def _shut_down(
        self, host: Any, former: Callable[..., Any], deadline: Deadline, is_alone: bool, sockets: Any = None
    ) -> None:
        """The shutdown of uvicorn, with the end of the streams before it."""
        vars(host).pop("shutdown", None)
        self._end(asyncio.get_running_loop(), deadline, is_alone)
        hurrying = asyncio.create_task(_hurry_with(host, deadline))
        try:
            await former(sockets=sockets)
        finally:
            hurrying.cancel()
            self._uvicorn = None
            await self._end_app(deadline)  # uvicorn leaves that out after a second Ctrl-C, and below another one
            if host.force_exit:
                deadline.hurry()
            if not _runs_loop(host):
                deadline.cancel()

    async def _end_app(self, deadline: Deadline) -> None:
        try:
            async with asyncio.timeout(max(LAST, deadline.seconds_until())):
                await self._app.end()
        except TimeoutError:
            _log.warning("the lifespan of the server did not end in time")

    # Signals --------------------------------------------------------------------------------------

    def _follow_signals(self) -> None:
        if threading.current_thread() is not threading.main_thread() or not callable(
            signal.getsignal(signal.SIGTERM)
        ):
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            former = signal.getsignal(number)
            if callable(former) and former != self._handle_signal:
                self._former[number] = former
                signal.signal(number, self._handle_signal)

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        begin, self._begin = self._begin, _do_nothing
        begin()
        former = self._former.get(number)
        if callable(former):
            former(number, frame)


def _do_nothing() -> None:
    """Begin nothing a second time."""


def _find_uvicorns() -> list[Any]:
    """The servers of uvicorn in this loop: a task is in a method of each."""
    kind: Any = getattr(sys.modules.get("uvicorn.server"), "Server", None)
    if kind is None:
        return []
    return list({id(owner): owner for owner in _owners_of_methods() if issubclass(type(owner), kind)}.values())


def _runs_loop(host: Any) -> bool:
    """Whether the main thread is in `run` of a server of uvicorn, which makes the loop and closes it."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and not (frame.f_code.co_name == "run" and frame.f_locals.get("self") is host):
        frame = frame.f_back
    return frame is not None and threading.current_thread() is threading.main_thread()


def _choose(servers: list[Any]) -> Any:
    """The server that runs this task; None if that is not clear, as it is not before the first request."""
    if len(servers) == 1:
        return servers[0]
    current = asyncio.current_task()
    return next((server for server in servers if current in server.server_state.tasks), None)


def _owners_of_methods() -> Iterator[Any]:
    """The objects whose methods the tasks of this loop are in."""
    for task in asyncio.all_tasks():
        coroutine: Any = task.get_coro()
        while coroutine is not None:
            frame = getattr(coroutine, "cr_frame", None)
            yield None if frame is None else frame.f_locals.get("self")
            coroutine = getattr(coroutine, "cr_await", None)


async def _hurry_with(host: Any, deadline: Deadline) -> None:
    """Give up what still runs as soon as uvicorn does not wait any longer, after a second Ctrl-C."""
    while not host.force_exit:
        await asyncio.sleep(SOON)
    deadline.hurry()
