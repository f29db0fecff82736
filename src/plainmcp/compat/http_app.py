"""An ASGI application at a path, as the packages behind the facades make it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from ..server import Server

__all__ = ["HttpApp"]


class HttpApp:
    """A server and its routes as an application at a path, relative to the path it is mounted at."""

    def __init__(self, server: Server, path: str, options: dict[str, Any]) -> None:
        self._server = server
        self._outer: Any = server.asgi(path=path or "/", **options)
        self._app = self._outer.app
        while hasattr(self._app, "app"):  # with auth= there is one more around it
            self._app = self._app.app
        self.state = SimpleNamespace(fastmcp_server=server, path=path)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._outer(scope, receive, send)

    def add_middleware(self, kind: Any, *args: Any, **options: Any) -> None:
        """Put ASGI middleware around the application."""
        self._outer = kind(self._outer, *args, **options)

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request at any path: for a program that has its own routes."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncGenerator[None, None]:
        """The lifespan of the application and of the server; its sessions end with it."""
        self._app.endpoint.responses.draining = False
        lives = self._server.lives()
        for life in lives:
            await life.start_async()
        try:
            yield
        finally:
            self._app.close()
            for life in reversed(lives):
                await life.close_async()
