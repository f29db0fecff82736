"""A handler with the context of a facade around it."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any

from plainmcp import Context
from plainmcp.compat.wrap import with_context
from plainmcp.schema import signature


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
