"""The application of a server as one of Starlette's, for programs that add routes, middleware or mounts to it.

Loaded only where Starlette is installed; the packages behind the facades need it.
"""

from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount, Route

from .http_app import HttpApp

__all__ = ["StarletteApp"]


class StarletteApp(Starlette):
    """An application at a path, relative to the path it is mounted at, with `routes` and `lifespan` of its own."""

    def __init__(self, inner: HttpApp, path: str, routes: Any = ()) -> None:
        self.inner = inner
        endpoint = Route(path or "/", endpoint=_Endpoint(inner))
        super().__init__(routes=[*routes, endpoint, Mount("/", app=inner)], lifespan=inner.lifespan)
        self.state.fastmcp_server = inner.state.fastmcp_server
        self.state.path = path

    @property
    def lifespan(self) -> Any:
        """The lifespan, for an application that mounts this one."""
        return self.router.lifespan_context

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request at any path: for a program that has its own routes."""
        await self.inner.answer(scope, receive, send)


class _Endpoint:
    """The application as the endpoint of a route: Starlette calls a function with a request, an object as ASGI."""

    def __init__(self, app: HttpApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)
