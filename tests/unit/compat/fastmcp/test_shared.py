"""Shared dependencies of FastMCP: made once, kept until the lifespan ends."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.dependencies import Shared
from plainmcp.testing import Client


@pytest.mark.parametrize("has_lifespan", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_value_is_made_once_and_closed_with_the_lifespan(has_lifespan: bool, is_async: bool) -> None:
    events: list[str] = []

    @asynccontextmanager
    async def live(server: Any) -> AsyncIterator[dict[str, str]]:
        events.append("start")
        yield {"shelf": "first"}
        events.append("end")

    @contextmanager
    def plain() -> Iterator[str]:
        events.append("open")
        yield "value"
        events.append("close")

    @asynccontextmanager
    async def fetched() -> AsyncIterator[str]:
        events.append("open")
        yield "value"
        events.append("close")

    mcp = FastMCP("x", lifespan=live if has_lifespan else None)
    connect: Any = fetched if is_async else plain

    @mcp.tool
    async def first(connection: str = Shared(connect)) -> str:
        return connection

    @mcp.resource("memo://a")
    def second(connection: str = Shared(connect)) -> str:
        return connection

    async def use() -> list[str]:
        texts = [(await mcp.call_tool("first")).content[0].text for _ in range(2)]
        texts.append((await mcp.read_resource("memo://a")).contents[0].content)
        await mcp.close_async()
        return texts

    assert asyncio.run(use()) == ["value"] * 3
    expected = ["open", "close"]
    assert events == (["start", *expected, "end"] if has_lifespan else expected)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_is_called_once_also_without_a_loop(is_async: bool) -> None:
    calls: list[int] = []

    def plain() -> int:
        calls.append(1)
        return len(calls)

    async def fetched() -> int:
        return plain()

    mcp = FastMCP("x")

    @mcp.tool
    def number(name: str, value: int = Shared(fetched if is_async else plain)) -> int:
        return value

    client = Client(mcp)
    assert list(client.list_tools()[0]["inputSchema"]["properties"]) == ["name"]
    assert [client.call("number", name="a")["structuredContent"] for _ in range(2)] == [{"result": 1}] * 2
    mcp.close()
