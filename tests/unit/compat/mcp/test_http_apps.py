"""Session managers, settings and paths of the official SDK's applications."""

import asyncio
from typing import Any

import pytest

from plainmcp.compat.mcp.server import MCPServer, Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP


@pytest.mark.parametrize("kind", [FastMCP, MCPServer, Server])
def test_the_session_manager_is_there_once_an_application_is(kind: Any) -> None:
    server = kind("a")
    with pytest.raises(RuntimeError, match="streamable_http_app"):
        server.session_manager.run()
    app = server.streamable_http_app(streamable_http_path="/here")
    assert app.routes[0].path == "/here"

    async def use() -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"{}", "more_body": False}

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/x",
            "root_path": "",
            "headers": [(b"host", b"[::1]:8000")],
            "query_string": b"",
        }
        async with server.session_manager.run():
            await server.session_manager.handle_request(scope, receive, send)
        return int(sent[0]["status"])

    assert asyncio.run(use()) in (400, 405, 406)  # a request for one of our own, and not a 403 or a 404


def test_the_server_behind_fastmcp_has_the_same_application() -> None:
    mcp = FastMCP("a")
    assert mcp._mcp_server.streamable_http_app().routes[0].path == "/mcp"
    assert mcp._mcp_server.session_manager is not None


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_server_on_this_machine_is_protected_against_names_of_other_machines(host: str) -> None:
    security = FastMCP("a", host=host).settings.transport_security
    assert security.enable_dns_rebinding_protection and f"{'[::1]'}:*" in security.allowed_hosts


def test_a_server_for_other_machines_sets_nothing() -> None:
    assert FastMCP("a", host="0.0.0.0").settings.transport_security is None


def test_the_old_transport_is_served_as_streamable_http(caplog: pytest.LogCaptureFixture) -> None:
    assert FastMCP("a", sse_path="/events").sse_app().routes[0].path == "/events"
    assert "streamable HTTP" in caplog.text
