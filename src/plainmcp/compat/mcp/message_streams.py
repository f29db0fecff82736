"""Serves one client on two streams that carry the messages of the official SDK: for a program's own transports.

A stream to read is looped over with `async for`, one to write has an async `send`, as the streams of anyio have.
"""

import asyncio
import logging
from functools import partial
from typing import Any

from ...server import Server
from ...transports.run_async import call_soon
from .shared.message import SessionMessage
from .types import JSONRPCMessage

__all__ = ["serve_messages"]

_log = logging.getLogger("plainmcp")

_CLOSED = ("ClosedResourceError", "BrokenResourceError", "EndOfStream")
"""The exceptions of anyio's streams that are closed, by name: anyio is not imported."""


async def serve_messages(server: Server, read_stream: Any, write_stream: Any) -> None:
    """Serve until the stream to read ends; requests that still run then are cancelled, and the streams closed."""
    loop = asyncio.get_running_loop()
    messages: asyncio.Queue[bytes] = asyncio.Queue()

    def send(raw: bytes) -> None:  # from any thread, and always in this way: so messages stay in their order
        call_soon(loop, partial(messages.put_nowait, raw))

    connection = server.connect(send)
    running: set[asyncio.Task[None]] = set()

    async def finish(exchange: Any) -> None:
        raw = await connection.finish_async(exchange)
        if raw is not None:
            send(raw)

    async def write() -> None:
        while True:
            message = JSONRPCMessage.model_validate_json(await messages.get())
            try:
                await write_stream.send(SessionMessage(message=message))
            except Exception as error:
                if type(error).__name__ not in _CLOSED:
                    raise
                return  # the client reads no more

    lives = server.lives()
    for life in lives:
        await life.start_async()
    writer = loop.create_task(write())
    try:
        async for item in read_stream:
            if isinstance(item, Exception):
                _log.warning("a message could not be read: %s", item)
                continue
            message = getattr(item, "message", item)
            task = loop.create_task(finish(connection.start(_to_plain(message))))
            running.add(task)
            task.add_done_callback(running.discard)
    except Exception as error:
        if type(error).__name__ not in _CLOSED:
            raise
    finally:
        for task in (*running, writer):
            task.cancel()
        connection.close()
        for life in reversed(lives):
            await life.close_async()
        for stream in (read_stream, write_stream):
            if hasattr(stream, "aclose"):
                await stream.aclose()


def _to_plain(message: Any) -> dict[str, Any]:
    """A message as data, without parameters that are null: the SDK reads them as absent."""
    plain: dict[str, Any] = message.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(plain.get("params"), dict):
        plain["params"] = {name: value for name, value in plain["params"].items() if value is not None}
    return plain
