"""The ASGI edge, driven in memory by a hand-written server, and a little by uvicorn on loopback."""

import asyncio
import contextlib
import gc
import json
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from http.client import HTTPConnection
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from mounted import ACCEPT, META, Live, initialize, modern, session, speak
from plainmcp import Context, File, Server, ToolError
from plainmcp.errors import InvalidRequest
from plainmcp.revisions import LATEST
from plainmcp.transports import asgi
from plainmcp.transports.http import pending as pending_module
from plainmcp.transports.http.checks import facts_of
from plainmcp.transports.http.pending import PendingResponse
from plainmcp.transports.http.stream import Stream

PROGRESS = {"progressToken": "p"}
HANDSHAKE_HTTP = ["2025-03-26", "2025-06-18", "2025-11-25"]


def looped(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in a loop of its own."""

    @wraps(test)
    def run(**given: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**given), 30))

    return run


@dataclass
class Name:
    name: str


class Clock:
    """A clock that stands still until it is set."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Seen:
    """What handlers did."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go = threading.Event()
        self.ended: list[str] = []


def make(seen: Seen | None = None, **options: Any) -> Server:
    server = Server("test", "1.0", **options)
    seen = seen or Seen()

    @server.tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @server.tool
    def talk(ctx: Context, times: int = 2) -> str:
        """Say how far it is."""
        for n in range(times):
            ctx.progress(n + 1, times)
        return "done"

    @server.tool
    async def greet(ctx: Context) -> str:
        """Ask for a name."""
        answer = await ctx.elicit("Who are you?", Name)
        return f"Hello, {answer.data.name}!"

    @server.tool
    async def wait(ctx: Context) -> str:
        """Never end by itself."""
        seen.began.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.ended.append("cancelled")
            raise
        return "never"

    @server.tool
    def hold(ctx: Context) -> str:
        """Hold a thread until told otherwise."""
        ctx.progress(1)
        seen.began.set()
        while not ctx.cancelled and not seen.go.wait(0.01):
            pass
        seen.ended.append("given up" if ctx.cancelled else "done")
        return "held"

    @server.tool
    async def hang_up(ctx: Context) -> str:
        """End the stream before the answer."""
        await ctx.close_stream()
        await asyncio.sleep(0.02)
        return "fetched"

    @server.tool
    async def slow() -> str:
        """Take a while."""
        await asyncio.sleep(0.2)
        return "slow"

    @server.tool(
        name="route",
        input_schema={
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        },
    )
    def route(region: str = "") -> str:
        """Routed by a header."""
        return region

    @server.tool(needs={"sampling": {}})
    def picky() -> str:
        """Only for clients that sample."""
        return ""

    @server.tool
    def whoami(ctx: Context) -> str:
        """Who is calling."""
        return str(ctx.principal)

    @server.resource("note://a")
    def note() -> str:
        """A note."""
        return "a"

    @server.prompt
    def brief() -> str:
        """A brief."""
        return "brief"

    return server


def call(name: str, id: Any = 1, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def text(message: Any) -> str:
    return str(message["result"]["content"][0]["text"])


def change(server: Server, name: str = "more") -> None:
    server.tool(name=name)(lambda: "more")


# 2026-07-28: every request stands alone ------------------------------------------------------------


@looped
async def test_a_modern_request_is_answered_by_json_and_no_session() -> None:
    """R26-HTTP-01, R26-HTTP-08, R26-HTTP-27"""
    body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
    answer = await speak(make().asgi(), body, {**headers, "mcp-session-id": "nobody", "last-event-id": "1-1"})
    assert answer.status == 200
    assert answer.headers == {"content-type": "application/json", "content-length": str(len(answer.body))}
    assert answer.json["result"]["structuredContent"] == {"result": 3}


@looped
async def test_the_bytes_are_those_of_handle() -> None:
    server = make()
    body, headers = modern("tools/list")
    assert (await speak(server.asgi(), body, headers)).body == server.handle(body)


@pytest.mark.parametrize("is_modern", [True, False])
@looped
async def test_the_memory_of_a_request_is_free_when_it_ends(is_modern: bool) -> None:
    """Without the garbage collector: until that runs, a large result would stay in memory too."""
    server = Server("test")

    @server.tool
    async def echo(text: str) -> str:
        return text

    app = server.asgi()
    body, headers = modern("tools/call", name="echo", arguments={"text": "hello"})
    if not is_modern:
        body, headers = call("echo", text="hello"), await session(app)
    gc.collect()
    gc.disable()
    try:
        before = find_pending_responses()  # of other tests, whose threads may still end
        assert (await speak(app, body, headers)).status == 200
        assert find_pending_responses() - before == set()
    finally:
        gc.enable()


def find_pending_responses() -> set[PendingResponse]:
    return {one for one in gc.get_objects() if type(one) is PendingResponse}  # no question to lazy objects


@looped
async def test_a_modern_notification_is_accepted_and_a_response_is_not() -> None:
    """R26-HTTP-06, R26-HTTP-07"""
    app = make().asgi()
    headers = {"mcp-protocol-version": "2026-07-28"}
    note = await speak(
        app, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, headers
    )
    assert (note.status, note.body) == (202, b"")
    response = await speak(app, {"jsonrpc": "2.0", "id": 1, "result": {}}, headers)
    assert (response.status, response.json["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@looped
async def test_get_and_delete_are_not_for_modern_clients(method: str) -> None:
    """R26-HTTP-27"""
    answer = await speak(make().asgi(), None, {"mcp-protocol-version": "2026-07-28"}, method)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (*modern("ping"), 404, -32601),
        (*modern("initialize"), 404, -32601),
        (*modern("no/such"), 404, -32601),
        (*modern("tools/call", name="nobody"), 400, -32602),
        (*modern("tools/call", name="picky"), 400, -32021),
        (*modern("resources/read", uri="note://none"), 400, -32602),
        ({**modern("tools/list")[0], "params": {}}, modern("tools/list")[1], 400, -32602),
        (modern("tools/list")[0], {"mcp-protocol-version": "2026-07-28"}, 400, -32020),
        (modern("tools/list")[0], {}, 400, -32020),
        ([modern("tools/list")[0]], modern("tools/list")[1], 400, -32600),
        (b"{", modern("tools/list")[1], 400, -32700),
        (b'{"jsonrpc":"1.0"}', modern("tools/list")[1], 400, -32600),
    ],
)
@looped
async def test_a_modern_error_has_its_status(body: Any, headers: dict[str, str], status: int, code: int) -> None:
    """R26-HTTP-28, R26-HDR-04, R26-HDR-05"""
    answer = await speak(make().asgi(), body, headers)
    assert (answer.status, answer.json["error"]["code"]) == (status, code)
    assert answer.json.get("id") == (body.get("id") if isinstance(body, dict) else None)


@pytest.mark.parametrize(("sent", "status"), [("eu", 200), ("us", 400), ("=?base64?ZXU=?=", 200), (None, 400)])
@looped
async def test_an_annotated_argument_is_repeated_by_a_header(sent: str | None, status: int) -> None:
    """R26-HDR-10"""
    body, headers = modern("tools/call", name="route", arguments={"region": "eu"})
    if sent is not None:
        headers["MCP-param-REGION"] = sent
    answer = await speak(make().asgi(), body, headers)
    assert answer.status == status
    assert ("error" in answer.json) == (status == 400)


@looped
async def test_a_routing_header_given_twice_is_refused() -> None:
    body, headers = modern("tools/list")
    answer = await speak(make().asgi(), body, [*headers.items(), ("Mcp-Method", "tools/list")])
    assert (answer.status, answer.json["error"]["code"]) == (400, -32020)


@looped
async def test_a_modern_answer_becomes_a_stream_when_something_is_said_before_it() -> None:
    """R26-HTTP-08, R26-HTTP-10, R26-HTTP-12, R26-HTTP-26"""
    body, headers = modern("tools/call", meta=PROGRESS, name="talk")
    answer = await speak(make().asgi(), body, headers)
    assert answer.headers["x-accel-buffering"] == "no" and answer.headers["cache-control"] == "no-cache"
    first, second, last = answer.events
    assert first["data"]["params"] == {"progressToken": "p", "progress": 1, "total": 2}
    assert second["data"]["method"] == "notifications/progress"
    assert text(last["data"]) == "done"
    assert not any("id" in event for event in answer.events)


@looped
async def test_a_modern_question_ends_the_request_and_never_goes_out_as_one() -> None:
    """R26-HTTP-13"""
    body, headers = modern("tools/call", name="greet")
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
    answer = await speak(make().asgi(), body, headers)
    assert answer.json["result"]["resultType"] == "input_required"


@looped
async def test_a_client_that_takes_only_json_gets_only_the_answer() -> None:
    body, headers = modern("tools/call", meta=PROGRESS, name="talk")
    answer = await speak(make().asgi(), body, {**headers, "accept": "application/json"})
    assert text(answer.json) == "done"


@looped
async def test_a_client_that_takes_only_streams_gets_the_answer_on_one() -> None:
    body, headers = modern("tools/call", name="slow")
    answer = await speak(make().asgi(), body, {**headers, "accept": "text/event-stream"})
    assert text(answer.events[-1]["data"]) == "slow"


@looped
async def test_hanging_up_cancels_a_modern_request() -> None:
    """R26-HTTP-15, R26-HTTP-16, R26-CANC-01"""
    seen = Seen()
    body, headers = modern("tools/call", name="wait")
    live = Live(make(seen).asgi(), body, headers)
    await live.until(lambda _: seen.began.is_set())
    live.hang_up()
    await live.done()
    await asyncio.sleep(0.05)
    assert seen.ended == ["cancelled"]
    assert live.status == 0


@looped
async def test_hanging_up_reaches_a_plain_function_in_its_thread() -> None:
    """R26-HTTP-15"""
    seen = Seen()
    body, headers = modern("tools/call", name="hold", meta=PROGRESS)
    live = Live(make(seen).asgi(), body, headers)
    await live.until(lambda one: one.body)
    live.hang_up()
    await live.task
    for _ in range(200):
        if seen.ended:
            break
        await asyncio.sleep(0.01)
    assert seen.ended == ["given up"]
    assert len(live.events) == 1


# Listening ----------------------------------------------------------------------------------------


@looped
async def test_a_listen_stream_says_what_it_will_tell_and_then_only_that() -> None:
    """R26-SUB-02, R26-SUB-03, R26-SUB-04, R26-SUB-07"""
    server = make()
    app = server.asgi()
    body, headers = modern("subscriptions/listen", "L1", notifications={"toolsListChanged": True})
    live = Live(app, body, headers)
    await live.until(lambda one: one.body)
    server.prompt(name="other")(lambda: "x")
    server.resource_updated("note://a")
    change(server)
    await live.until(lambda one: len(one.events) > 1)
    first, second = (event["data"] for event in live.events)
    tag = {"io.modelcontextprotocol/subscriptionId": "L1"}
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"] == {"notifications": {"toolsListChanged": True}, "_meta": tag}
    assert second == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": tag}}
    live.hang_up()
    await live.task
    assert not app.endpoint.responses._standing and not server.registry._listeners


@looped
async def test_a_listen_stream_we_end_ends_with_its_result() -> None:
    """R26-SUB-05"""
    app = make().asgi()
    body, headers = modern("subscriptions/listen", "L1", notifications={"toolsListChanged": True})
    live = Live(app, body, headers)
    await live.until(lambda one: one.body)
    app.close()
    await live.done()
    last = live.events[-1]["data"]
    assert last["id"] == "L1" and last["result"]["resultType"] == "complete"
    assert last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "L1"


@pytest.mark.parametrize(
    ("accept", "settings", "status"),
    [("application/json", {}, 406), ("*/*", {"max_standing": 0}, 400), ("*/*", {}, 200)],
)
@looped
async def test_listening_takes_a_stream(accept: str, settings: dict[str, Any], status: int) -> None:
    body, headers = modern("subscriptions/listen", notifications={})
    live = Live(make().asgi(**settings), body, {**headers, "accept": accept})
    await live.until(lambda one: one.status)
    assert live.status == status
    live.hang_up()
    await live.task


@looped
async def test_a_request_that_is_ended_when_its_watcher_is_created_is_not_counted_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server("slow")

    @server.tool
    async def wait() -> str:
        await asyncio.sleep(20)
        return "done"

    app, loop = server.asgi(), asyncio.get_running_loop()
    live = Live(app, *modern("tools/call", name="wait", arguments={}))
    call_later = loop.call_later

    def end_first(delay: float, callback: Callable[..., Any], *args: Any, **options: Any) -> asyncio.TimerHandle:
        def work() -> None:
            live.task.cancel()
            callback(*args)

        return call_later(delay, work if delay == asgi.MOMENT else partial(callback, *args), **options)

    monkeypatch.setattr(loop, "call_later", end_first)
    with pytest.raises(asyncio.CancelledError):
        await live.task
    await asyncio.sleep(0)
    assert app.endpoint.responses._running_share.count == 0 and not app.endpoint.responses.running


def with_middleware() -> Server:
    server = make()

    @server.middleware
    async def pass_on(request: Any, call_next: Any) -> Any:
        await asyncio.sleep(0)
        return await call_next(request)

    return server


@pytest.mark.parametrize(
    ("accept", "settings", "status"),
    [("application/json", {}, 406), ("*/*", {"max_standing": 0}, 400), ("*/*", {}, 200)],
)
@looped
async def test_listening_after_middleware_takes_a_stream(accept: str, settings: dict[str, Any], status: int) -> None:
    body, headers = modern("subscriptions/listen", notifications={})
    live = Live(with_middleware().asgi(**settings), body, {**headers, "accept": accept})
    await live.until(lambda one: one.status)
    assert live.status == status
    live.hang_up()
    await live.task


@looped
async def test_only_so_many_streams_stay_open_after_middleware() -> None:
    app = with_middleware().asgi(max_standing=1)
    body, headers = modern("subscriptions/listen", notifications={})
    several = [Live(app, body, headers) for _ in range(3)]  # all are in the middleware before the first one is open
    for live in several:
        await live.until(lambda one: one.body)
    assert sorted(live.status for live in several) == [200, 503, 503]
    app.drain()
    for live in several:
        await live.done()
    assert (await speak(app, body, headers)).status == 503
    assert app.endpoint.responses._standing_share.count == app.endpoint.responses._running_share.count == 0


@looped
async def test_listening_after_middleware_ends_with_its_result() -> None:
    """R26-SUB-05"""
    app = with_middleware().asgi()
    live = Live(app, *modern("subscriptions/listen", "L1", notifications={}))
    await live.until(lambda one: one.body)
    app.close()
    await live.done()
    assert live.events[-1]["data"]["result"]["resultType"] == "complete"


def test_a_tool_in_a_thread_and_the_reader_of_its_messages_get_the_same_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pending, others = PendingResponse(facts_of("*/*", None, None), LATEST), list[Stream]()

    def make_slowly(**options: Any) -> Stream:
        if not threading.current_thread().name.startswith("other"):
            other = threading.Thread(target=lambda: others.append(pending.stream), name="other")
            other.start()
            other.join()
        return Stream(**options)

    monkeypatch.setattr(pending_module, "Stream", make_slowly)
    assert [pending.stream] == others == [pending.stream]


class Stalled(Live):
    """A client that stays connected, and does not read."""

    async def _send(self, message: Any) -> None:
        await super()._send(message)
        await self._gone.wait()


@looped
async def test_a_stream_that_is_resumed_again_and_again_counts_each_time() -> None:
    app = make().asgi(max_standing=2)
    headers = await session(app)
    first = Live(app, None, headers, "GET")
    await first.until(lambda one: one.body)
    headers["last-event-id"] = first.events[0]["id"]
    stalled = [Stalled(app, None, headers, "GET")]
    await first.done()  # the second reader has replaced it
    stalled.append(Stalled(app, None, headers, "GET"))
    await stalled[1].until(lambda one: one.status)
    answer = await speak(app, None, headers, "GET")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    for live in stalled:
        live.hang_up()
        await live.task
    assert app.endpoint.responses._standing_share.count == 0


@looped
async def test_only_so_many_streams_stay_open() -> None:
    app = make().asgi(max_standing=1)
    body, headers = modern("subscriptions/listen", notifications={})
    live = Live(app, body, headers)
    await live.until(lambda one: one.body)
    assert (await speak(app, body, headers)).status == 503
    live.hang_up()
    await live.task
    again = Live(app, body, headers)
    await again.until(lambda one: one.body)
    again.hang_up()
    await again.task


@looped
async def test_only_so_many_requests_run_at_once() -> None:
    seen = Seen()
    app = make(seen).asgi(max_running=1)
    body, headers = modern("tools/call", name="wait")
    live = Live(app, body, headers)
    await live.until(lambda _: seen.began.is_set())
    add = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
    full = await speak(app, *add)
    error = {"code": -32603, "message": "too many requests are running (max_running=1)"}
    assert (full.status, full.json) == (503, {"jsonrpc": "2.0", "id": 1, "error": error})
    assert (await speak(app, *modern("tools/list"))).status == 200
    live.hang_up()
    await live.task
    await asyncio.sleep(0.02)
    assert (await speak(app, *add)).status == 200


@looped
async def test_a_server_that_ends_waits_for_running_requests_only() -> None:
    """R26-SUB-05"""
    app = make().asgi()
    headers = await session(app)
    standing = Live(app, None, headers, "GET")
    listening = Live(app, *modern("subscriptions/listen", "L", notifications={}))
    running = Live(app, call("slow"), headers)
    for live in (standing, listening):
        await live.until(lambda one: one.body)
    app.drain()
    assert (await speak(app, None, headers, "GET")).status == 503
    await standing.done()
    assert (await listening.done()).events[-1]["data"]["id"] == "L"
    assert text((await running.done()).json) == "slow"


# Sessions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_initialize_opens_a_session_whose_id_cannot_be_guessed(version: str) -> None:
    """R*-SESS-01, R*-SESS-02, R*-HTTP-01, R*-HTTP-06, R*-HTTP-08"""
    app = make().asgi()
    ids = {(await session(app, version))["mcp-session-id"] for _ in range(5)}
    assert len(ids) == 5
    assert all(re.fullmatch(r"[\x21-\x7e]{40,}", id) for id in ids)


@looped
async def test_a_handshake_that_fails_in_middleware_leaves_no_session() -> None:
    server = make()

    @server.middleware
    async def refuse(request: Any, call_next: Any) -> Any:
        await asyncio.sleep(0)
        if request.method == "initialize":
            raise InvalidRequest("no")
        return await call_next(request)

    app = server.asgi()
    answer = await speak(app, initialize())
    assert answer.json["error"]["message"] == "no" and "mcp-session-id" not in answer.headers
    assert len(app.endpoint.sessions.kept) == 0


@pytest.mark.parametrize("header", ["2025-11-25", "v9", None])
@looped
async def test_initialize_is_let_in_under_any_version_header(header: str | None) -> None:
    answer = await speak(make().asgi(), initialize(), {"mcp-protocol-version": header} if header else {})
    assert answer.status == 200 and "mcp-session-id" in answer.headers


@looped
async def test_a_malformed_initialize_is_an_error_in_a_200_and_opens_nothing() -> None:
    app = make().asgi()
    answer = await speak(app, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    assert (answer.status, answer.json["error"]["code"]) == (200, -32602)
    assert "mcp-session-id" not in answer.headers and len(app.endpoint.sessions.kept) == 0


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_errors_of_the_handshake_revisions_come_in_a_200(version: str) -> None:
    app = make().asgi()
    headers = await session(app, version)
    for body, code in (({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, -32601), (call("nobody"), -32602)):
        answer = await speak(app, body, headers)
        assert (answer.status, answer.json["error"]["code"]) == (200, code)


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_a_request_needs_a_session_we_know(version: str) -> None:
    """R*-SESS-03, R*-SESS-04"""
    app = make().asgi()
    headers = await session(app, version)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    missing = await speak(app, listing, {"mcp-protocol-version": version})
    assert (missing.status, missing.json["error"]["code"], missing.json["id"]) == (400, -32600, 1)
    lost = await speak(app, listing)
    assert (lost.status, lost.json["error"]["code"]) == (400, -32020)
    other = await speak(app, listing, {**headers, "mcp-session-id": "other"})
    assert (other.status, other.json["id"]) == (404, 1)
    assert (await speak(app, listing, headers)).status == 200
    ended = await speak(app, None, headers, "DELETE")
    assert (ended.status, ended.body) == (204, b"")
    for method in ("POST", "GET", "DELETE"):
        assert (await speak(app, listing if method == "POST" else None, headers, method)).status == 404


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@pytest.mark.parametrize(
    "body",
    [{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": "s-1", "result": {}}],
)
@looped
async def test_what_needs_no_answer_is_refused_like_a_request(version: str, body: Any) -> None:
    """R*-HTTP-07"""
    app = make().asgi()
    headers = await session(app, version)
    assert (await speak(app, body, headers)).status == 202
    assert (await speak(app, body, {"mcp-protocol-version": version})).status == 400
    assert (await speak(app, body, {**headers, "mcp-session-id": "other"})).status == 404
    assert (await speak(app, body, {**headers, "mcp-protocol-version": "v9"})).status == 400


@pytest.mark.parametrize(
    ("version", "header", "status"),
    [
        ("2025-11-25", "2025-11-25", 200),
        ("2025-11-25", "2025-06-18", 200),
        ("2025-11-25", None, 200),
        ("2025-11-25", "2024-01-01", 400),
        ("2025-06-18", "nonsense", 400),
    ],
)
@looped
async def test_a_version_header_must_be_one_we_serve(version: str, header: str | None, status: int) -> None:
    """R2506-HDR-02, R2511-HDR-02"""
    app = make().asgi()
    headers = await session(app, version)
    del headers["mcp-protocol-version"]
    given = {**headers, "mcp-protocol-version": header} if header else headers
    assert (await speak(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, given)).status == status


@looped
async def test_a_session_ends_when_it_is_idle_or_old() -> None:
    clock = Clock()
    app = make(now=clock).asgi(session_idle_seconds=10, session_seconds=25)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    idle, used = await session(app), await session(app)
    clock.now += 9
    assert (await speak(app, ping, used)).status == 200
    clock.now += 9
    assert (await speak(app, ping, idle)).status == 404
    assert (await speak(app, ping, used)).status == 200
    clock.now += 9
    assert (await speak(app, ping, used)).status == 404
    assert len(app.endpoint.sessions.kept) == 0


@looped
async def test_at_the_cap_a_session_that_was_never_used_is_closed_and_no_other() -> None:
    server = make()
    app = server.asgi(max_sessions=2)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    used, opened = await session(app), await speak(app, initialize())
    unused = {"mcp-session-id": opened.headers["mcp-session-id"]}
    third = await session(app)
    assert [(await speak(app, ping, one)).status for one in (used, unused, third)] == [200, 404, 200]
    refused = await speak(app, initialize())
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert refused.json["error"] == {"code": -32603, "message": "too many sessions are open (max_sessions=2)"}
    assert "mcp-session-id" not in refused.headers
    assert [(await speak(app, ping, one)).status for one in (used, third)] == [200, 200]
    assert len(server.registry._listeners) == 2


@looped
async def test_a_session_belongs_to_who_opened_it() -> None:
    """R2506-SESS-05, R2511-SESS-05"""

    async def principal(scope: Any) -> str:
        return dict(scope["headers"]).get(b"x-user", b"nobody").decode()

    app = make().asgi(principal=principal)
    opened = await speak(app, initialize(), {"x-user": "ann"})
    headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
    own = await speak(app, call("whoami"), {**headers, "x-user": "ann"})
    assert text(own.json) == "ann"
    assert (await speak(app, call("whoami"), {**headers, "x-user": "bob"})).status == 404


@looped
async def test_a_caller_nobody_knows_is_turned_away() -> None:
    """R*-HTTP-05"""

    def principal(scope: Any) -> str:
        raise PermissionError

    answer = await speak(make().asgi(principal=principal), *modern("tools/list"))
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


class Refuses(BaseException):
    """What some frameworks raise past every `except Exception`."""


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    "kind",
    [
        *(ZeroDivisionError, KeyError, SystemExit, KeyboardInterrupt),
        *(ToolError, asyncio.CancelledError, TimeoutError, Refuses),
    ],
)
@pytest.mark.parametrize(
    "request_of", [modern("tools/list"), (initialize(), {}), (None, {}, "GET"), (None, {}, "DELETE")]
)
@looped
async def test_a_caller_that_could_not_be_identified_is_told_so_in_json(
    kind: type[BaseException], is_async: bool, request_of: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """R*-HTTP-05, R*-LOG-05: the log has all of it, the client one line with the number of the incident"""

    def principal(scope: Any) -> str:
        raise kind("hunter2")

    async def later(scope: Any) -> str:
        await asyncio.sleep(0)
        raise kind("hunter2")

    answer = await speak(make().asgi(principal=later if is_async else principal), *request_of)
    said = answer.json["error"]
    assert (answer.status, said["code"]) == (500, -32603)
    found = re.fullmatch(r"Identifying the caller failed unexpectedly \(incident ([0-9a-f]{8})\)\.", said["message"])
    assert found is not None and found[1] in caplog.text and "hunter2" in caplog.text


def test_ctrl_c_while_the_caller_is_identified_still_ends_the_process() -> None:
    def principal(scope: Any) -> str:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)
        return "ann"

    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(speak(make().asgi(principal=principal), *modern("tools/list")))
    finally:
        signal.signal(signal.SIGINT, before)


@looped
async def test_a_caller_may_be_refused_in_the_authors_own_words() -> None:
    def principal(scope: Any) -> str:
        raise InvalidRequest("the token is for another server")

    answer = await speak(make().asgi(principal=principal), *modern("tools/list"))
    assert (answer.status, answer.json["error"]["message"]) == (400, "the token is for another server")


@looped
async def test_a_request_that_ends_while_its_caller_is_looked_up_ends() -> None:
    began = asyncio.Event()

    async def principal(scope: Any) -> str:
        began.set()
        await asyncio.sleep(60)
        return "ann"

    live = Live(make().asgi(principal=principal), *modern("tools/list"))
    await began.wait()
    live.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await live.task
    assert not live.status


class Identity:
    """Equal to itself only, as any class is that does not say otherwise."""


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth of this is not known")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", [Identity, Incomparable])
@looped
async def test_the_log_says_once_why_a_session_is_not_found_whose_principal_is_never_equal(
    kind: type, caplog: pytest.LogCaptureFixture
) -> None:
    """R2511-SESS-05"""
    app = make().asgi(principal=lambda scope: kind())
    opened = await speak(app, initialize())
    headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
    for name in ("add", "later", "add"):
        answer = await speak(app, call(name, a=1, b=2), headers)
        assert (answer.status, answer.json["error"]["message"]) == (404, "there is no such session; send initialize")
    (record,) = [record for record in caplog.records if record.name == "plainmcp"]
    assert record.levelname == "WARNING"
    for part in ("404", "principal=", kind.__name__, "compares equal on every request"):
        assert part in record.getMessage()


@looped
async def test_the_log_says_why_the_answers_of_a_principal_without_a_text_of_its_own_are_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """R26-MRTR-07: what is sealed for one caller is not taken from another"""

    class Anonymous:
        pass

    app = make().asgi(principal=lambda scope: Anonymous())
    able = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    asked = await speak(app, *modern("tools/call", name="greet", meta=able))
    more = {"requestState": asked.json["result"]["requestState"], "inputResponses": {}}
    again = await speak(app, *modern("tools/call", name="greet", meta=able, **more))
    assert again.json["error"]["message"] == "requestState belongs to another request"
    (record,) = [record for record in caplog.records if record.name == "plainmcp" and record.levelname == "WARNING"]
    assert "principal= gives (Anonymous)" in record.getMessage()


# Streams of sessions ------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_a_question_rides_on_its_request_and_its_answer_is_posted(version: str) -> None:
    """R*-HTTP-06, R*-HTTP-09, R*-HTTP-10, R*-HTTP-12"""
    if version == "2025-03-26":
        return  # has no elicitation
    app = make().asgi()
    headers = await session(app, version, elicitation={})
    live = Live(app, call("greet", 7), headers)
    await live.until(lambda one: b"elicitation/create" in one.body)
    question = live.events[-1]["data"]
    assert question["method"] == "elicitation/create"
    reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ann"}}}
    accepted = await speak(app, reply, headers)
    assert (accepted.status, accepted.body) == (202, b"")
    await live.done()
    assert live.events[-1]["data"]["id"] == 7
    assert text(live.events[-1]["data"]) == "Hello, Ann!"


@looped
async def test_a_client_that_takes_no_stream_cannot_be_asked() -> None:
    app = make().asgi()
    headers = await session(app, elicitation={})
    answer = await speak(app, call("greet"), {**headers, "accept": "application/json"})
    assert answer.json["result"]["isError"] and "event stream" in text(answer.json)


@looped
async def test_and_has_no_stream_that_could_be_ended_early() -> None:
    app = make().asgi()
    headers = {**await session(app), "accept": "application/json"}
    for _ in range(2):  # its id is free again
        assert text((await speak(app, call("hang_up", 3), headers)).json) == "fetched"


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_only_2025_11_25_streams_open_with_an_empty_event(version: str) -> None:
    """R2511-HTTP-17, R*-HTTP-23, R2511-HTTP-24"""
    app = make().asgi()
    headers = await session(app, version)
    answers = [await speak(app, call("talk", n, PROGRESS), headers) for n in (1, 2)]
    primed = [answer.events[0].get("data") == "" for answer in answers]
    assert primed == [version == "2025-11-25"] * 2
    ids = [event["id"] for answer in answers for event in answer.events]
    assert len(set(ids)) == len(ids)
    assert [len({event["id"].partition("-")[0] for event in answer.events}) for answer in answers] == [1, 1]


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_changes_are_told_on_one_get_stream_only(version: str) -> None:
    """R*-HTTP-19, R*-HTTP-20, R*-HTTP-21, R*-HTTP-22"""
    server = make()
    app = server.asgi()
    headers = await session(app, version)
    other = await session(app, version)
    first, second = Live(app, None, headers, "GET"), Live(app, None, headers, "GET")
    stranger = Live(app, None, other, "GET")
    for live in (first, second, stranger):
        await live.until(lambda one: one.body)
    subscribe = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "note://a"}}
    assert (await speak(app, subscribe, headers)).json["result"] == {}
    change(server)
    server.resource_updated("note://a")
    server.resource_updated("note://b")
    await second.until(lambda one: b"resources/updated" in one.body)
    await stranger.until(lambda one: b"tools/list_changed" in one.body)

    def said(live: Live) -> list[str]:
        return [event["data"]["method"] for event in live.events if event.get("data")]

    assert said(first) == []
    assert said(second) == ["notifications/tools/list_changed", "notifications/resources/updated"]
    assert said(stranger) == ["notifications/tools/list_changed"]
    for live in (first, second, stranger):
        live.hang_up()
        await live.task


@looped
async def test_a_get_stream_is_resumed_where_it_broke_off() -> None:
    """R*-HTTP-25"""
    server = make()
    app = server.asgi()
    headers = await session(app)
    live = Live(app, None, headers, "GET")
    await live.until(lambda one: one.body)
    change(server, "one")
    await live.until(lambda one: len(one.events) == 2)
    live.hang_up()
    await live.task
    await speak(app, call("talk", 1, PROGRESS), headers)
    change(server, "two")
    again = Live(app, None, {**headers, "last-event-id": live.events[-1]["id"]}, "GET")
    await again.until(lambda one: b"list_changed" in one.body)
    assert [event["data"]["method"] for event in again.events if event.get("data")] == [
        "notifications/tools/list_changed"
    ]
    again.hang_up()
    await again.task


@looped
async def test_hanging_up_is_no_cancel_before_2026_and_the_answer_can_be_fetched() -> None:
    """R*-HTTP-14, R*-HTTP-25"""
    seen = Seen()
    app = make(seen).asgi()
    headers = await session(app)
    live = Live(app, call("hold", 5, PROGRESS), headers)
    await live.until(lambda one: b"progress" in one.body)
    live.hang_up()
    await live.task
    await speak(app, call("talk", 6, PROGRESS), headers)
    seen.go.set()
    primed, progress = live.events
    fetched = await speak(app, None, {**headers, "last-event-id": primed["id"]}, "GET")
    assert seen.ended == ["done"]
    assert fetched.events[:2] == [primed, progress]
    assert [event["data"]["id"] for event in fetched.events[2:]] == [5]
    assert text(fetched.events[-1]["data"]) == "held"
    rest = await speak(app, None, {**headers, "last-event-id": progress["id"]}, "GET")
    assert rest.events == [{"id": progress["id"], "data": ""}, fetched.events[-1]]


@pytest.mark.parametrize("version", HANDSHAKE_HTTP)
@looped
async def test_a_tool_may_hang_up_and_be_polled_where_the_revision_knows_that(version: str) -> None:
    """R2503-HTTP-11, R2506-HTTP-11, R2511-HTTP-17, R2511-HTTP-18"""
    app = make().asgi(retry_ms=7)
    headers = await session(app, version)
    answer = await speak(app, call("hang_up", 3), headers)
    if version != "2025-11-25":
        assert text(answer.json) == "fetched"
        return
    first, last = answer.events
    assert first["data"] == "" and "retry" not in first
    assert (last["data"], last["retry"], last["id"]) == ("", "7", first["id"])
    fetched = await speak(app, None, {**headers, "last-event-id": last["id"]}, "GET")
    assert text(fetched.events[-1]["data"]) == "fetched"


@pytest.mark.parametrize("event_id", ["", "nonsense", "99-1", "1-x", "1-" + "9" * 50, "-1"])
@looped
async def test_an_event_nobody_remembers_begins_a_new_stream(event_id: str) -> None:
    server = make()
    app = server.asgi()
    headers = await session(app)
    live = Live(app, None, {**headers, "last-event-id": event_id}, "GET")
    await live.until(lambda one: one.body)
    change(server)
    await live.until(lambda one: b"list_changed" in one.body)
    live.hang_up()
    await live.task


@looped
async def test_what_can_be_fetched_again_is_bounded() -> None:
    app = make().asgi(replay_bytes=500)
    headers = await session(app)
    for n in range(10):
        await speak(app, call("talk", n, PROGRESS), headers)
    (held,) = app.endpoint.sessions.kept._sessions.values()
    assert sum(stream.size for stream in held.streams._get_all()) <= 500 + 300


@looped
async def test_a_session_that_is_deleted_ends_its_streams() -> None:
    app = make().asgi()
    headers = await session(app)
    live = Live(app, None, headers, "GET")
    await live.until(lambda one: one.body)
    await speak(app, None, headers, "DELETE")
    await live.done()


SESSION_ENDED = {"code": -32603, "message": "the session ended before this request was answered"}


@pytest.mark.parametrize(
    ("name", "accept"),
    [
        *((name, ACCEPT) for name in ("hold", "wait", "hold_silently", "wait_silently")),
        *((name, "application/json") for name in ("hold", "wait", "hold_silently", "wait_silently")),
        *((name, "text/event-stream") for name in ("wait", "hold_silently", "greet")),
    ],
)
@pytest.mark.parametrize(
    ("way", "version"),
    [
        *(("deleted", version) for version in HANDSHAKE_HTTP),
        *((way, "2025-11-25") for way in ("expired", "closed")),
    ],
)
@looped
async def test_a_request_whose_session_ends_while_it_runs_is_answered_with_an_error(
    version: str, accept: str, name: str, way: str
) -> None:
    """A request has a response; a 202 without a body is for what is not answered (R2511-HTTP-06)."""
    seen, clock = Seen(), Clock()
    server = make(seen, now=clock)

    @server.tool
    def hold_silently() -> str:
        seen.began.set()
        seen.go.wait(20)
        return "held"

    @server.tool
    async def wait_silently() -> str:
        seen.began.set()
        await asyncio.sleep(60)
        return "never"

    if name == "greet" and version == "2025-03-26":  # where nobody can be asked
        name = "wait"
    app = server.asgi()
    headers = await session(app, version, elicitation={"form": {}})
    live = Live(app, call(name, "mine", PROGRESS), {**headers, "accept": accept})
    await live.until(lambda one: seen.began.is_set() or b"elicitation/create" in one.body)
    await asyncio.sleep(0.1)  # by then somebody looks after the client
    if way == "deleted":
        assert (await speak(app, None, headers, "DELETE")).status == 204
    elif way == "expired":
        clock.now += 24 * 60 * 60 + 1
        assert (await speak(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers)).status == 404
    else:
        app.close()
    await live.done()
    seen.go.set()
    told = live.json if live.headers["content-type"] == "application/json" else live.events[-1]["data"]
    assert (live.status, told["id"]) == (200, "mine")
    ending = {"code": -32603, "message": "the server is shutting down, and gave up this request"}
    assert told["error"] == (ending if way == "closed" else SESSION_ENDED)


@looped
async def test_a_request_whose_session_ends_in_its_first_moment_is_answered_too() -> None:
    seen = Seen()
    app = make(seen).asgi()
    headers = await session(app)
    live = Live(app, call("slow"), headers)
    for _ in range(5):
        await asyncio.sleep(0)
    await speak(app, None, headers, "DELETE")
    assert (await live.done()).json["error"] == SESSION_ENDED


@pytest.mark.parametrize("accept", ["application/json, text/event-stream", "application/json"])
@looped
async def test_a_batch_whose_session_ends_while_it_runs_is_answered_for_each_of_its_requests(accept: str) -> None:
    seen = Seen()
    app = make(seen).asgi()
    headers = await session(app, "2025-03-26")
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [call("add", 1, a=1, b=2), note, call("hold", "two"), call("wait", 3), {"jsonrpc": "2.0", "id": 4}]
    live = Live(app, batch, {**headers, "accept": accept})
    await live.until(lambda _: seen.began.is_set())
    seen.began.clear()
    await speak(app, None, headers, "DELETE")
    await live.done()
    told = live.json if live.headers["content-type"] == "application/json" else live.events[-1]["data"]
    assert told == [{"jsonrpc": "2.0", "id": id, "error": SESSION_ENDED} for id in (1, "two", 3)]
    await asyncio.sleep(0.1)
    assert seen.ended == ["given up"] and not seen.began.is_set()  # and the rest of it does not run


@looped
async def test_a_request_is_cancelled_by_a_notification() -> None:
    """R*-CANC-01"""
    seen = Seen()
    app = make(seen).asgi()
    headers = await session(app)
    live = Live(app, call("wait", 4), headers)
    await live.until(lambda _: seen.began.is_set())
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}}
    assert (await speak(app, note, headers)).status == 202
    await live.done()
    assert (live.status, live.body, seen.ended) == (202, b"", ["cancelled"])


# Batches and stateless ----------------------------------------------------------------------------


@looped
async def test_a_batch_is_answered_by_an_array_where_there_are_batches() -> None:
    """R2503-BASE-09, R2506-BASE-10, R2511-BASE-10, R26-BASE-10"""
    app = make().asgi()
    headers = await session(app, "2025-03-26")
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await speak(app, [call("add", 1, a=1, b=2), note, ping], headers)
    assert answer.status == 200
    assert [(one["id"], "result" in one) for one in answer.json] == [(1, True), (2, True)]
    assert (await speak(app, [note, {"jsonrpc": "2.0", "id": "s-9", "result": {}}], headers)).status == 202
    assert (await speak(app, [], headers)).json["error"]["code"] == -32600
    for version in ("2025-06-18", "2025-11-25"):
        refused = await speak(app, [ping], await session(app, version))
        assert (refused.status, refused.json["error"]["code"]) == (400, -32600)
        assert refused.json["error"]["message"] == f"revision {version} has no batches; send one message at a time"
    for batches, message in (
        (False, "revision 2026-07-28 has no batches; send one message at a time"),
        (True, "the headers are those of one message, not of a batch"),
    ):
        refused = await speak(make(batches=batches).asgi(), [ping], {"mcp-protocol-version": "2026-07-28"})
        assert (refused.status, refused.json["error"]["message"]) == (400, message)


@looped
async def test_without_sessions_any_handshake_request_stands_alone() -> None:
    server = make()
    app = server.asgi(stateless=True)
    opened = await speak(app, initialize("2025-06-18"))
    assert opened.status == 200 and "mcp-session-id" not in opened.headers
    headers = {"mcp-protocol-version": "2025-06-18"}
    assert (await speak(app, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)).status == 202
    answer = await speak(app, call("add", a=1, b=2), headers)
    assert answer.json["result"]["structuredContent"] == {"result": 3}
    old = await speak(app, call("add", a=1, b=2), {"mcp-session-id": "anything"})
    assert "structuredContent" not in old.json["result"]
    said = await speak(app, call("talk", 1, PROGRESS), headers)
    assert len(said.events) == 3 and "id" not in said.events[0]
    assert (await speak(app, call("talk"), {"mcp-protocol-version": "x"})).status == 400
    assert (await speak(app, {"jsonrpc": "2.0", "id": 1, "result": {}}, headers)).status == 400
    for method in ("GET", "DELETE"):
        refused = await speak(app, None, headers, method)
        assert (refused.status, refused.headers["allow"]) == (405, "POST")
    assert not server.registry._listeners


# Large answers ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server with a file that takes a while to write as JSON."""
    root = tmp_path_factory.mktemp("large")
    (root / "large.txt").write_bytes('"Gr\u00fc\u00dfe"\n'.encode() * 5_000_000)
    server = Server("large")
    server.add_directory("all://", root)
    server.add_file(root / "large.txt", "one://large")

    @server.tool
    def report() -> File:
        return File(root / "large.txt")

    @server.tool
    async def report_later() -> File:
        return File(root / "large.txt")

    @server.prompt
    def summarize() -> File:
        return File(root / "large.txt")

    return server.asgi()


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        ("resources/read", {"uri": "all://large.txt"}),
        ("resources/read", {"uri": "one://large"}),
        ("tools/call", {"name": "report"}),
        ("tools/call", {"name": "report_later"}),
        ("prompts/get", {"name": "summarize"}),
    ],
)
@looped
async def test_a_large_file_does_not_hold_up_the_loop(large: Any, asked: Any) -> None:
    longest, took = await held_up_by(large, asked)
    if longest > took / 2:  # a machine that does much else may stop us anywhere
        longest, took = await held_up_by(large, asked)
    assert longest < took / 2


async def held_up_by(app: Any, asked: Any) -> tuple[float, float]:
    """For how long at most a loop did nothing else while it answered, and how long that took."""
    longest = 0.0

    async def look() -> None:
        nonlocal longest
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - before)

    looking, start = asyncio.create_task(look()), time.perf_counter()
    answer = await speak(app, *modern(asked[0], **asked[1]))
    await asyncio.sleep(0.005)
    looking.cancel()
    assert answer.status == 200 and len(answer.body) > 60_000_000
    return longest, time.perf_counter() - start


# The door -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "setting"),
    [
        ({"host": "evil.example", "origin": "http://evil.example"}, "hosts"),
        ({"origin": "http://evil.example"}, "origins"),
        ({"host": "[::1].evil.example"}, "hosts"),
        ({"host": "localhost:evil.example"}, "hosts"),
        ({"host": "localhost:80:90"}, "hosts"),
        ({"origin": "http://[::1].evil.example"}, "origins"),
        ({"origin": "http://localhost:evil.example"}, "origins"),
        ({"origin": "http://localhost:80:90"}, "origins"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@looped
async def test_a_stranger_is_turned_away_by_a_text_that_names_the_setting(
    headers: dict[str, str], setting: str, method: str
) -> None:
    """R*-HTTP-02, R*-HTTP-03"""
    answer = await speak(make().asgi(), initialize(), headers, method)
    assert answer.status == 403 and "id" not in answer.json
    assert f"the setting {setting}" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {"content-type": "text/plain"}, 415),
        ("POST", {"accept": "text/html"}, 406),
        ("POST", {"content-length": "99999"}, 413),
        ("POST", {"content-length": "9" * 5000}, 413),
        ("PUT", {}, 405),
        ("OPTIONS", {}, 405),
        ("TRACE", {"content-length": "99999"}, 405),
    ],
)
@looped
async def test_what_is_no_request_of_ours_is_told_so(method: str, headers: dict[str, str], status: int) -> None:
    answer = await speak(make().asgi(max_body=1000), initialize(), headers, method)
    assert answer.status == status and answer.json["error"]["code"] == -32600


@pytest.mark.parametrize("name", ["add", "later"])
@pytest.mark.parametrize("levels", [126, 900, 100_000])
@looped
async def test_a_body_that_nests_too_deep_is_a_400_and_the_session_goes_on(levels: int, name: str) -> None:
    """R*-BASE-04, R26-HTTP-28"""
    app = make().asgi()
    headers = await session(app)
    body, own = modern("tools/call", name=name, arguments={"a": 1, "b": 0})
    for one, said in ((call(name, a=1, b=0), headers), (body, own)):
        raw = json.dumps(one).replace('"b": 0', f'"b": {"[" * levels + "]" * levels}')
        answer = await speak(app, raw.encode(), said)
        assert (answer.status, answer.json["error"]["code"]) == (400, -32700)
        assert "128 levels" in answer.json["error"]["message"]
    assert (await speak(app, call("add", a=1, b=2), headers)).status == 200


@looped
async def test_head_is_answered_without_a_body() -> None:
    answer = await speak(make().asgi(), None, {}, "HEAD")
    assert (answer.status, answer.body, answer.headers["allow"]) == (405, b"", "POST, GET, DELETE")


@pytest.mark.parametrize("length", ["\xb2", "abc", "-1", "", "1,1", "0x10"])
@looped
async def test_a_length_that_is_none_is_the_servers_affair(length: str) -> None:
    assert (await speak(make().asgi(), initialize(), {"content-length": length})).status == 200


@pytest.mark.slow
@pytest.mark.parametrize("name", ["host", "origin", "accept", "content-type", "mcp-session-id", "mcp-name", "x"])
@looped
async def test_a_huge_header_is_answered(name: str) -> None:
    body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
    answer = await speak(make().asgi(), body, {**headers, name: "a," * 500_000})
    refused = {"host": 403, "origin": 403, "accept": 406, "content-type": 415, "mcp-name": 400}
    assert answer.status == refused.get(name, 200)


@looped
async def test_what_a_client_takes_may_be_said_in_several_lines() -> None:
    """R*-HTTP-08"""
    body, headers = modern("tools/call", meta=PROGRESS, name="talk")
    lines = [*headers.items(), ("accept", "application/json"), ("accept", "text/event-stream")]
    answer = await speak(make().asgi(), body, lines)
    assert len(answer.events) == 3


@looped
async def test_a_body_that_keeps_coming_is_cut_off() -> None:
    app = make().asgi(max_body=1000)
    answer = await speak(app, pieces=[b" " * 400] * 5)
    assert answer.status == 413 and "max_body" in answer.json["error"]["message"]
    whole = json.dumps(initialize()).encode()
    assert (await speak(app, pieces=[whole[:10], whole[10:], b""])).status == 200


@looped
async def test_a_body_that_never_comes_to_its_end_is_given_up() -> None:
    async def receive() -> Any:
        if said:
            await asyncio.sleep(60)
        said.append("{")
        return {"type": "http.request", "body": b"{", "more_body": True}

    async def send(message: Any) -> None:
        said.append(message.get("status") or message["body"])

    said: list[Any] = []
    pairs = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": pairs, "server": None}
    await make().asgi(body_seconds=0.05)(scope, receive, send)
    assert said[1] == 408 and b"body_seconds" in said[2]


@looped
async def test_a_body_in_pieces_of_a_byte_is_read() -> None:
    whole = json.dumps(initialize()).encode()
    assert (await speak(make().asgi(), pieces=[bytes([one]) for one in whole])).status == 200


@pytest.mark.parametrize("says", ["http.request", "an error"])
@looped
async def test_a_server_that_never_tells_whether_the_client_is_there_is_not_asked_all_the_time(says: str) -> None:
    asked: list[str] = []

    async def receive() -> Any:
        asked.append(says)
        if says == "an error" and len(asked) > 1:
            raise RuntimeError("the body was read")
        return {"type": "http.request", "body": json.dumps(body).encode() if len(asked) == 1 else b""}

    async def send(message: Any) -> None:
        sent.append(message.get("status") or message["body"])

    sent: list[Any] = []
    app = make().asgi()
    headers = await session(app)
    body = call("slow")
    headers |= {"host": "localhost", "content-type": "application/json"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": pairs, "server": None}
    await app(scope, receive, send)
    assert len(asked) < 10
    assert sent[0] == 200 and text(json.loads(sent[1])) == "slow"


@looped
async def test_a_client_that_hangs_up_while_it_sends_is_let_go() -> None:
    live = Live(make().asgi(), pieces=[b"{", b""])
    live._pieces.pop()
    live._pieces.append(b"")
    live.hang_up()
    await live.task


@pytest.mark.parametrize("raw", [b"", b"nonsense", b"[1", b"\xff\xfe", b"[" * 5000, b"null", b"3"])
@looped
async def test_a_body_that_is_no_message_is_a_400(raw: bytes) -> None:
    answer = await speak(make().asgi(), raw)
    assert answer.status == 400 and answer.json["error"]["code"] in (-32700, -32600)


@pytest.mark.parametrize(
    ("version", "header", "has_id"),
    [
        ("2025-06-18", "2025-06-18", True),
        ("2025-06-18", "2025-11-25", True),  # a session's own revision counts
        ("2025-11-25", "2025-11-25", False),
        (None, "2025-06-18", True),
        (None, None, True),  # R2511-HDR-01: it speaks 2025-03-26
        (None, "2025-11-25", False),
        (None, "2026-07-28", False),
        (None, "nonsense", False),
    ],
)
@looped
async def test_what_cannot_be_read_has_the_id_null_where_the_revision_wants_one(
    version: str | None, header: str | None, has_id: bool
) -> None:
    """R*-BASE-02"""
    app = make().asgi()
    headers = await session(app, version) if version else {}
    headers |= {"mcp-protocol-version": header} if header else {}
    expected = {"jsonrpc": "2.0", **({"id": None} if has_id else {})}
    for body, code in ((b"{", -32700), (b"3", -32600), (b"[", -32700)):
        answer = await speak(app, body, headers)
        error = answer.json["error"]
        assert (answer.status, answer.json) == (400, {**expected, "error": error}) and error["code"] == code


# Time and life ------------------------------------------------------------------------------------


@looped
async def test_an_open_stream_is_kept_warm() -> None:
    app = make().asgi(keep_alive_seconds=0.02)
    live = Live(app, None, await session(app), "GET")
    await live.until(lambda one: one.body.count(b":\n\n") >= 3)
    live.hang_up()
    await live.task


@looped
async def test_an_answer_that_takes_long_becomes_a_stream() -> None:
    body, headers = modern("tools/call", name="slow")
    answer = await speak(make().asgi(keep_alive_seconds=0.05), body, headers)
    assert answer.body.startswith(b":\n\n") and text(answer.events[-1]["data"]) == "slow"


@looped
async def test_a_life_of_the_server_is_answered_but_never_needed() -> None:
    app, said = make().asgi(), []
    messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        said.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


@looped
async def test_a_websocket_is_closed() -> None:
    said = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    await make().asgi()({"type": "websocket"}, receive, send)
    assert said == ["websocket.close"]


@looped
async def test_many_requests_at_once_get_each_its_own_answer() -> None:
    app = make().asgi()
    headers = await session(app)
    sent = [Live(app, call("add", n, a=n, b=n), headers) for n in range(100)]
    for n, live in enumerate(sent):
        answer = await live.done()
        assert (answer.json["id"], answer.json["result"]["structuredContent"]) == (n, {"result": 2 * n})


@pytest.mark.parametrize("place", [Mount, Route])
@looped
async def test_it_is_mounted_under_a_prefix_without_its_lifespan_being_run(place: Any) -> None:
    app = make().asgi(hosts=["app.example"])
    transport = httpx.ASGITransport(app=Starlette(routes=[place("/api" if place is Mount else "/api/", app)]))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.example") as client:
        body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
        answer = await client.post("/api/", json=body, headers=headers)
        assert answer.json()["result"]["structuredContent"] == {"result": 3}
        opened = await client.post("/api/", json=initialize())
        ended = await client.delete("/api/", headers={"mcp-session-id": opened.headers["mcp-session-id"]})
        assert ended.status_code == 204


# On a real server ---------------------------------------------------------------------------------


@contextmanager
def served(app: Any, parser: str) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, http=parser, log_level="warning", lifespan="off"))  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/anywhere"
        finally:
            app.close()
            server.should_exit = True
            thread.join(10)
    assert not thread.is_alive(), "the server did not leave"


@pytest.mark.slow
@pytest.mark.parametrize("parser", ["h11", "httptools"])
def test_a_conversation_over_a_socket(parser: str) -> None:
    """R26-HTTP-15, R26-HDR-08"""
    seen = Seen()
    server = make(seen)
    with served(server.asgi(), parser) as url, httpx.Client(timeout=10) as client:
        body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
        plain = HTTPConnection(url.split("/")[2], timeout=10)
        plain.request("POST", "/", json.dumps(body), {**headers, "mcp-name": " \tadd \t"})
        answer = json.loads(plain.getresponse().read())
        plain.close()
        assert answer["result"]["structuredContent"] == {"result": 3}
        refused = client.post(url, json=body, headers={**headers, "host": "evil.example"})
        assert refused.status_code == 403
        body, headers = modern("subscriptions/listen", "L", notifications={"toolsListChanged": True})
        with client.stream("POST", url, json=body, headers=headers) as stream:
            lines = stream.iter_lines()
            assert "acknowledged" in next(lines)
            change(server)
            assert "list_changed" in next(line for line in lines if "list_changed" in line)
        body, headers = modern("tools/call", name="wait", meta=META)
        with pytest.raises(httpx.ReadTimeout):
            client.post(url, json=body, headers=headers, timeout=0.5)
        deadline = time.monotonic() + 5
        while not seen.ended and time.monotonic() < deadline:
            time.sleep(0.01)
        assert seen.ended == ["cancelled"]
        opened = client.post(url, json=initialize())
        with client.stream("GET", url, headers={"mcp-session-id": opened.headers["mcp-session-id"]}) as stream:
            assert stream.status_code == 200
            assert next(stream.iter_lines()).startswith("id: ")


# Answers before which nothing can be said ----------------------------------------------------------


def silent(seen: dict[str, Any]) -> Server:
    server = Server("test", "1.0")

    @server.tool
    async def patient(seconds: float) -> str:
        """Wait, and see that all of it happens in one task."""
        task, seen["began"] = asyncio.current_task(), True
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.001):
                    await asyncio.sleep(60)
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            seen["cancelled"] = True
            raise
        assert asyncio.current_task() is task
        return "done"

    @server.tool
    async def failing(after: float) -> str:
        """Raise, perhaps after a while."""
        if after:
            await asyncio.sleep(after)
        raise ToolError("no")

    @server.tool
    async def exiting(after: float) -> str:
        """Try to end the process."""
        if after:
            await asyncio.sleep(after)
        raise SystemExit

    return server


@pytest.mark.parametrize("seconds", [0, 0.01, 0.2])
@looped
async def test_an_async_function_runs_in_one_task_however_long_it_takes(seconds: float) -> None:
    body, headers = modern("tools/call", name="patient", arguments={"seconds": seconds})
    live = Live(silent({}).asgi(), body, headers)
    await live.until(lambda live: live.over)
    assert (live.status, live.headers["content-type"]) == (200, "application/json")
    assert json.loads(live.body)["result"]["content"] == [{"type": "text", "text": "done"}]


@pytest.mark.parametrize("after", [0, 0.01, 0.1])
@looped
async def test_what_an_async_function_raises_is_told_whenever_it_does(after: float) -> None:
    app = silent({}).asgi()
    for name, text in (("failing", "no"), ("exiting", "Tool exiting failed unexpectedly")):
        body, headers = modern("tools/call", name=name, arguments={"after": after})
        live = Live(app, body, headers)
        await live.until(lambda live: live.over)
        result = json.loads(live.body)["result"]
        assert result["isError"] is True and result["content"][0]["text"].startswith(text)
    assert not app.endpoint.responses.running


@looped
async def test_hanging_up_cancels_what_runs_in_the_task_of_its_request() -> None:
    """R26-HTTP-15, R26-HTTP-16"""
    seen: dict[str, Any] = {}
    app = silent(seen).asgi()
    body, headers = modern("tools/call", name="patient", arguments={"seconds": 60})
    live = Live(app, body, headers)
    await asyncio.sleep(0.1)
    live.hang_up()
    await asyncio.wait_for(live.task, 5)
    assert seen == {"began": True, "cancelled": True} and live.status == 0
    assert not app.endpoint.responses.running


@pytest.mark.parametrize("disconnect", [False, True])
@looped
async def test_a_request_the_server_ends_says_nothing_more(disconnect: bool) -> None:
    seen: dict[str, Any] = {}
    app = silent(seen).asgi()
    body, headers = modern("tools/call", name="patient", arguments={"seconds": 60})
    live = Live(app, body, headers)
    await asyncio.sleep(0.15)  # somebody accompanies it by now
    if disconnect:
        live.hang_up()
    live.task.cancel()
    await asyncio.wait([live.task])
    await asyncio.sleep(0.05)
    assert live.status == 0 and seen["cancelled"] and not app.endpoint.responses.running


@looped
async def test_headers_may_come_as_any_iterable() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await make().asgi()({**scope, "headers": iter(scope["headers"])}, receive, send)

    assert (await speak(app, *modern("server/discover"))).status == 200


@looped
async def test_one_caller_sends_only_so_many_bytes_at_the_same_time() -> None:
    app = make().asgi(max_arriving_per_caller=100, max_arriving=150)
    part = {"type": "http.request", "body": b"x" * 60, "more_body": True}

    def begin(address: str, more: asyncio.Event) -> tuple["asyncio.Task[None]", list[Any]]:
        parts, sent = [part, part], []

        async def receive() -> Any:
            if not parts:
                await more.wait()
                return {"type": "http.disconnect"}
            return parts.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        pairs = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/", "headers": pairs, "client": (address, 1)}
        return asyncio.create_task(app({**scope, "server": ("127.0.0.1", 80)}, receive, send)), sent

    more = asyncio.Event()
    first, _ = begin("192.0.2.1", more)
    await asyncio.sleep(0.01)
    assert app.endpoint.arriving.count_of("192.0.2.1") == 120
    second, refused = begin("192.0.2.1", more)
    await second
    assert refused[0]["status"] == 429 and (b"retry-after", b"1") in refused[0]["headers"]
    assert b"too many bytes of bodies of this caller are arriving (max_arriving_per_caller=100)" in refused[1]["body"]
    third, refused = begin("192.0.2.2", more)
    await third
    assert refused[0]["status"] == 503 and b"(max_arriving=150)" in refused[1]["body"]
    more.set()
    await first
    assert app.endpoint.arriving.count == 0
