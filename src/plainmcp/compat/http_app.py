"""An ASGI application at a path, as the packages behind the facades make it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from ..transports.http.path import at_path

__all__ = ["HttpApp"]


class HttpApp:
    """An application at a path, relative to the path it is mounted at."""

    def __init__(self, app: Any, path: str) -> None:
        self._app = app
        self._at_path = at_path(app, path) if path.rstrip("/") else app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        root = scope.get("root_path", "")
        if root and scope.get("path", "").startswith(root):
            scope = {**scope, "path": scope["path"][len(root) :]}
        await self._at_path(scope, receive, send)

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request at any path: for a program that has its own routes."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncGenerator[None, None]:
        """The lifespan of the application; its sessions end with it."""
        self._app.endpoint.draining = False
        try:
            yield
        finally:
            self._app.close()
