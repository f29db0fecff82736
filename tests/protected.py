"""One HTTP request to a protected server in this process, under ASGI and WSGI: its status, headers and body."""

import asyncio
import io
import json
from dataclasses import dataclass
from typing import Any

from mounted import modern
from plainmcp import Server

__all__ = ["ADA", "APPS", "BOB", "KEYS", "Answer", "ask", "call", "initialize", "mount", "notes"]

APPS = ("asgi", "wsgi")
ADA, BOB = "ada-0123456789abcdef", "bob-0123456789abcdef"
KEYS = {ADA: "ada", BOB: "bob"}


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, or the last message of a stream."""
        if self.headers.get("content-type") == "text/event-stream":
            return json.loads(
                [line for line in self.body.decode().splitlines() if line.startswith("data: {")][-1][6:]
            )
        return json.loads(self.body)

    @property
    def challenge(self) -> str | None:
        """The header WWW-Authenticate."""
        return self.headers.get("www-authenticate")


def notes(**options: Any) -> Server:
    """A server with a tool."""
    server = Server("notes", "1.0", **options)

    @server.tool
    def echo(text: str) -> str:
        return text

    return server


def mount(kind: str, server: Server, **options: Any) -> Any:
    """A server as an application."""
    return server.asgi(**options) if kind == "asgi" else server.wsgi(**options)


def ask(
    app: Any,
    body: Any = None,
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    method: str = "POST",
    path: str = "/mcp",
    root: str = "",
) -> Answer:
    """One request and its whole answer, under ASGI or WSGI, whichever the application is."""
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    given = list(headers.items() if isinstance(headers, dict) else headers or [])
    names = {name.lower() for name, _ in given}
    defaults = {
        "host": "127.0.0.1:8000",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }
    given += [(name, value) for name, value in defaults.items() if name not in names]
    if "WSGI" in type(app).__name__:
        return _ask_wsgi(app, raw, given, method, path, root)
    return asyncio.run(_ask_asgi(app, raw, given, method, path, root))


async def _ask_asgi(app: Any, raw: bytes, given: Any, method: str, path: str, root: str) -> Answer:
    answer = Answer(0, {}, b"")
    pieces = [{"type": "http.request", "body": raw, "more_body": False}]

    async def receive() -> Any:
        if pieces:
            return pieces.pop()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            for name, value in message["headers"]:
                assert name.decode() not in answer.headers, f"{name} is sent twice"
                answer.headers[name.decode()] = value.decode()
        else:
            answer.body += message.get("body", b"")

    scope = {
        "type": "http",
        "method": method,
        "path": root + path,
        "root_path": root,
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given],
        "server": ("127.0.0.1", 8000),
    }
    async with asyncio.timeout(20):
        await app(scope, receive, send)
    return answer


def _ask_wsgi(app: Any, raw: bytes, given: Any, method: str, path: str, root: str) -> Answer:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": root,
        "PATH_INFO": path,
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(raw)),
        "wsgi.input": io.BytesIO(raw),
    }
    for name, value in given:
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value  # as servers do
    answer = Answer(0, {}, b"")

    def start_response(status: str, pairs: list[tuple[str, str]]) -> None:
        answer.status = int(status.split()[0])
        for name, value in pairs:
            assert name.lower() not in answer.headers, f"{name} is sent twice"
            answer.headers[name.lower()] = value

    parts = app(environ, start_response)
    answer.body = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    return answer


def call(app: Any, token: str | None = None, tool: str = "echo", method: str = "tools/call", **params: Any) -> Answer:
    """Call a tool, or another method, as a client of 2026-07-28 with a token."""
    if method == "tools/call":
        params = {"name": tool, "arguments": params or ({"text": "hi"} if tool == "echo" else {})}
    body, headers = modern(method, **params)
    return ask(app, body, headers | ({} if token is None else {"authorization": f"Bearer {token}"}))


def initialize(app: Any, token: str | None = None, revision: str = "2025-11-25") -> dict[str, str]:
    """Open a session; returns the headers of further requests."""
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    own = {} if token is None else {"authorization": f"Bearer {token}"}
    answer = ask(app, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, own)
    assert answer.status == 200, answer
    return {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": revision, **own}
