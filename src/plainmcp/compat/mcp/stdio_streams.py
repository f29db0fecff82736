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


async def serve_streams(server: Server, read_stream: Any, write_stream: Any) -> None:
    """Serve the streams of `stdio_server()`, or others that carry messages, until the client disconnects."""
    if isinstance(read_stream, StandardStream):
        await Server.run_async(server)
        return
    from .message_streams import serve_messages  # loaded for those who have a transport of their own

    await serve_messages(server, read_stream, write_stream)
