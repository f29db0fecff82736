"""A handler with the context of a facade around it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from plainmcp import Context
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.wrap import with_context
from plainmcp.schema import signature
from plainmcp.testing import Client


def test_a_plain_function_that_returns_a_coroutine_runs_inside_the_context() -> None:
    events: list[str] = []

    @contextmanager
    def enter(inner: Any) -> Iterator[str]:
        events.append(f"enter {inner}")
        yield "facade"
        events.append("leave")

    async def wait(text: str) -> str:
        events.append(f"run {text}")
        return text

    def handler(text: str, ctx: Context) -> Awaitable[str]:
        return wait(f"{text} {ctx}")

    run = with_context(handler, signature.read(handler, context_type=Context), enter, convert=str.upper)
    assert asyncio.run(run(text="a", ctx="native")) == "A FACADE"
    assert events == ["enter native", "leave", "enter native", "run a facade", "leave"]


@pytest.mark.parametrize("revision", ["2025-06-18", "2026-07-28"])
def test_what_a_generator_yields_is_a_list(revision: str) -> None:
    mcp = FastMCP("x")

    @mcp.tool
    def plain() -> Iterator[int]:
        yield 1
        yield 2

    @mcp.tool
    async def fetched() -> AsyncIterator[int]:
        yield 3

    async def produce() -> AsyncIterator[int]:
        yield 4

    @mcp.tool
    async def coroutine() -> AsyncIterator[int]:
        return produce()

    @mcp.tool
    def function() -> AsyncIterator[int]:
        return produce()

    @mcp.tool
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    client = Client(mcp, revision)
    texts = [client.call(name)["content"][0]["text"] for name in ("plain", "fetched", "coroutine", "function")]
    assert texts == ["[1,2]", "[3]", "[4]", "[4]"]
    assert client.call("broken")["content"][0]["text"] == "Error calling tool 'broken': no more"
