"""`stdio_server()` of the official SDK, and what runs a server on the streams that it yields.

A server here reads and writes standard input and output by itself. A program that reads the streams itself, or gives
files of its own, gets a message for each line.
"""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import TextIOWrapper
from typing import Any

import msgspec

from ...server import Server
from .jsonrpc_types import JSONRPCMessage
from .shared.message import SessionMessage

__all__ = ["LineReader", "LineWriter", "StandardStream", "serve_streams", "stdio_server"]


class StandardStream:
    """Standard input or output; the server that is run on it reads and writes by itself."""

    name = "stdin"

    def __init__(self, file: Any = None) -> None:
        self.file = file
        self._opened: Any = None

    def open(self) -> Any:
        """The file, for a program that reads or writes itself."""
        import anyio  # the program has it: the streams of the SDK are those of anyio

        if self._opened is None:
            stream = getattr(sys, self.name).buffer
            self._opened = self.file or anyio.wrap_file(TextIOWrapper(stream, encoding="utf-8", errors="replace"))
        return self._opened

    async def aclose(self) -> None:
        """Use it no more; the file stays open."""

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


class LineReader(StandardStream):
    """Messages, one in each line; a line that is none is an exception in its place."""

    async def receive(self) -> Any:
        """The next message; raises EndOfStream at the end."""
        async for message in self:
            return message
        import anyio  # as above

        raise anyio.EndOfStream

    def __aiter__(self) -> "LineReader":
        return self

    async def __anext__(self) -> Any:
        line = await self.open().readline()
        if not line:
            raise StopAsyncIteration
        try:
            return SessionMessage(JSONRPCMessage.model_validate(msgspec.json.decode(line)))
        except ValueError as error:
            return error


class LineWriter(StandardStream):
    """Writes messages, one in each line."""

    name = "stdout"

    async def send(self, message: Any) -> None:
        """Write a message."""
        inner = getattr(message, "message", message)
        await self.open().write(inner.model_dump_json(by_alias=True, exclude_none=True) + "\n")
        await self.open().flush()


@asynccontextmanager
async def stdio_server(stdin: Any = None, stdout: Any = None) -> AsyncGenerator[tuple[Any, Any], None]:
    """The streams for `Server.run`: standard input and output, or async files of anyio."""
    yield LineReader(stdin), LineWriter(stdout)


async def serve_streams(server: Server, read_stream: Any, write_stream: Any) -> None:
    """Serve the streams of `stdio_server()`, or others that carry messages, until the client disconnects."""
    if isinstance(read_stream, StandardStream) and read_stream.file is None:
        await Server.run_async(server)
        return
    from .message_streams import serve_messages  # loaded for those who have a transport of their own

    await serve_messages(server, read_stream, write_stream)
