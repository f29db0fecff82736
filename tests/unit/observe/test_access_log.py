"""The access log: one line for each request, plain or JSON, without secrets."""

import asyncio
import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from mounted import modern, session, speak
from plainmcp import Server, ToolError
from plainmcp.auth import Keys
from plainmcp.errors import AuthorError
from plainmcp.observe import RequestFacts, log_access
from plainmcp.observe.access_log import digest_of
from speaking import message

SECRETS = (
    "sk-12345",
    "argument-secret",
    "result-secret",
    "cookie-secret",
    "exception-secret",
    "session=",
    "signature",
)


def make_server(*observers: Any) -> Server:
    server = Server("s", observe=observers)

    @server.tool
    def echo(text: str) -> str:
        return "result-secret"

    @server.tool
    def fail(text: str) -> str:
        raise ToolError("exception-secret")

    @server.tool
    def crash(text: str) -> str:
        raise RuntimeError("exception-secret")

    @server.resource("https://example.com/{name}{?signature}")
    def page(name: str, signature: str = "") -> str:
        return "result-secret"

    return server


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "plainmcp.access"]


@pytest.fixture
def access(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "plainmcp.access")
    return caplog


def call(server: Server, tool: str = "echo", **how: Any) -> None:
    server.handle(
        message("2025-11-25", "tools/call", {"name": tool, "arguments": {"text": "argument-secret"}}), **how
    )


def test_a_plain_line_names_method_tool_outcome_duration_caller_and_id(access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access())
    call(server, principal="ann")
    call(server, "fail", principal={"sub": "bob", "token": "sk-12345"})
    call(server, "none")
    server.handle({"jsonrpc": "2.0", "id": "a b", "method": "ping"})
    server.handle(b"{")
    texts = [mask_duration(line) for line in lines_of(access)]
    assert texts == [
        "tools/call echo ok TIME ms caller=ann id=1",
        "tools/call fail tool_error TIME ms caller=bob id=1",
        "tools/call none error -32602 TIME ms id=1",
        'ping ok TIME ms id="a b"',
        "error -32700 TIME ms",
    ]
    assert {record.levelname for record in access.records if record.name == "plainmcp.access"} == {"INFO"}


def mask_duration(line: str) -> str:
    words = line.split(" ")
    at = words.index("ms") - 1
    assert float(words[at]) > 0
    return " ".join([*words[:at], "TIME", *words[at + 1 :]])


def test_a_json_line_has_the_same_parts_by_name(access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access("json"))
    body, headers = modern("tools/call", id=7, name="echo", arguments={"text": "argument-secret"})
    body["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = {"name": "desk", "version": "1.2"}

    async def run() -> None:
        app = server.asgi(principal=lambda scope: "ann")

        async def with_client(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "client": ("192.0.2.7", 4711)}, receive, send)

        await speak(with_client, body, headers)
        await speak(with_client, body, {**headers, "host": "evil.example"})

    asyncio.run(run())
    first, second = map(json.loads, lines_of(access))
    assert first.pop("duration_ms") > 0 and second.pop("duration_ms") > 0
    assert datetime.fromisoformat(first.pop("time")) <= datetime.fromisoformat(second.pop("time"))
    assert first == {
        "method": "tools/call",
        "name": "echo",
        "outcome": "ok",
        "caller": "ann",
        "address": "192.0.2.7",
        "id": 7,
        "client": "desk/1.2",
        "revision": "2026-07-28",
        "transport": "tcp",
    }
    assert second == {
        "method": "POST",
        "outcome": "error",
        "code": -32600,
        "status": 403,
        "address": "192.0.2.7",
        "transport": "tcp",
    }


@pytest.mark.parametrize("format", ["plain", "json"])
def test_no_line_has_a_secret(format: Any, access: pytest.LogCaptureFixture) -> None:
    """Neither arguments, results, errors, headers, session ids nor the query of a URI."""
    server = make_server(log_access(format))
    secret = {"authorization": "Bearer sk-12345", "cookie": "session=cookie-secret", "x-api-key": "sk-12345"}

    async def run() -> str:
        app = server.asgi(principal=lambda scope: dict(scope["headers"])[b"authorization"].decode().split()[1])
        opened = await speak(app, initialize(), secret)
        headers = {**secret, "mcp-session-id": opened.headers["mcp-session-id"]}
        for tool in ("echo", "fail", "crash", "none"):
            params = {"name": tool, "arguments": {"text": "argument-secret"}}
            await speak(app, message("2025-11-25", "tools/call", params), headers)
        uri = "https://user:sk-12345@example.com/a?signature=sk-12345#signature"
        await speak(app, message("2025-11-25", "resources/read", {"uri": uri}), headers)
        await speak(app, message("2025-11-25", "ping"), {**headers, "mcp-session-id": "sk-12345"})
        return headers["mcp-session-id"]

    id = asyncio.run(run())
    lines = lines_of(access)
    assert len(lines) == 7
    text = "\n".join(lines)
    assert [one for one in (*SECRETS, id) if one in text.replace("session=#", "")] == []
    assert digest_of(id) in text and digest_of("sk-12345") in text


def initialize() -> dict[str, Any]:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


@pytest.mark.parametrize("format", ["plain", "json"])
def test_a_resource_is_named_by_its_template(format: Any, access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access(format))
    server.resource("memo://fixed")(lambda: "x")
    for uri in ("https://example.com/argument-secret", "memo://fixed", "memo://ann:pw@other/x?sk-12345"):
        server.handle(message("2025-11-25", "resources/read", {"uri": uri}))
    text = "\n".join(lines_of(access))
    assert "argument-secret" not in text and "sk-12345" not in text and "pw" not in text
    for name in ("https://example.com/{name}{?signature}", "memo://fixed", "memo://other/x"):
        assert name in text


@pytest.mark.parametrize("format", ["plain", "json"])
def test_a_client_cannot_forge_a_line(format: Any, access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access(format))
    name = 'echo ok 1.0 ms caller=admin"\n2026 tools/call \x1b[2J\u202e' + "x" * 5_000
    server.handle(message("2025-11-25", "tools/call", {"name": name}, id="1\nline" + "y" * 5_000))
    server.handle(message("2025-11-25", "m\n" + "z" * 5_000))
    server.handle(message("2025-11-25", "ping", id=10**400))
    for line in lines_of(access):
        assert line.isascii() and line.isprintable() and len(line) < 3_000
        if format == "plain":
            assert "caller=admin " not in line.replace('\\"', "")
    assert "ok" not in lines_of(access)[0].split('"')[0].split()


def test_the_name_of_a_caller(access: pytest.LogCaptureFixture) -> None:
    @dataclass
    class User:
        username: str
        password: str = "sk-12345"

    class Odd:
        def __repr__(self) -> str:
            return "sk-12345"

    server = make_server(log_access("json"))
    for principal in (User("eva"), 17, {"id": 5}, Odd(), {"token": "sk-12345"}, ""):
        call(server, principal=principal)
    assert [json.loads(line).get("caller") for line in lines_of(access)] == ["eva", "17", "5", None, None, ""]


def test_a_function_names_the_caller(access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access("json", caller=lambda principal: principal["mail"]))
    call(server, principal={"mail": "a@example.com"})
    assert json.loads(lines_of(access)[0])["caller"] == "a@example.com"


def test_the_level_decides_whether_anything_is_worked_out(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "plainmcp.access")
    call(make_server(log_access()))
    assert lines_of(caplog) == []


def test_another_logger_and_another_format() -> None:
    records: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record.getMessage())

    logger = logging.Logger("mine", logging.INFO)
    logger.addHandler(Handler())
    call(make_server(log_access(logger=logger)))
    assert len(records) == 1
    with pytest.raises(AuthorError, match='"plain" or "json", not \'xml\''):
        log_access("xml")  # type: ignore[arg-type]


def test_a_session_is_a_digest(access: pytest.LogCaptureFixture) -> None:
    server = make_server(log_access("json"))

    async def run() -> str:
        app = server.asgi()
        return (await session(app))["mcp-session-id"]

    id = asyncio.run(run())
    assert json.loads(lines_of(access)[1])["session"] == digest_of(id)
    assert id not in "".join(lines_of(access))


def test_facts_are_those_of_the_public_module() -> None:
    seen: list[Any] = []
    call(make_server(lambda facts: seen.append(facts)))
    assert isinstance(seen[0], RequestFacts)


@pytest.mark.parametrize("format", ["plain", "json"])
def test_callers_with_keys_are_named_and_no_key_is_logged(format: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    key, wrong = "the-key-of-ann-0123456789", "a-key-of-nobody-9876543210"
    server = make_server(log_access(format))

    @server.tool(requires="notes:write")
    def write() -> str:
        return "written"

    async def run() -> list[int]:
        app = server.asgi(auth=Keys({key: "ann"}, header="X-API-Key"))
        tries = [
            {},
            {"authorization": f"Bearer {wrong}"},
            {"authorization": f"Bearer {key}"},
            {"x-api-key": key},
        ]
        body, headers = modern("tools/call", name="echo", arguments={"text": "x"})
        statuses = [(await speak(app, body, {**headers, **more})).status for more in tries]
        body, headers = modern("tools/call", name="write", arguments={})
        return [*statuses, (await speak(app, body, {**headers, "authorization": f"Bearer {key}"})).status]

    assert asyncio.run(run()) == [401, 401, 200, 200, 403]
    lines = lines_of(caplog)
    if format == "json":
        entries = [json.loads(line) for line in lines]
        assert [one.get("caller") for one in entries] == [None, None, "ann", "ann", "ann"]
        assert [one.get("status") for one in entries] == [401, 401, None, None, None]
        assert [one["outcome"] for one in entries] == ["error", "error", "ok", "ok", "error"]
    text = "\n".join(record.getMessage() for record in caplog.records)
    assert key not in text and wrong not in text and len(lines) == 5
