"""One HTTP server in this process: uvicorn on a socket, with an end in time. Knows nothing of messages."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .background_loop import DaemonExecutor, run_loop
from .http.path import PATH, App, at_path
from .log_format import uvicorn_log_config
from .shutdown import GRACE, LAST, Deadline, end_with_main_thread

__all__ = ["serve_on"]

_log = logging.getLogger("plainmcp")


def serve_on(
    bound: socket.socket,
    app: App,
    *,
    path: str = PATH,
    grace: float = GRACE,
    started: Callable[[], None] = lambda: None,
    **options: Any,
) -> None:
    """Serve an ASGI application on a socket, in this process, until a signal ends us; calls `started` first."""
    import uvicorn  # an extra: whoever mounts the server elsewhere does without

    deadline = Deadline(grace)

    class HttpServer(uvicorn.Server):
        def handle_exit(self, sig: int, frame: Any) -> None:
            deadline.start()
            super().handle_exit(sig, frame)

        async def startup(self, sockets: Any = None) -> None:
            asyncio.get_running_loop().set_default_executor(DaemonExecutor())
            await super().startup(sockets=sockets)
            started()

        async def shutdown(self, sockets: Any = None) -> None:
            """Let it wait for its answers, but see to it that there is nothing to wait for in the end."""
            deadline.start()
            getattr(app, "drain", _nothing)()
            later, last = asyncio.get_running_loop().call_later, deadline.seconds_until
            timers = [later(last(LAST), self._give_up), later(last(LAST * 2 / 3), self._hang_up)]
            await super().shutdown(sockets=sockets)
            for timer in timers:
                timer.cancel()
            if self.force_exit:  # after a second Ctrl-C it has waited for nobody
                for finish in (self._give_up, self._hang_up):
                    finish()
                    await asyncio.sleep(0.05)

        left = 0
        """How many requests were given up."""

        def _give_up(self) -> None:
            self.left = getattr(app, "give_up", _nothing)() or 0
            if self.left:
                _log.warning("requests that still ran at the end, and were given up: %d", self.left)

        def _hang_up(self) -> None:
            """Leave those who owe us the rest of a request, or do not read what they asked for."""
            for connection in list(self.server_state.connections):
                connection.transport.abort()

    given: dict[str, Any] = {
        "log_level": "warning",
        "log_config": uvicorn_log_config(),
        "lifespan": "auto",
        **options,
    }
    config = uvicorn.Config(at_path(app, path), **given)
    config.load()
    config.http_protocol_class = _sparing(config.http_protocol_class)
    server = HttpServer(config)
    try:
        with asyncio.Runner(loop_factory=_loop_factory(config)) as runner:
            loop = runner.get_loop()
            run_loop(loop, loop.create_task(server.serve(sockets=[bound])))
    finally:
        deadline.cancel()
        if server.left:
            end_with_main_thread()


def _loop_factory(config: Any) -> Any:
    """What makes uvicorn's loop; None where the loop is chosen as older versions do."""
    if hasattr(config, "get_loop_factory"):
        return config.get_loop_factory()
    config.setup_event_loop()
    return None


def _nothing() -> None:
    """In the place of what an application does not have."""


def _sparing(protocol: Any) -> Any:
    """An HTTP protocol that reads less at a time: asyncio asks for 256 KiB and gives most of it back.

    Whatever is made meanwhile lies behind it, and the heap grows full of holes: a third more in a minute of load.
    """

    class Sparing(protocol):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            with suppress(AttributeError):  # the transport of another loop has its own way
                transport.max_size = 8 * 2**10
            super().connection_made(transport)

    return Sparing
