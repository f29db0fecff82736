"""Checks of HTTP requests in applications of a program's own, as the official SDK does them."""

import asyncio
from typing import Any

import pytest
from mcp.server import transport_security as official
from starlette.requests import Request

from plainmcp.compat.mcp.server import transport_security

SETTINGS: list[dict[str, Any] | None] = [
    None,
    {"enable_dns_rebinding_protection": False},
    {
        "enable_dns_rebinding_protection": True,
        "allowed_hosts": ["example.com", "127.0.0.1:*"],
        "allowed_origins": ["https://example.com", "http://127.0.0.1:*"],
    },
]
HEADERS: list[dict[str, str]] = [
    {},
    {"host": "example.com"},
    {"host": "127.0.0.1:8000"},
    {"host": "evil.example"},
    {"host": "example.com", "origin": "https://example.com"},
    {"host": "127.0.0.1:1", "origin": "http://127.0.0.1:2"},
    {"host": "example.com", "origin": "https://evil.example"},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("content_type", [None, "text/plain", "application/json", "Application/JSON; charset=utf-8"])
def test_a_request_is_refused_as_there(settings: dict[str, Any] | None, content_type: str | None) -> None:
    for headers, is_post in [(one, is_post) for one in HEADERS for is_post in (False, True)]:
        sent = dict(headers) if content_type is None else {**headers, "content-type": content_type}
        raw = [(name.encode(), value.encode()) for name, value in sent.items()]
        answers = []
        for module in (transport_security, official):
            options: Any = None if settings is None else module.TransportSecuritySettings(**settings)
            middleware: Any = module.TransportSecurityMiddleware(options)
            request = Request({"type": "http", "method": "POST", "path": "/", "headers": raw})
            answer = asyncio.run(middleware.validate_request(request, is_post=is_post))
            answers.append(answer and (answer.status_code, answer.body))
        assert answers[0] == answers[1], (sent, is_post)


def ask(pieces: list[bytes], declared: str | None, most: int) -> tuple[int, bytes]:
    """Send a body in pieces through the limit, to an application that sends it back."""
    sent: list[Any] = []
    waiting = [
        {"type": "http.request", "body": piece, "more_body": at + 1 < len(pieces)} for at, piece in enumerate(pieces)
    ]

    async def receive() -> Any:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    headers = [] if declared is None else [(b"content-length", declared.encode())]
    limit = transport_security.RequestBodyLimitMiddleware(app, most)
    asyncio.run(limit({"type": "http", "headers": headers}, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_a_body_that_is_too_large_is_refused_whatever_its_header_says() -> None:
    assert ask([b"ab", b"cd"], None, 4) == (200, b"abcd")
    assert ask([b"ab", b"cd"], "4", 4) == (200, b"abcd")
    assert ask([b"ab", b"cde"], None, 4)[0] == 413
    assert ask([b"ab", b"cde"], "4", 4)[0] == 413
    assert ask([b"ab"], "5", 4)[0] == 413
    assert ask([b"ab"], "x", 4) == (200, b"ab")
    with pytest.raises(ValueError, match="positive"):
        transport_security.RequestBodyLimitMiddleware(None, 0)
