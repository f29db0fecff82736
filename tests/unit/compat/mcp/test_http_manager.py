"""Frameworks that put a server of the official SDK into their own routes, by a session manager (D15)."""

import asyncio
import json
from typing import Any

import pytest

from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP
from plainmcp.compat.mcp.server.lowlevel import Server
from plainmcp.compat.mcp.server.streamable_http import EventStore
from plainmcp.compat.mcp.server.streamable_http_manager import EventStore as SameStore
from plainmcp.compat.mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from plainmcp.compat.mcp.server.transport_security import TransportSecuritySettings
from plainmcp.compat.mcp.types import TextContent, Tool

HEADERS: list[Any] = [
    (b"host", b"shop.example.com"),
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
    (b"mcp-protocol-version", b"2025-06-18"),
    (b"authorization", b"Bearer of the caller"),
    (b"cookie", b'theme=dark; who="a%20b"'),
]


def low_level() -> Any:
    server: Any = Server("shop")

    @server.list_tools()
    async def list_tools() -> list[Tool]:
        return [Tool(name="look", inputSchema={"type": "object"})]

    @server.call_tool()
    async def call_tool(name: str, arguments: dict[str, Any]) -> list[TextContent]:
        return [TextContent(type="text", text=json.dumps(seen_in(server.request_context.request)))]

    return server


def high_level() -> Any:
    mcp = FastMCP("shop", event_store=None)

    @mcp.tool(structured_output=False)
    async def look(ctx: Context) -> str:
        return json.dumps(seen_in(ctx.request_context.request))

    assert mcp._event_store is None
    return mcp._mcp_server


def seen_in(request: Any) -> dict[str, Any]:
    return {
        "method": request.method,
        "path": request.url.path,
        "url": str(request.url),
        "headers": {name: request.headers[name.title()] for name in ("authorization", "host")},
        "cookies": request.cookies,
        "query_params": dict(request.query_params),
        "client": list(request.client),
        "state": request.state.tenant,
    }


def answered(manager: Any, method: str, params: Any, headers: Any = HEADERS) -> tuple[int, Any]:
    """The status and the body of the answer to a message."""
    sent: list[dict[str, Any]] = []
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "https",
        "path": "/api/mcp",
        "query_string": b"debug=1&empty=",
        "headers": headers,
        "client": ("192.0.2.7", 4000),
        "server": ("127.0.0.1", 8000),
        "state": {"tenant": "t1"},
    }

    async def use() -> None:
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    asyncio.run(use())
    is_text = dict(sent[0]["headers"]).get(b"content-type", b"").startswith(b"text/plain")
    return sent[0]["status"], sent[1]["body"].decode() if is_text else json.loads(sent[1]["body"] or b"null")


@pytest.mark.parametrize("make", [low_level, high_level])
def test_a_manager_around_a_server_lists_and_calls_under_any_name_of_the_host(make: Any) -> None:
    """D15. The handler sees the request as the application got it: its address, its headers and its cookies."""
    assert SameStore is EventStore
    server = make()

    def manager() -> Any:
        return StreamableHTTPSessionManager(app=server, event_store=None, json_response=True, stateless=True)

    status, listed = answered(manager(), "tools/list", {})
    assert (status, [tool["name"] for tool in listed["result"]["tools"]]) == (200, ["look"])
    status, called = answered(manager(), "tools/call", {"name": "look", "arguments": {}})
    assert status == 200
    assert json.loads(called["result"]["content"][0]["text"]) == {
        "method": "POST",
        "path": "/api/mcp",
        "url": "https://shop.example.com/api/mcp?debug=1&empty=",
        "headers": {"authorization": "Bearer of the caller", "host": "shop.example.com"},
        "cookies": {"theme": "dark", "who": "a%20b"},
        "query_params": {"debug": "1", "empty": ""},
        "client": ["192.0.2.7", 4000],
        "state": "t1",
    }


def test_a_manager_with_security_settings_checks_the_host() -> None:
    """D15, D18. As in the SDK: only the names that are allowed, with its status and text for others."""

    def answer(allowed: str) -> tuple[int, Any]:
        checks = TransportSecuritySettings(allowed_hosts=[allowed])
        manager = StreamableHTTPSessionManager(
            app=low_level(), json_response=True, stateless=True, security_settings=checks
        )
        return answered(manager, "tools/list", {})

    assert answer("shop.example.com")[0] == 200
    assert answer("other.example.com") == (421, "Invalid Host header")


def test_a_result_is_an_event_unless_the_author_wants_json() -> None:
    """D18. As in the SDK: programs and their tests read the lines of the stream."""
    sent: list[dict[str, Any]] = []
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def use() -> None:
        manager = StreamableHTTPSessionManager(app=low_level(), stateless=True)
        scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": HEADERS}
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    asyncio.run(use())
    assert dict(sent[0]["headers"])[b"content-type"] == b"text/event-stream"
    assert sent[1]["body"] == b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\r\n\r\n'


def test_a_request_without_both_media_types_is_refused_as_in_the_sdk() -> None:
    """D18."""
    manager = StreamableHTTPSessionManager(app=low_level(), stateless=True)
    headers = [*HEADERS[:2], (b"accept", b"application/json")]
    assert answered(manager, "tools/list", {}, headers) == (
        406,
        {
            "jsonrpc": "2.0",
            "id": "server-error",
            "error": {
                "code": -32600,
                "message": "Not Acceptable: Client must accept both application/json and text/event-stream",
            },
        },
    )


def test_a_scope_that_a_framework_makes_may_have_headers_as_text() -> None:
    """D15. django-mcp-server writes the length of the body so."""
    manager = StreamableHTTPSessionManager(app=low_level(), json_response=True, stateless=True)
    assert answered(manager, "tools/list", {}, [*HEADERS, ("Content-Length", b"2")])[0] == 200


def test_a_manager_runs_once_and_answers_only_while_it_runs() -> None:
    """D15. In the words of the SDK."""
    manager = StreamableHTTPSessionManager(app=low_level(), json_response=True)
    answered(manager, "tools/list", {})
    with pytest.raises(RuntimeError, match="can only be called once per instance"):
        answered(manager, "tools/list", {})
    with pytest.raises(RuntimeError, match="Make sure to use run"):
        asyncio.run(manager.handle_request({}, None, None))
