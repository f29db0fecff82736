"""Two replicas of one server in one process, each with its own application, on a store they share."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mounted import Live, modern, session, speak
from plainmcp import Context, Server
from plainmcp.store import Store

__all__ = [
    "KEY", "SUBSCRIBE", "call", "check_that_all_works", "check_that_calls_go_on", "check_that_the_rest_says_why",
    "make_server", "messages", "question", "replicas", "request", "wait_until",
]  # fmt: skip

KEY = b"the key of all replicas"
SUBSCRIBE = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "memo://one"}}


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


# What holds with a store, and without one ---------------------------------------------------------


async def check_that_calls_go_on(apps: list[Any], headers: dict[str, str]) -> None:
    """Plain calls, lists, calls of 2026-07-28, log messages and handshakes."""
    for app in apps:
        started = time.monotonic()
        assert (await speak(app, call("add", a=1, b=2), headers)).status == 200
        assert (await speak(app, request("tools/list"), headers)).status == 200
        assert (await speak(app, *modern("tools/call", name="add", arguments={"a": 1, "b": 2}))).status == 200
        assert messages(await speak(app, call("log"), headers))[-1]["result"]
        assert time.monotonic() - started < 1.5
    new = await session(apps[0])  # a handshake needs no store
    assert (await speak(apps[1], call("add", a=1, b=2), new)).status == 200


async def check_that_the_rest_says_why(apps: list[Any], headers: dict[str, str]) -> None:
    """What needs the store is answered with an error that says so, within a second."""
    for app, other in zip(apps, reversed(apps), strict=True):
        started = time.monotonic()
        failed = await speak(app, SUBSCRIBE, headers)
        assert "the shared store of this server" in failed.json["error"]["message"]
        assert time.monotonic() - started < 1
        for method in ("GET", "DELETE"):
            refused = await speak(app, None, headers, method)
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            assert "the shared store of this server" in refused.json["error"]["message"]
        name = app.endpoint.sessions.local.kept.get(headers["mcp-session-id"].encode(), None).name
        replica = other.endpoint.sessions.local.replica
        asked_there = replica.keys.name_question(name, replica.name, 1)
        answered = await speak(app, {"jsonrpc": "2.0", "id": asked_there, "result": {}}, headers)
        assert answered.status == 503
        unasked = await speak(app, {"jsonrpc": "2.0", "id": "s-1", "result": {}}, headers)
        assert unasked.status == 202  # as with the store: it is dropped
        asked = await speak(app, call("ask"), headers)
        assert "the shared store of this server" in asked.json["result"]["content"][0]["text"]
        assert time.monotonic() - started < 2


async def check_that_all_works(apps: list[Any], headers: dict[str, str]) -> None:
    """A subscription, an update, a question and a cut stream, each of them through both replicas."""
    one, other = apps
    assert (await speak(other, SUBSCRIBE, headers)).json["result"] == {}
    stream = Live(one, None, headers, "GET")
    await stream.until(lambda live: live.status)
    await speak(other, call("touch"), headers)
    await stream.until(lambda live: messages(live))
    assert {message["params"]["uri"] for message in messages(stream)} == {"memo://one"}
    live = Live(one, call("ask"), headers)
    asked = await question(live)
    await speak(other, {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}, headers)
    await live.done()
    cut = Live(one, call("count", 5, True, to=4), headers)
    await cut.until(lambda live: messages(live))
    seen = len(messages(cut))
    for live in (cut, stream):
        live.hang_up()
        await live.task
    rest = await Live(other, None, {**headers, "last-event-id": cut.events[-1]["id"]}, "GET").done()
    assert [one["params"]["progress"] for one in messages(rest)[:-1]] == list(range(seen + 1, 5))
    assert messages(rest)[-1]["id"] == 5
