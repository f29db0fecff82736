"""A server on streams of a program's own: messages in, messages out, questions, and the lifespan around them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.server import Server
from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP
from plainmcp.compat.mcp.shared.message import SessionMessage

HANDSHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Peer:
    """The other end of the streams."""

    def __init__(self) -> None:
        self.send_in, self.receive_in = anyio.create_memory_object_stream[Any](10)
        self.send_out, self.receive_out = anyio.create_memory_object_stream[Any](10)

    async def send(self, **message: Any) -> None:
        parsed = types.JSONRPCMessage.model_validate({"jsonrpc": "2.0", **message})
        await self.send_in.send(SessionMessage(parsed))

    async def receive(self) -> Any:
        with anyio.fail_after(30):
            return (await self.receive_out.receive()).message.root

    def close(self) -> None:
        for stream in (self.send_in, self.receive_in, self.send_out, self.receive_out):
            stream.close()


async def talk(server: Any, use: Any) -> Any:
    """Run a server on streams, use it, and wait for its end after the streams end."""
    peer = Peer()
    running = asyncio.create_task(server.run(peer.receive_in, peer.send_out, server.create_initialization_options()))
    try:
        await peer.send(id=0, method="initialize", params=HANDSHAKE)
        assert (await peer.receive()).result["protocolVersion"] == "2025-06-18"
        result = await use(peer)
        peer.send_in.close()
        await asyncio.wait_for(running, 5)
        return result
    finally:
        running.cancel()
        peer.close()


def test_a_low_level_server_answers_on_any_pair_of_streams() -> None:
    server = Server("streams")

    @server.list_tools()
    async def list_tools() -> list[types.Tool]:
        return [types.Tool(name="hi", inputSchema={"type": "object"})]

    async def use(peer: Peer) -> Any:
        await peer.send(id=1, method="tools/list")
        return await peer.receive()

    answer = asyncio.run(talk(server, use))
    assert isinstance(answer, types.JSONRPCResponse) and answer.id == 1
    assert answer.result["tools"] == [{"name": "hi", "inputSchema": {"type": "object"}}]


def test_the_server_behind_fastmcp_sends_what_its_tool_sends_and_starts_its_lifespan() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(server: Any) -> AsyncIterator[str]:
        seen.append("start")
        yield "value"
        seen.append("end")

    mcp = FastMCP("streams", lifespan=lifespan)

    @mcp.tool()
    async def work(ctx: Context) -> str:
        await ctx.info("working")
        return str(ctx.request_context.lifespan_context)

    async def use(peer: Peer) -> list[Any]:
        await peer.send(id="a", method="tools/call", params={"name": "work", "arguments": {}})
        return [await peer.receive(), await peer.receive()]

    log, answer = asyncio.run(talk(mcp._mcp_server, use))
    assert isinstance(log, types.JSONRPCNotification) and log.params == {"level": "info", "data": "working"}
    assert answer.result["content"] == [{"type": "text", "text": "value"}]
    assert seen == ["start", "end"]


def test_an_exception_in_the_stream_is_logged_and_the_server_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async def use(peer: Peer) -> Any:
        await peer.send_in.send(ValueError("half a line"))
        await peer.send(id=2, method="ping")
        return await peer.receive()

    assert asyncio.run(talk(Server("streams"), use)).result == {}
    assert "half a line" in caplog.text


def test_a_request_that_still_runs_when_the_stream_ends_is_cancelled() -> None:
    server, cancelled = Server("streams"), asyncio.Event()

    @server.call_tool()
    async def call_tool(name: str, arguments: dict[str, Any]) -> list[Any]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return []

    @server.list_tools()
    async def list_tools() -> list[types.Tool]:
        return [types.Tool(name="slow", inputSchema={"type": "object"})]

    async def use(peer: Peer) -> None:
        await peer.send(id=3, method="tools/call", params={"name": "slow", "arguments": {}})
        await asyncio.sleep(0.05)

    asyncio.run(talk(server, use))
    assert cancelled.is_set()


def test_a_parameter_that_is_null_is_absent() -> None:
    server = Server("streams")

    @server.call_tool()
    async def call_tool(name: str, arguments: dict[str, Any]) -> list[types.TextContent]:
        return [types.TextContent(type="text", text=name)]

    async def use(peer: Peer) -> Any:
        await peer.send(id=1, method="tools/call", params={"name": "hi", "arguments": None, "_meta": None})
        return await peer.receive()

    assert asyncio.run(talk(server, use)).result["content"] == [{"type": "text", "text": "hi"}]


def test_a_stream_that_is_closed_ends_the_server_and_the_other_stream() -> None:
    async def work() -> None:
        peer = Peer()
        running = asyncio.create_task(Server("streams").run(peer.receive_in, peer.send_out))
        await asyncio.sleep(0)
        peer.receive_in.close()
        peer.send_in.close()
        await asyncio.wait_for(running, 5)
        with pytest.raises(anyio.EndOfStream):
            peer.receive_out.receive_nowait()
        peer.close()

    asyncio.run(work())
