"""The path at which a load balancer asks whether the server is ready. Knows ASGI, and nothing about the server."""

from collections.abc import Callable
from typing import Any

from .http.path import App, path_of, send_whole

__all__ = ["HEALTH", "HealthApp"]

HEALTH = "/health"
"""The default path."""

_HEADERS = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]


class HealthApp:
    """An ASGI application that answers 200 at one path while the server is ready, and 503 while it shuts down.

    It does not check who is calling, nor the Host header: a load balancer calls by address. `others` answers at all
    other paths.
    """

    def __init__(self, path: str, is_ready: Callable[[], bool], others: App) -> None:
        self._path = path.rstrip("/")
        self._is_ready = is_ready
        self._others = others

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if path_of(scope).rstrip("/") != self._path:
            return await self._others(scope, receive, send)
        if scope["method"] not in ("GET", "HEAD"):
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"allow", b"GET, HEAD")]
            return await send_whole(send, 405, headers, b"This path takes GET and HEAD.\n")
        is_ready, is_head = self._is_ready(), scope["method"] == "HEAD"
        body = b'{"status":"ok"}' if is_ready else b'{"status":"stopping"}'
        return await send_whole(send, 200 if is_ready else 503, list(_HEADERS), body, is_head=is_head)
