"""An ASGI application at one path, and another one at all other paths. Knows ASGI, and nothing about them."""

from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["PATH", "App", "NotFound", "PathApp", "at_path", "path_of", "send_whole"]

PATH = "/mcp"
"""The default path of the server."""

App = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""


class PathApp:
    """An ASGI application that serves at one path; `others` serves at the others."""

    def __init__(self, app: Any, path: str, others: App) -> None:
        self.app = app
        self.path = path.rstrip("/")
        self._others = others

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request, or the lifespan of the server."""
        if scope["type"] != "http" or path_of(scope).rstrip("/") == self.path:
            await self.app(scope, receive, send)
        else:
            await self._others(scope, receive, send)

    def drain(self) -> None:
        """End every stream that stays open: see the application."""
        self.app.drain()

    def give_up(self) -> int:
        """Answer every request that still runs with an error; returns their number: see the application."""
        count: int = self.app.give_up()
        return count

    def close(self) -> None:
        """End every stream, every request and every session: see the application."""
        self.app.close()


def at_path(app: Any, path: str = PATH, others: App | None = None) -> PathApp:
    """An ASGI application that serves at one path, and by default names this path at every other."""
    return PathApp(app, path, others or NotFound(path))


class NotFound:
    """An ASGI application that names the path of the server."""

    def __init__(self, path: str) -> None:
        self._path = path.rstrip("/")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        is_root = path_of(scope) in ("", "/")
        address = self._path or "/"
        text = f"This is an MCP server. Its address is {address}\n" if is_root else f"Not found. Try {address}\n"
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send_whole(send, 200 if is_root else 404, headers, text.encode())


def path_of(scope: Any) -> str:
    """The path of a request below the one at which the application is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and (path == root or path.startswith(f"{root}/")) else path


async def send_whole(
    send: Any, status: int, headers: list[tuple[bytes, bytes]], body: bytes, *, is_head: bool = False
) -> None:
    """Send a whole response; to a HEAD without its body."""
    length = [] if status == 204 else [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": b"" if is_head else body})
