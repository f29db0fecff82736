"""One HTTP server in this process: uvicorn on a socket, with a shutdown that ends in time. Knows no messages."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from .background_loop import DaemonExecutor, run_loop
from .deadline import LAST, Deadline
from .http.path import App
from .log_format import uvicorn_log_config
from .process_end import flush_output, limit_exit
from .run_async import call_soon
from .shutdown import GRACE, make_deadline

__all__ = ["serve_on", "serve_on_async"]

LINGER = 0.3
"""How many seconds of a shutdown are for requests on connections that clients have opened already."""

_log = logging.getLogger("plainmcp")


def serve_on(
    bound: socket.socket,
    app: App,
    deadline: Deadline,
    *,
    started: Callable[[], None] = lambda: None,
    **options: Any,
) -> None:
    """Serve an ASGI application on a socket until a signal ends the process; calls `started` when it serves."""
    server = _build_server(app, deadline, options, started=started)
    try:
        with asyncio.Runner(loop_factory=_loop_factory(server.config)) as runner:
            loop = runner.get_loop()
            run_loop(loop, loop.create_task(server.serve(sockets=[bound])))
    finally:
        deadline.cancel()
        limit_exit(deadline)


async def serve_on_async(bound: socket.socket, app: App, *, grace: float = GRACE, **options: Any) -> None:
    """Serve an ASGI application on a socket in this event loop, until a signal or a cancel ends it.

    uvicorn sends the signal again when it has ended, so that the program around it gets it too.
    """
    deadline = make_deadline(grace, owns_process=False)
    server = _build_server(app, deadline, options, has_own_loop=False)
    serving = asyncio.get_running_loop().create_task(server.serve(sockets=[bound]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        server.should_exit = True
        await serving
        raise
    finally:
        deadline.cancel()
        limit_exit(deadline, owns_process=False)


def _build_server(
    app: App,
    deadline: Deadline,
    options: dict[str, Any],
    *,
    started: Callable[[], None] = lambda: None,
    has_own_loop: bool = True,
) -> Any:
    """A uvicorn server whose shutdown ends in time."""
    import uvicorn  # an optional dependency, only needed here

    settings: dict[str, Any] = {
        "log_level": "warning",
        "log_config": uvicorn_log_config(),
        "lifespan": "auto",
        **options,
    }
    config = uvicorn.Config(app, **settings)
    config.load()
    parser: str = config.http_protocol_class.__name__
    config.http_protocol_class = _with_small_reads(config.http_protocol_class)

    class HttpServer(uvicorn.Server):
        drains = True
        """Its shutdown ends the streams that stay open: the application need not see to it."""

        def handle_exit(self, sig: int, frame: Any) -> None:
            deadline.start()
            super().handle_exit(sig, frame)
            if self.force_exit:  # a second Ctrl-C
                deadline.hurry()

        async def startup(self, sockets: Any = None) -> None:
            loop = asyncio.get_running_loop()
            _log.debug("uvicorn serves with %s, on an event loop of %s", parser, type(loop).__module__)
            deadline.give_up = partial(call_soon, loop, self._give_up)
            if has_own_loop:
                loop.set_default_executor(DaemonExecutor())
            await super().startup(sockets=sockets)
            started()

        async def shutdown(self, sockets: Any = None) -> None:
            """Wait for the responses; at the deadline, the rest is cancelled and disconnected."""
            deadline.start()
            getattr(app, "drain", _do_nothing)()
            await self._take_last_requests()
            await super().shutdown(sockets=sockets)
            if self.force_exit:  # uvicorn has not waited
                while self.server_state.connections:
                    await asyncio.sleep(0.01)
                await self.lifespan.shutdown()
            flush_output()  # uvicorn sends the signal again now, which ends a worker

        async def _take_last_requests(self) -> None:
            """Accept no more connections, and answer what clients sent on those there are, for the last time.

            uvicorn closes a connection without a request at once. A client that has just sent one would see a reset.
            """
            for server in self.servers:
                server.close()
            state, end = self.server_state, asyncio.get_running_loop().time() + LINGER
            state.default_headers = [*state.default_headers, (b"connection", b"close")]
            await asyncio.sleep(0.01)  # a connection that was just accepted is not in the list yet
            while state.connections and not self.force_exit and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(0.01)

        def _give_up(self) -> None:
            """Answer the requests that still run, and leave time to send that."""
            left = getattr(app, "give_up", _do_nothing)()
            asyncio.get_running_loop().call_later(LAST / 3, self._hang_up)
            if left:
                _log.warning("requests that still ran at the end, and were given up: %d", left)

        def _hang_up(self) -> None:
            """Close the connections of clients that do not finish their request or do not read their response."""
            for connection in list(self.server_state.connections):
                connection.transport.abort()

    return HttpServer(config)


def _loop_factory(config: Any) -> Any:
    """The function that creates uvicorn's loop; None if an older version of uvicorn has set it up."""
    if hasattr(config, "get_loop_factory"):
        return config.get_loop_factory()
    config.setup_event_loop()
    return None


def _do_nothing() -> None:
    """Stand in for a method that an application does not have."""


def _with_small_reads(protocol: Any) -> Any:
    """An HTTP protocol that reads less at a time: asyncio allocates 256 KiB and frees most of it after each read.

    Objects that are created meanwhile fragment the heap: it grows by a third in a minute of load.
    """

    class SmallReads(protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            with suppress(AttributeError):  # the transports of other loops do not have it
                transport.max_size = 8 * 2**10
            super().connection_made(transport)

    return SmallReads
