"""The routes of a server under WSGI: each request is one of ASGI in the background loop, and its response is whole.

Knows WSGI and ASGI, but no MCP; asgi_routes runs the handlers.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ..protocol.core import Core
from .asgi_routes import routes_beside
from .background_loop import wait_for
from .http.routes import Routes
from .http.settings import Settings
from .wsgi import Environ, StartResponse, WSGIApp, headers_of, read_body, status_line

__all__ = ["WSGIPathApp"]


class WSGIPathApp:
    """A WSGI application that serves at one path, with the routes of its server at other paths."""

    def __init__(
        self, app: WSGIApp, core: Core, routes: Routes, settings: Settings, path: str, health: str | None
    ) -> None:
        self.app = app
        self.path = path.rstrip("/")
        self._others = routes_beside(app.endpoint, core, routes, settings, path, health)
        self._settings = settings

    def drain(self) -> None:
        """End every stream that stays open: see the application."""
        self.app.drain()

    def close(self) -> None:
        """End every stream, every request and every session: see the application."""
        self.app.close()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Handle one request."""
        if environ.get("PATH_INFO", "").rstrip("/") == self.path:
            return self.app(environ, start_response)
        body = read_body(environ, self._settings.max_body)
        response = _CollectedResponse()
        if body is None:
            response.status, response.headers = 413, [("Content-Type", "text/plain")]
            response.body += b"The body is larger than %d bytes.\n" % self._settings.max_body
        else:
            wait_for(lambda: self._others(_scope_of(environ), _receiver_of(body), response.send))
        start_response(status_line(response.status), response.headers)
        return [bytes(response.body)] if response.body else []


class _CollectedResponse:
    """The response that an ASGI application has sent."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[str, str]] = []
        self.body = bytearray()

    async def send(self, message: Any) -> None:
        """Take a message of the application."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            pairs = message.get("headers", [])
            self.headers = [(name.decode("latin-1").title(), value.decode("latin-1")) for name, value in pairs]
        else:
            self.body += message.get("body", b"")


def _receiver_of(body: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
    """The function with which an ASGI application receives a whole body."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()  # WSGI does not show whether the client is still connected
        return messages.pop()

    return receive


def _scope_of(environ: Environ) -> dict[str, Any]:
    root = _decode(environ.get("SCRIPT_NAME", ""))
    client = environ.get("REMOTE_ADDR")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": environ["REQUEST_METHOD"],
        "scheme": environ.get("wsgi.url_scheme", "http"),
        "path": root + _decode(environ.get("PATH_INFO", "")),
        "raw_path": None,
        "root_path": root,
        "query_string": environ.get("QUERY_STRING", "").encode("latin-1"),
        "headers": list(headers_of(environ).raw.items()),
        "client": (client, 0) if client else None,
        "server": (environ.get("SERVER_NAME", ""), int(environ.get("SERVER_PORT") or 0)),
    }


def _decode(text: str) -> str:
    """A path as text: WSGI has the bytes of a path as Latin-1."""
    return text.encode("latin-1", "replace").decode(errors="replace")
