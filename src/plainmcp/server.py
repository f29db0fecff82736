"""The server people use: what the core registers, with every way to serve it."""

from collections.abc import Callable
from typing import Any, Unpack

from . import revisions
from .errors import AuthorError, OptionError
from .protocol.core import Core
from .protocol.dispatch import receive
from .protocol.exchange import Exchange
from .protocol.option_check import with_checked_options
from .protocol.options import HttpOptions, RunOptions
from .protocol.request import Caller
from .revisions import Revision
from .transports import run as runner
from .transports.connection import Connection
from .transports.log_format import formatted_logs
from .transports.shutdown import GRACE
from .transports.threads import threads_of

__all__ = ["Server"]


class Server(Core):
    """An MCP server: register plain functions, then hand it messages or mount it.

    >>> server = Server("greeter", "1.0")
    >>> @server.tool
    ... def greet(name: str) -> str:
    ...     return f"Hello, {name}!"
    >>> server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    b'{"jsonrpc":"2.0","id":1,"result":{}}'
    """

    def handle(self, message: Any, *, revision: str | Revision | None = None, principal: Any = None) -> bytes | None:
        """Answer one message, in bytes, text or data; no loop, no socket, no lifespan.

        `revision` says what is spoken when the message does not say so itself.
        """
        return runner.run(receive(self, message, _caller_of(revision, principal)))

    async def handle_async(
        self, message: Any, *, revision: str | Revision | None = None, principal: Any = None
    ) -> bytes | None:
        """Answer one message in an event loop; takes what `handle` takes."""
        from .transports.run_async import run_async  # an event loop is loaded for those who need one

        return await run_async(receive(self, message, _caller_of(revision, principal)), threads_of(self))

    def receive(self, message: Any, *, revision: str | Revision | None = None, principal: Any = None) -> Exchange:
        """Start to answer one message: gives the exchange, for a program that takes its steps by itself."""
        return receive(self, message, _caller_of(revision, principal))

    @with_checked_options("server.connect", "write server.connect(send)")
    def connect(self, send: Callable[[bytes], None] | None = None, *, principal: Any = None) -> Connection:
        """A connection that remembers its handshake; `send` is called with notifications and questions."""
        return Connection(self, send, principal=principal)

    @with_checked_options("server.asgi", "write server.asgi(principal=…)")
    def asgi(self, *, principal: Callable[[Any], Any] | None = None, **settings: Unpack[HttpOptions]) -> Any:
        """An ASGI application: give it to uvicorn, or mount it in Starlette, FastAPI or Litestar.

        `principal` is called with the scope of each request and says who is calling; see
        transports.streamable.Settings for the rest.
        """
        from .transports import asgi  # loaded for those who mount the server

        return asgi.ASGIApp(self, asgi.Settings(**settings), principal=principal)

    @with_checked_options("server.wsgi", "write server.wsgi(principal=…)")
    def wsgi(self, *, principal: Callable[[Any], Any] | None = None, **settings: Unpack[HttpOptions]) -> Any:
        """A WSGI application: give it to gunicorn, or mount it in Django or Flask.

        An open stream holds on to a thread of the server, so none stays open unless `max_standing` says how many.
        """
        from .transports import wsgi  # loaded for those who mount the server

        settings.setdefault("max_standing", 0)
        return wsgi.WSGIApp(self, wsgi.Settings(**settings), principal=principal)

    @with_checked_options("server.run", 'write server.run(), or server.run(http="127.0.0.1:8000")')
    def run(
        self,
        http: str | int | None = None,
        *,
        workers: int = 1,
        grace: float = GRACE,
        uvicorn: dict[str, Any] | None = None,
        **options: Unpack[RunOptions],
    ) -> None:
        """Serve until the client hangs up or a signal ends us: on standard input and output, or over HTTP.

        `http` is a host and port, such as "127.0.0.1:8000", or a port of 127.0.0.1: the server is then found there at
        /mcp, in as many processes as `workers` says; of several none keeps sessions. It ends within `grace` seconds:
        requests that take longer are given up, and answered with an error. Takes besides, for HTTP, what `asgi` takes
        and, in `uvicorn`, what uvicorn takes; for standard input and output, max_line (see transports.stdio). Raises
        AuthorError when it cannot be served there.
        """
        given: dict[str, Any] = {**options}
        over_pipes = {name: given.pop(name) for name in ("max_line", "streams") if name in given}
        if http is None:
            from .transports import stdio  # loaded for those who run the server

            for_http = [*given, *(["workers"] if workers != 1 else []), *(["uvicorn"] if uvicorn is not None else [])]
            if for_http:
                raise OptionError(f'server.run: {for_http[0]}= goes with http=, such as http="127.0.0.1:8000"')
            with formatted_logs():
                stdio.run(self, grace=grace, **over_pipes)
        else:
            from .transports import uvicorn as serving  # the same

            if over_pipes:
                raise OptionError(
                    f"server.run: {next(iter(over_pipes))}= is for standard input and output, without http="
                )
            if workers > 1 and not given.setdefault("stateless", True):
                raise AuthorError("a session belongs to one process: with several workers, stateless is True")
            serving.check_uvicorn(uvicorn or {})
            with formatted_logs():
                app, address = self.asgi(**given), serving.address_text(http)
                serving.serve(app, address, workers=workers, grace=grace, **(uvicorn or {}))


def _caller_of(revision: str | Revision | None, principal: Any) -> Caller:
    return Caller(None, principal, None if revision is None else revisions.revision_of(revision))
