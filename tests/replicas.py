"""Two replicas of one server in one process, each with its own application, on a store they share."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mounted import Live, speak
from plainmcp import Context, Server
from plainmcp.store import Store

__all__ = ["KEY", "call", "make_server", "messages", "question", "replicas", "request", "wait_until"]

KEY = b"the key of all replicas"


def make_server(name: str = "library", key: bytes = KEY, **options: Any) -> Server:
    server = Server(name, "1", key=key, **options)
    server.marks = []  # type: ignore[attr-defined]

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    async def ask(ctx: Context, what: str = "Sure?") -> str:
        answer = await ctx.elicit(what, {"type": "object", "properties": {"word": {"type": "string"}}})
        return f"{answer.action}: {answer.data}"

    @server.tool
    async def count(ctx: Context, to: int = 5, seconds: float = 0.05) -> str:
        try:
            for number in range(to):
                ctx.progress(number + 1, to)
                await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            server.marks.append("cancelled")  # type: ignore[attr-defined]
            raise
        return "counted"

    @server.tool
    def log(ctx: Context) -> str:
        ctx.debug("a detail")
        ctx.error("a problem")
        return "logged"

    @server.tool
    def touch(uri: str = "memo://one") -> str:
        server.resource_updated(uri)
        return "touched"

    @server.tool
    async def touch_later(ctx: Context, uri: str = "memo://one") -> str:
        ctx.progress(1, 2)
        await asyncio.sleep(0.01)
        server.resource_updated(uri)
        return "touched"

    @server.tool
    def grow(name: str) -> str:
        server.tool(name=name)(lambda: "new")
        return "grown"

    server.resource("memo://one", name="one")(lambda: "1")
    server.resource("memo://two", name="two")(lambda: "2")
    return server


@contextmanager
def replicas(store: Store, count: int = 2, **options: Any) -> Iterator[list[Any]]:
    """Applications of that many servers."""
    settings = {"store": store, **options.pop("settings", {})}
    servers = [make_server(**options) for _ in range(count)]
    apps = [server.asgi(**settings) for server in servers]
    for app, server in zip(apps, servers, strict=True):
        app.server = server
        app.endpoint.start()
    try:
        yield apps
    finally:
        for app in apps:
            app.close()


def request(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def call(tool: str, id: Any = 1, progress: bool = False, **arguments: Any) -> dict[str, Any]:
    meta = {"_meta": {"progressToken": id}} if progress else {}
    return request("tools/call", id, name=tool, arguments=arguments, **meta)


def messages(live: Live) -> list[dict[str, Any]]:
    """What a stream has carried so far."""
    return [event["data"] for event in live.events if event.get("data")] if live.status else []


async def question(live: Live) -> dict[str, Any]:
    """The question on a stream."""
    await live.until(lambda one: any("method" in message and "id" in message for message in messages(one)))
    return next(message for message in messages(live) if "method" in message and "id" in message)


async def wait_until(condition: Any, seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def status_of(app: Any, headers: dict[str, str]) -> int:
    return (await speak(app, request("ping"), headers)).status
