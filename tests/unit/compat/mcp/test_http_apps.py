"""Session managers, settings and paths of the official SDK's applications."""

import asyncio
from typing import Any

import pytest

from fetching import fetch_asgi
from plainmcp.compat.mcp.server import MCPServer, Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.server.transport_security import TransportSecuritySettings


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


def test_pages_of_this_machine_may_call_if_their_origins_were_chosen() -> None:
    """P23: the defaults of the SDK name them, but there such a page gets no answer to its preflight."""

    def status(origin: str, **options: Any) -> int:
        asked = {"origin": origin, "access-control-request-method": "POST"}
        app = FastMCP("a", **options).streamable_http_app()
        return asyncio.run(fetch_asgi(app, "OPTIONS", "/mcp", headers=asked)).status

    page, own = "http://localhost:6274", "http://127.0.0.1:8000"
    chosen = TransportSecuritySettings(allowed_hosts=["127.0.0.1:*"], allowed_origins=["http://localhost:*"])
    assert (status(page), status(own)) == (403, 204)
    assert (status(page, transport_security=chosen), status(own, transport_security=chosen)) == (204, 204)
    off = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    assert status(page, transport_security=off) == 204


def test_a_server_for_other_machines_sets_nothing() -> None:
    assert FastMCP("a", host="0.0.0.0").settings.transport_security is None


def test_the_old_transport_is_served_as_streamable_http(caplog: pytest.LogCaptureFixture) -> None:
    assert FastMCP("a", sse_path="/events").sse_app().routes[0].path == "/events"
    assert "streamable HTTP" in caplog.text
