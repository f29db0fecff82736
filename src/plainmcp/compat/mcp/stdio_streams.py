"""`stdio_server()` of the official SDK, and what runs a server on the streams that it yields."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from ...errors import AuthorError
from ...server import Server

__all__ = ["StandardStream", "serve_streams", "stdio_server"]


class StandardStream:
    """Stands for standard input or output: the server that is run on it reads and writes by itself."""


@asynccontextmanager
async def stdio_server(stdin: Any = None, stdout: Any = None) -> AsyncGenerator[tuple[Any, Any], None]:
    """The streams for `Server.run`; other files than standard input and output are refused."""
    if stdin is not None or stdout is not None:
        raise AuthorError("stdio_server() serves standard input and output; pass other pipes to plainmcp.Server.run")
    yield StandardStream(), StandardStream()


async def serve_streams(server: Server, stream: Any) -> None:
    """Serve on standard input and output until the client disconnects, inside an event loop."""
    if not isinstance(stream, StandardStream):
        raise AuthorError(
            "run(read_stream, write_stream) takes the streams of stdio_server(); for HTTP, mount server.asgi()"
        )
    await Server.run_async(server)
