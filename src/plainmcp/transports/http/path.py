"""An ASGI application at one path. Knows ASGI, and nothing about the application."""

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["PATH", "App", "at_path"]

PATH = "/mcp"
"""The default path of the server."""

App = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""


def at_path(app: App, path: str = PATH) -> App:
    """An ASGI application that serves at one path, and names this path at every other."""
    path = path.rstrip("/")

    async def serve_path(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") == path:
            return await app(scope, receive, send)
        is_root = scope["path"] in ("", "/")
        text = f"This is an MCP server. Its address is {path}\n" if is_root else f"Not found. Try {path or '/'}\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": 200 if is_root else 404, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    return serve_path
