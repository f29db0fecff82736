"""The path at which an ASGI application is found. Knows ASGI, and nothing of what is served."""

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["PATH", "App", "at_path"]

PATH = "/mcp"
"""Where the server is found, unless told otherwise."""

App = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""


def at_path(app: App, path: str = PATH) -> App:
    """An ASGI application that is found at one path, and says so at every other."""
    path = path.rstrip("/")

    async def serve_path(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"].rstrip("/") == path:
            return await app(scope, receive, send)
        found = scope["path"] in ("", "/")
        text = f"This is an MCP server. Its address is {path}\n" if found else f"Not found. Try {path or '/'}\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    return serve_path
