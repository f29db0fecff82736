"""What is served while a file cannot be loaded."""

import asyncio
import json
from typing import Any

import pytest

from plainmcp.cli.broken import BrokenApp

REASON = "app.py cannot be loaded\n\nSyntaxError"


def ask(local: str = "127.0.0.1", **headers: str) -> tuple[int, dict[bytes, bytes], bytes]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "server": (local, 8000),
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8000", **headers}.items()],
    }
    asyncio.run(BrokenApp(REASON)(scope, None, send))
    start, body = sent
    return start["status"], dict(start["headers"]), body["body"]


def test_a_client_gets_an_error_with_the_reason() -> None:
    status, headers, body = ask()
    assert (status, headers[b"content-type"], headers[b"retry-after"]) == (503, b"application/json", b"1")
    assert json.loads(body) == {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": REASON}}


def test_a_browser_gets_text() -> None:
    status, headers, body = ask(accept="text/html,*/*")
    assert (status, headers[b"content-type"], body.decode()) == (503, b"text/plain; charset=utf-8", REASON)


@pytest.mark.parametrize(
    ("local", "headers"),
    [
        ("192.0.2.1", {"host": "192.0.2.1:8000"}),
        ("127.0.0.1", {"host": "evil.example"}),
        ("127.0.0.1", {"origin": "https://evil.example"}),
    ],
)
def test_only_this_machine_gets_the_reason(local: str, headers: dict[str, str]) -> None:
    status, _, body = ask(local, **headers)
    assert status == 503
    assert b"app.py" not in body and b"the terminal in which it runs shows why" in body
