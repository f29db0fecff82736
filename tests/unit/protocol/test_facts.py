"""The facts of a request that observers get: who asked what, how, and how it ended."""

import asyncio
import io
import json
from typing import Any

import pytest

from mounted import initialize, modern, session, speak
from plainmcp import Server
from plainmcp.observe import RequestFacts
from speaking import message
from ways import send


def make_server() -> tuple[Server, list[RequestFacts]]:
    log: list[RequestFacts] = []
    server = Server("s", observe=lambda facts: log.append)

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(visible=lambda principal: principal == "admin")
    def erase() -> str:
        return "gone"

    @server.resource("note://{id}")
    def note(id: str) -> str:
        return id

    @server.prompt
    def ask() -> str:
        return "?"

    return server, log


def test_a_call_over_http_has_all_its_facts() -> None:
    server, log = make_server()
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "a=1"}
    meta = {
        **trace,
        "baggage": 5,
        "own": {"x": 1},
        "io.modelcontextprotocol/clientInfo": {"name": "desk", "version": "2"},
    }
    body, headers = modern("tools/call", id="seven", meta=meta, name="add", arguments={"a": 1, "b": 2})
    app = server.asgi(principal=lambda scope: "ann")

    async def run() -> Any:
        async def with_client(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "client": ("192.0.2.7", 4711), "http_version": "1.1"}, receive, send)

        return await speak(with_client, body, {**headers, "x-extra": "1"})

    asyncio.run(run())
    (facts,) = log
    assert (facts.method, facts.name, facts.request_id, facts.is_notification) == (
        "tools/call",
        "add",
        "seven",
        False,
    )
    assert (facts.revision, facts.session_id, facts.principal) == ("2026-07-28", None, "ann")
    assert facts.client == {"name": "desk", "version": "2"}
    assert (facts.transport, facts.address, facts.port) == ("tcp", "192.0.2.7", 4711)
    assert (facts.http_method, facts.http_version, facts.headers["x-extra"]) == ("POST", "1.1", "1")
    assert facts.trace_context == trace
    assert facts.meta["own"] == {"x": 1}
    assert facts.arguments == {"a": 1, "b": 2}
    assert (facts.outcome, facts.error_code, facts.error) == ("ok", None, None)
    assert facts.result["structuredContent"] == {"result": 3}
    assert 0 < facts.duration < 5 and facts.duration == facts.duration


def test_the_facts_of_a_session() -> None:
    server, log = make_server()

    async def run() -> dict[str, str]:
        app = server.asgi()
        headers = await session(app, "2025-06-18")
        await speak(app, message("2025-06-18", "tools/call", {"name": "none"}), headers)
        return headers

    headers = asyncio.run(run())
    first, ready, call = log
    assert (first.method, first.revision, first.client["name"]) == ("initialize", "2025-06-18", "t")
    assert (ready.method, ready.is_notification, ready.request_id) == ("notifications/initialized", True, None)
    assert (call.session_id, call.revision, call.client["name"]) == (headers["mcp-session-id"], "2025-06-18", "t")
    assert (call.outcome, call.error_code, call.error["code"], call.result) == ("error", -32602, -32602, None)


def test_the_revision_is_not_known_before_the_handshake_or_if_it_is_not_served() -> None:
    begun: list[str | None] = []
    server = Server("s", observe=lambda facts: begun.append(facts.revision))
    connection = server.connect()
    connection.handle(initialize())
    connection.handle(message("2025-11-25", "ping"))
    bad = message("2026-07-28", "ping")
    bad["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"
    connection.handle(bad)
    server.handle(message("2025-11-25", "ping"))
    assert begun == [None, "2025-11-25", None, "2025-11-25"]


KNOWN: list[tuple[str, dict[str, Any], bool]] = [
    ("tools/call", {"name": "add"}, True),
    ("tools/call", {"name": "erase"}, False),  # for this caller
    ("tools/call", {"name": "none"}, False),
    ("tools/call", {}, False),
    ("prompts/get", {"name": "ask"}, True),
    ("prompts/get", {"name": "add"}, False),
    ("resources/read", {"uri": "note://1"}, True),
    ("resources/read", {"uri": "other://1"}, False),
    ("tools/list", {}, True),
    ("tools/cull", {}, False),
    ("notifications/progress", {}, True),
    ("notifications/other", {}, False),
]


@pytest.mark.parametrize(("method", "params", "is_known"), KNOWN)
def test_only_what_the_server_has_is_known(method: str, params: dict[str, Any], is_known: bool) -> None:
    server, log = make_server()
    server.handle(message("2025-11-25", method, params))
    assert log[0].is_known is is_known
    has_feature = is_known and method in ("tools/call", "prompts/get", "resources/read")
    key = params.get("name", "note://{id}") if has_feature else None
    assert log[0].feature == key


def test_standard_input_is_a_pipe() -> None:
    server, log = make_server()
    send("stdio", server, "ping", "2026-07-28")
    assert (log[0].transport, log[0].address, log[0].headers, log[0].http_method) == ("pipe", None, {}, None)


REFUSED: dict[str, tuple[dict[str, Any], dict[str, str], str, int, int | None]] = {
    "another host": (message("2025-11-25", "ping"), {"host": "evil.example"}, "POST", 403, -32600),
    "another content type": ({}, {"content-type": "text/html"}, "POST", 415, -32600),
    "no such session": (message("2025-11-25", "ping"), {"mcp-session-id": "no"}, "POST", 404, -32600),
    "another method": ({}, {}, "PUT", 405, -32600),
    "a stream without a session": ({}, {"mcp-protocol-version": "2026-07-28"}, "GET", 405, -32600),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_request_that_http_refuses_is_seen_with_its_status(what: str) -> None:
    body, headers, method, status, code = REFUSED[what]
    server, log = make_server()
    live = asyncio.run(speak_to(server, body, headers, method))
    assert live.status == status
    (facts,) = log
    assert (facts.method, facts.http_method, facts.http_status) == (None, method, status)
    assert (facts.outcome, facts.error_code, facts.transport) == ("error", code, "tcp")
    assert facts.is_known is False
    assert facts.duration > 0


async def speak_to(server: Server, body: Any, headers: dict[str, str], method: str = "POST") -> Any:
    return await speak(server.asgi(), body, headers, method)


def test_a_body_that_is_not_json_is_seen() -> None:
    server, log = make_server()
    live = asyncio.run(speak_to(server, b"{", {}))
    assert (log[0].http_status, log[0].error_code) == (live.status, -32700)


def test_a_modern_request_whose_headers_differ_is_seen_with_its_method() -> None:
    server, log = make_server()
    body, headers = modern("tools/call", name="add", arguments={})
    live = asyncio.run(speak_to(server, body, {**headers, "mcp-name": "other"}))
    (facts,) = log
    assert (live.status, facts.method, facts.name, facts.error_code) == (400, "tools/call", "add", -32020)
    assert facts.http_status is None


def test_a_caller_who_is_refused_is_seen() -> None:
    server, log = make_server()

    def refuse(scope: Any) -> Any:
        raise PermissionError

    app = server.asgi(principal=refuse)
    live = asyncio.run(speak_(app))
    assert (live.status, log[0].http_status, log[0].outcome) == (401, 401, "error")


async def speak_(app: Any) -> Any:
    return await speak(app, *modern("ping"))


def test_the_facts_under_wsgi() -> None:
    server, log = make_server()
    app = server.wsgi()

    def post(body: Any, **environ: str) -> list[bytes]:
        raw = json.dumps(body).encode()
        whole = {
            "REQUEST_METHOD": "POST",
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_PORT": "4711",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": io.BytesIO(raw),
            **environ,
        }
        return list(app(whole, lambda status, headers: None))

    post(initialize())
    post(initialize(), HTTP_HOST="evil.example")
    post(initialize(), REMOTE_PORT="-1")
    shake, refused, odd = log
    assert (shake.method, shake.address, shake.port, shake.http_version) == ("initialize", "127.0.0.1", 4711, "1.1")
    assert (shake.transport, shake.headers["host"]) == ("tcp", "localhost")
    assert (refused.method, refused.http_status, refused.error_code) == (None, 403, -32600)
    assert odd.port is None


def test_arguments_that_are_not_json_data_are_none() -> None:
    server, log = make_server()
    server.handle(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"\\ud800"}}}'
    )
    assert log[0].arguments in (None, {"a": "\ud800"})


HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]


def test_a_client_that_leaves_before_its_body_is_cancelled() -> None:
    server, log = make_server()

    async def run() -> None:
        scope = {"type": "http", "method": "POST", "path": "/", "headers": HEADERS}

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None: ...

        await server.asgi()(scope, receive, send)

    asyncio.run(run())
    assert (log[0].outcome, log[0].http_status) == ("cancelled", None)


HOSTILE = [
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":' + b"9" * 6_000 + b"}}}",
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":' + b"9" * 6_000 + b"}}}",
    b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"http://[::1?secret"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"traceparent":["x"],"x":"\xff"}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":{"a":1},"uri":5,"_meta":{"traceparent":5}}}',
]


@pytest.mark.parametrize("raw", HOSTILE)
def test_every_fact_of_a_hostile_message_can_be_read(raw: bytes) -> None:
    server, log = make_server()
    server.handle(raw)
    (facts,) = log
    names = [name for name in dir(facts) if not name.startswith("_") and name not in ("end", "end_http")]
    assert len(names) > 20 and {name: getattr(facts, name) for name in names}["outcome"] is not None
