"""Middleware around requests, at the wire: on every transport, for plain and async functions."""

import asyncio
import logging
import threading
from collections.abc import Generator
from typing import Any

import pytest

from mounted import Live, initialize, modern, session, speak
from plainmcp import Context, Server, ToolError
from plainmcp.errors import AuthorError, InvalidParams
from plainmcp.middleware import MiddlewareRequest, limit_rate, log_requests
from plainmcp.testing import Client
from ways import REVISIONS, WAYS, send


def make_server(*kinds: str) -> tuple[Server, list[Any]]:
    """A server with middleware of these kinds, the first one outermost, and the log of what they see."""
    server, log = Server("s"), []

    def plain(request: MiddlewareRequest, call_next: Any) -> Any:
        log.append(("plain", request.method, request.name))
        request.state["by"] = "plain"
        value = call_next(request)
        log.append("plain ends")
        return value

    async def asynchronous(request: MiddlewareRequest, call_next: Any) -> Any:
        log.append(("async", request.method, request.name))
        value = await call_next(request)
        log.append("async ends")
        return value

    def observer(request: MiddlewareRequest) -> Generator[None, None, None]:
        log.append(("observer", request.method, request.name))
        yield
        log.append("observer ends")

    for kind in kinds:
        server.middleware({"plain": plain, "async": asynchronous, "observer": observer}[kind])

    @server.tool
    def echo(text: str, ctx: Context) -> str:
        return text

    @server.tool
    async def echo_async(text: str, ctx: Context) -> str:
        return text

    @server.resource("note://{id}")
    def note(id: str) -> str:
        return id

    @server.prompt
    def ask(about: str) -> str:
        return about

    return server, log


ORDERS = [("plain", "async"), ("async", "plain"), ("observer", "plain", "async"), ("async", "observer", "plain")]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_it_is_around_every_request_the_first_outermost(way: str, revision: str, order: tuple[str, ...]) -> None:
    server, log = make_server(*order)
    plain, _ = make_server()
    for name in ("echo", "echo_async"):
        log.clear()
        params: dict[str, Any] = {"name": name, "arguments": {"text": "hi"}}
        assert send(way, server, "tools/call", revision, **params) == send(
            way, plain, "tools/call", revision, **params
        )
        seen = [one for one in log if one[0] not in order or one[1] == "tools/call"][-2 * len(order) :]
        begins = [(kind, "tools/call", name) for kind in order]
        assert seen == [*begins, *(f"{kind} ends" for kind in reversed(order))]
    for method, params in {
        "tools/list": {},
        "resources/read": {"uri": "note://1"},
        "prompts/get": {"name": "ask", "arguments": {"about": "x"}},
        "resources/read ": {"uri": "gone://1"},
        "tools/call": {"name": "none"},
        "tools/call ": {"name": "echo", "arguments": {"text": 5}},
    }.items():
        expected = send(way, plain, method.strip(), revision, **params)
        assert send(way, server, method.strip(), revision, **params) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_it_can_change_arguments_and_values_and_answer_by_itself(way: str, kind: str) -> None:
    server, _ = make_server()

    def change(request: MiddlewareRequest) -> Any:
        if request.arguments.get("text") == "cached":
            return "from the cache"
        if request.arguments.get("text") == "refuse":
            raise ToolError("not that")
        if request.arguments.get("text") == "invalid":
            raise InvalidParams("no such text", {"why": "test"})
        request.arguments["text"] = request.arguments["text"].upper()
        return None

    if kind == "plain":

        @server.middleware(methods=["tools/call"])
        def around(request: MiddlewareRequest, call_next: Any) -> Any:
            answer = change(request)
            return call_next(request) + "!" if answer is None else answer
    else:

        @server.middleware(methods=["tools/call"])
        async def around_async(request: MiddlewareRequest, call_next: Any) -> Any:
            answer = change(request)
            return await call_next(request) + "!" if answer is None else answer

    for name in ("echo", "echo_async"):
        got = {
            text: send(way, server, "tools/call", name=name, arguments={"text": text})
            for text in ("hi", "cached", "refuse", "invalid")
        }
        assert got["hi"]["result"]["content"][0]["text"] == "HI!"
        assert got["cached"]["result"]["content"][0]["text"] == "from the cache"
        assert got["refuse"]["result"]["isError"] and got["refuse"]["result"]["content"][0]["text"] == "not that"
        assert got["invalid"]["error"] == {"code": -32602, "message": "no such text", "data": {"why": "test"}}


@pytest.mark.parametrize("way", ["handle", "asgi"])
def test_exceptions_come_out_of_call_next(way: str) -> None:
    seen: list[str] = []
    server = Server("s")

    @server.tool
    def fail() -> str:
        raise ValueError("inner")

    @server.middleware
    def around(request: MiddlewareRequest, call_next: Any) -> Any:
        try:
            return call_next(request)
        except ValueError as error:
            seen.append(str(error))
            raise ToolError("it failed, in other words") from error
        except InvalidParams as error:
            seen.append(error.message)
            raise

    result = send(way, server, "tools/call", name="fail", arguments={})["result"]
    assert result["isError"] and result["content"][0]["text"] == "it failed, in other words"
    assert send(way, server, "tools/call", name="gone")["error"]["message"] == "Unknown tool: gone"
    assert seen == ["inner", "Unknown tool: gone"]


def test_it_knows_the_request() -> None:
    server, _ = make_server()
    facts: list[Any] = []

    @server.middleware
    def look(request: MiddlewareRequest, call_next: Any) -> Any:
        feature = request.feature
        facts.append(
            (request.method, request.revision, request.principal, request.headers.get("x-trace"), request.session_id)
        )
        facts.append((feature and feature.name, request.request_id))
        return call_next(request)

    async def main() -> None:
        app = server.asgi(principal=lambda scope: "ann")
        headers = await session(app)
        message = {"jsonrpc": "2.0", "id": "a", "method": "tools/call"}
        message["params"] = {"name": "echo", "arguments": {"text": "x"}}  # type: ignore[assignment]
        await speak(app, message, {**headers, "X-Trace": "7"})
        assert facts[-2:] == [
            ("tools/call", "2025-11-25", "ann", "7", headers["mcp-session-id"]),
            ("echo", "a"),
        ]

    asyncio.run(main())
    server.handle({"jsonrpc": "2.0", "id": 1, "method": "ping"}, principal="bob")
    assert facts[-2:] == [("ping", "2025-11-25", "bob", None, None), (None, 1)]


def test_a_handshake_passes_through_it_and_opens_a_session() -> None:
    asyncio.run(_open_a_session())


async def _open_a_session() -> None:
    server, log = make_server("async", "plain")
    app = server.asgi()
    opened = await speak(app, initialize())
    assert opened.status == 200 and opened.json["result"]["serverInfo"]["name"] == "s"
    assert log[0] == ("async", "initialize", None)
    headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    listed = await speak(app, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers)
    assert len(listed.json["result"]["tools"]) == 2

    refusing = Server("s", middleware=[_refuse])
    refused = await speak(refusing.asgi(), initialize())
    assert refused.json["error"]["message"] == "closed today" and "mcp-session-id" not in refused.headers


def _refuse(request: MiddlewareRequest, call_next: Any) -> Any:
    raise InvalidParams("closed today")


def test_a_request_that_stays_open_passes_through_it_first() -> None:
    asyncio.run(_listen())


async def _listen() -> None:
    server, log = make_server("plain", "observer")
    app = server.asgi()
    live = Live(app, *modern("subscriptions/listen", notifications={"toolsListChanged": True}))
    await live.until(lambda live: live.body)
    assert log == [
        ("plain", "subscriptions/listen", None),
        ("observer", "subscriptions/listen", None),
        "observer ends",
        "plain ends",
    ]
    server.remove_tool("echo")
    await live.until(lambda live: len(live.events) >= 2)
    app.close()
    await live.done()


def test_many_plain_functions_and_plain_middleware_share_the_threads() -> None:
    server, _ = make_server("plain", "async", "plain")

    async def main() -> None:
        app = server.asgi()
        calls = [speak(app, *modern("tools/call", name="echo", arguments={"text": str(n)})) for n in range(100)]
        async with asyncio.timeout(30):
            answers = await asyncio.gather(*calls)
        assert [one.json["result"]["content"][0]["text"] for one in answers] == [str(n) for n in range(100)]

    asyncio.run(main())


def test_a_server_without_middleware_has_the_methods_of_the_protocol() -> None:
    assert Server("a").methods is Server("b").methods
    server = Server("c")
    server.middleware(methods=["tools/call"])(_refuse)
    assert server.methods["tools/list"] is Server("a").methods["tools/list"]


def test_what_cannot_be_middleware_is_refused() -> None:
    with pytest.raises(AuthorError, match="there is no method 'tools/cal'; the methods are"):
        Server("s").middleware(methods=["tools/cal"])(_refuse)
    with pytest.raises(AuthorError, match="middleware is a function of a request and call_next, not str"):
        Server("s", middleware=["log"])  # type: ignore[list-item]


# Ready middleware ---------------------------------------------------------------------------------


def test_requests_are_logged_with_their_time_but_without_arguments(caplog: pytest.LogCaptureFixture) -> None:
    server, _ = make_server()
    server.middleware(log_requests())
    with caplog.at_level(logging.INFO, "plainmcp.requests"):
        send("handle", server, "tools/call", name="echo", arguments={"text": "secret"})
        send("handle", server, "tools/call", name="gone")
    first, second = (record.getMessage() for record in caplog.records if record.name == "plainmcp.requests")
    assert first.startswith("tools/call 'echo' from") and ": ok in " in first and "secret" not in first
    assert ": InvalidParams in " in second


def test_a_caller_that_sends_too_much_has_to_wait_and_others_do_not() -> None:
    now = 100.0
    server, _ = make_server()
    server.middleware(methods=["tools/call"])(limit_rate(2, burst=3, now=lambda: now))
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}}

    def answers(principal: str, count: int) -> list[bool]:
        return [b"Too many requests" not in (server.handle(call, principal=principal) or b"") for _ in range(count)]

    assert answers("ann", 4) == [True, True, True, False]
    assert b"wait 0.5 seconds" in (server.handle(call, principal="ann") or b"")
    assert answers("bob", 3) == [True, True, True]
    now += 1
    assert answers("ann", 3) == [True, True, False]
    with pytest.raises(AuthorError, match="above 0"):
        limit_rate(0)


def test_the_rate_limit_counts_in_every_thread() -> None:
    server, _ = make_server()
    server.middleware(limit_rate(0.001, burst=50))
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answers: list[bytes | None] = []
    threads = [
        threading.Thread(target=lambda: answers.extend(server.handle(ping) for _ in range(20))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(b'"result":{}' in (one or b"") for one in answers) == 50


# Mounted servers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_middleware_and_the_lifespan_of_a_mounted_server_are_around_its_features_only(way: str) -> None:
    log: list[str] = []

    def life(server: Server) -> Generator[str, None, None]:
        log.append("open")
        yield "db"
        log.append("close")

    inner = Server("inner", lifespan=life)
    outer, _ = make_server()

    @inner.tool
    async def use(ctx: Context) -> str:
        return str(ctx.lifespan)

    outer.mount(inner, prefix="in")
    call = {"name": "in_use", "arguments": {}}
    plain = {"name": "echo", "arguments": {"text": "x"}}
    assert send(way, outer, "tools/call", **plain)["result"]["content"][0]["text"] == "x"
    assert log == (["open", "close"] if way == "stdio" else [])
    log.clear()
    assert send(way, outer, "tools/call", **call)["result"]["content"][0]["text"] == "db"
    outer.close()
    assert log == ["open", "close"]

    @inner.middleware
    def around(request: MiddlewareRequest, call_next: Any) -> Any:
        log.append(f"inner {request.name}")
        return call_next(request)

    @outer.middleware
    async def outermost(request: MiddlewareRequest, call_next: Any) -> Any:
        log.append("outer")
        return await call_next(request)

    log.clear()
    assert send(way, outer, "tools/call", **call)["result"]["content"][0]["text"] == "db"
    assert send(way, outer, "tools/call", **plain)["result"]["content"][0]["text"] == "x"
    outer.close()
    assert [one for one in log if one not in ("open", "close")] == ["outer", "inner use", "outer"]
    assert [one for one in log if one in ("open", "close")][:2] == ["open", "close"]


def test_a_completion_is_answered_once_on_a_connection() -> None:
    server = Server("complete")
    server.prompt(name="ask")(lambda topic: topic)
    server.completion("ask", "topic")(lambda value: [f"{value}!"])

    @server.middleware
    async def pass_on(request: Any, call_next: Any) -> Any:
        return await call_next(request)

    params = {"ref": {"type": "ref/prompt", "name": "ask"}, "argument": {"name": "topic", "value": "a"}}
    answer = Client(server, "2025-11-25").request("completion/complete", params)
    assert answer["completion"]["values"] == ["a!"]


def test_middleware_can_see_the_result_that_a_value_becomes() -> None:
    server = Server("seen")
    seen: list[Any] = []
    server.tool(name="number")(lambda: 42)
    server.resource("data://x")(lambda: "x")
    server.prompt(name="ask")(lambda: "Hello")

    @server.middleware
    async def look(request: Any, call_next: Any) -> Any:
        value = await call_next(request)
        seen.append(request.normalize(value))
        return value

    client = Client(server, "2025-11-25")
    seen.clear()
    client.call("number")
    client.read("data://x")
    client.get_prompt("ask")
    assert [type(one).__name__ for one in seen] == ["CallToolResult", "ReadResourceResult", "GetPromptResult"]
    assert (seen[0].content[0].text, seen[1].contents[0].text, seen[2].messages[0].role) == ("42", "x", "user")


def one_parameter(request: Any) -> None: ...


def three_parameters(request: Any, call_next: Any, other: Any) -> None: ...


def looks(request: Any, call_next: Any) -> Any:
    yield


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (one_parameter, "(request, call_next), and one_parameter does not take that"),
        (three_parameters, "(request, call_next), and three_parameters does not take that"),
        (looks, "(request), because it has a yield, and looks does not take that"),
    ],
)
def test_a_function_with_other_parameters_is_refused_when_it_is_registered(function: Any, wanted: str) -> None:
    with pytest.raises(AuthorError) as raised:
        Server("s").middleware(function)
    assert str(raised.value) == f"middleware is called with {wanted}"


def test_a_value_is_written_as_a_result_of_the_feature_that_was_called() -> None:
    server, _ = make_server()

    @server.tool
    def other() -> dict[str, int]:
        return {"n": 1}

    @server.middleware
    def call_two(request: MiddlewareRequest, call_next: Any) -> Any:
        with pytest.raises(InvalidParams):
            request.params["name"] = "missing"
            call_next(request)
        request.params["name"] = "other"
        value = call_next(request)
        request.params["name"] = "missing"  # too late
        return value

    result = Client(server).request("tools/call", {"name": "echo", "arguments": {}})
    assert result["structuredContent"] == {"n": 1}


def test_a_value_without_a_call_is_written_as_a_result_of_the_feature_that_is_named_then() -> None:
    server, _ = make_server()

    @server.tool
    def other() -> dict[str, int]:
        raise AssertionError

    @server.middleware
    def answer(request: MiddlewareRequest, call_next: Any) -> Any:
        assert request.feature.name == "echo"
        request.params["name"] = "other"
        return {"n": 2}

    result = Client(server).request("tools/call", {"name": "echo", "arguments": {}})
    assert result["structuredContent"] == {"n": 2}
