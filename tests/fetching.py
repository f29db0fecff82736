"""Plain HTTP requests to an application in memory: over ASGI and over WSGI."""

import asyncio
import io
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

__all__ = ["WAYS", "Answer", "fetch", "fetch_asgi", "fetch_wsgi"]

SECONDS = 10.0


@dataclass
class Answer:
    """A whole response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, if it is JSON."""
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


async def fetch_asgi(
    app: Any, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, root: str = ""
) -> Answer:
    """One request over ASGI."""
    plain, _, query = path.partition("?")
    pairs = {"host": "127.0.0.1:8000", **(headers or {})}
    scope = {
        "type": "http",
        "method": method,
        "path": root + unquote(plain),
        "root_path": root,
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs.items()],
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 5),
    }
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    answer = Answer(0, {}, b"")

    async def receive() -> Any:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert not answer.status, "a response was begun twice"
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode("latin-1") for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    async with asyncio.timeout(SECONDS):
        await app(scope, receive, send)
    return answer


def fetch_wsgi(
    app: Any, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, root: str = ""
) -> Answer:
    """One request over WSGI."""
    plain, _, query = path.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": root,
        "PATH_INFO": unquote(plain).encode().decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
    }
    for name, value in {"host": "127.0.0.1:8000", **(headers or {})}.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    answer = Answer(0, {}, b"")

    def start(status: str, pairs: list[tuple[str, str]]) -> None:
        answer.status = int(status.split()[0])
        answer.headers = {name.lower(): value for name, value in pairs}

    answer.body = b"".join(app(environ, start))
    return answer


def _fetch_asgi_now(server: Any, path: str, *args: Any, **options: Any) -> Answer:
    return asyncio.run(fetch_asgi(server.asgi(path="/mcp"), *_order(path, args), **options))


def _fetch_wsgi_now(server: Any, path: str, *args: Any, **options: Any) -> Answer:
    return fetch_wsgi(server.wsgi(path="/mcp"), *_order(path, args), **options)


def _order(path: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    method, *rest = args or ("GET",)
    return (method, path, *rest)


WAYS = {"asgi": _fetch_asgi_now, "wsgi": _fetch_wsgi_now}


def fetch(way: str, server: Any, path: str, *args: Any, **options: Any) -> Answer:
    """One request to a server at /mcp, over ASGI or WSGI: a path, then perhaps a method and a body."""
    return WAYS[way](server, path, *args, **options)
