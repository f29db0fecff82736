"""The application of a server as one of Starlette's, for programs that add routes, middleware or mounts to it.

The packages behind the facades need Starlette; where it is not installed, the application is a plain one.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ..server import Server
from .http_app import HttpApp

__all__ = ["make_app"]


def make_app(
    server: Server,
    path: str,
    options: dict[str, Any],
    routes: Any = (),
    check: Callable[[Any], Any] = lambda app: app,
) -> Any:
    """A server as an application at a path; its `lifespan` is for one that mounts it, its `answer` for any path.

    `check` puts another application around the endpoint.
    """
    inner = HttpApp(server, path, options)
    if find_spec("starlette") is None:
        return inner
    from starlette.applications import Starlette
    from starlette.routing import Mount, Route

    endpoint = Route(path or "/", endpoint=_Endpoint(check(inner)))
    app: Any = Starlette(routes=[*routes, endpoint, Mount("/", app=inner)], lifespan=inner.lifespan)
    app.lifespan, app.answer = inner.lifespan, check(inner.answer)
    app.state.fastmcp_server, app.state.path = server, path
    return app


class _Endpoint:
    """The application as the endpoint of a route: Starlette calls a function with a request, an object as ASGI."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)
