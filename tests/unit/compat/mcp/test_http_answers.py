"""The answers of an endpoint as the official SDK writes them (D18)."""

import asyncio
import json
from typing import Any

import pytest

from fetching import fetch_asgi
from plainmcp.compat.mcp.server.fastmcp import FastMCP

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def answer(method: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    named = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = b"" if body is None else json.dumps(body).encode()
    app = FastMCP("a").streamable_http_app()
    fetched = asyncio.run(fetch_asgi(app, method, "/mcp", raw, headers=named))
    return fetched.status, json.loads(fetched.body) if fetched.body[:1] == b"{" else fetched.body.decode()


def error(text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": text}}


@pytest.mark.parametrize(
    ("method", "body", "headers", "expected"),
    [
        ("POST", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, (400, error("Bad Request: Missing session ID"))),
        ("POST", {}, {"mcp_session_id": "gone"}, (404, error("Session not found"))),
        ("GET", None, {}, (400, error("Bad Request: Missing session ID"))),
        ("GET", None, {"accept": "text/html"}, (406, error("Not Acceptable: Client must accept text/event-stream"))),
        ("PUT", None, {}, (405, error("Method Not Allowed"))),
        ("POST", {}, {"content_type": "text/plain"}, (400, "Invalid Content-Type header")),
        ("POST", {}, {"host": "evil.example"}, (421, "Invalid Host header")),
        ("POST", {}, {"origin": "https://evil.example"}, (403, "Invalid Origin header")),
    ],
)
def test_a_refused_request_has_the_status_and_the_text_of_the_sdk(
    method: str, body: Any, headers: dict[str, str], expected: Any
) -> None:
    """D18. Programs, and the tests that they have, compare them."""
    assert answer(method, body, **headers) == expected
