"""How a server of FastMCP is run: its `run` methods, its applications and its routes."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ...errors import AuthorError
from ...server import Server
from ..custom_route import to_handler
from ..starlette_app import make_app
from .options import to_options
from .settings import Settings

__all__ = ["Serving"]

F = TypeVar("F", bound=Callable[..., Any])
_log = logging.getLogger("plainmcp")
_SSE = "the transport sse is served as streamable HTTP: the endpoint is %s, and clients of the old transport end here"


class Serving:
    """The methods of FastMCP that serve."""

    settings: Settings
    auth: Any = None
    """What verifies tokens, if the server is protected; no effect on standard input and output."""

    def run(
        self: Any, transport: str | None = None, show_banner: object = None, *, http: Any = None, **options: Any
    ) -> None:
        """Serve on standard input and output, or with transport "http" at a host, a port and a path.

        Also takes the options of plainmcp.Server.run; there is no banner.
        """
        address, details = self._to_run_options(transport, http, options)
        Server.run(self, address, **details)

    async def run_async(
        self: Any, transport: str | None = None, show_banner: object = None, *, http: Any = None, **options: Any
    ) -> None:
        """Serve inside an event loop; takes what `run` takes."""
        address, details = self._to_run_options(transport, http, options)
        await Server.run_async(self, address, **details)

    async def run_stdio_async(self, show_banner: object = None, **options: Any) -> None:
        """Serve on standard input and output, inside an event loop."""
        await self.run_async("stdio", **options)

    async def run_http_async(self, show_banner: object = None, transport: str = "http", **options: Any) -> None:
        """Serve over HTTP, inside an event loop."""
        await self.run_async(transport, **options)

    async def run_streamable_http_async(self, **options: Any) -> None:
        """Serve over HTTP, inside an event loop."""
        await self.run_async("streamable-http", **options)

    async def run_sse_async(self, **options: Any) -> None:
        """Serve over HTTP, inside an event loop; see run."""
        await self.run_async("sse", **options)

    def _to_run_options(
        self, transport: str | None, http: Any, options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """The address to serve at, None for standard input and output, and the options of Server.run."""
        settings = {name: options.pop(name, None) for name in ("host", "port", "path", "log_level", "uvicorn_config")}
        options.pop("json_response", None)  # a response is JSON, unless its handler sends messages meanwhile
        if transport in ("http", "streamable-http", "sse"):
            http = http or _address_of(self._setting("host", settings), self._setting("port", settings))
        elif transport not in (None, "stdio"):
            raise AuthorError(f"there is no transport {transport!r}; there are stdio, http, streamable-http and sse")
        if http is None:
            options.pop("stateless", None)
            return None, to_options(options)
        given = settings["log_level"] or self.settings.log_level
        level = {"log_level": given.lower()} if settings["log_level"] or given != Settings().log_level else {}
        config = {**level, **(settings["uvicorn_config"] or {}), **(options.pop("uvicorn", None) or {})}
        if self.settings.stateless_http and "stateless" not in options:
            options.setdefault("stateless_http", True)
        path = self._path_of(transport, settings["path"])
        return http, {**self._to_http_options(options, path), "path": path, "uvicorn": config}

    def _setting(self, name: str, given: dict[str, Any]) -> Any:
        return getattr(self.settings, name) if given[name] is None else given[name]

    def _path_of(self, transport: str | None, path: str | None) -> str:
        if transport == "sse":
            path = path or str(self.settings.sse_path)
            _log.warning(_SSE, path)
        return path or str(self.settings.streamable_http_path)

    def http_app(
        self: Any,
        path: str | None = None,
        middleware: Sequence[Any] | None = None,
        json_response: bool | None = None,
        stateless_http: bool | None = None,
        transport: str = "http",
        **options: Any,
    ) -> Any:
        """An ASGI application at a path, with the routes of the server; its `lifespan` is for one that mounts it.

        Takes allowed_hosts and allowed_origins, and the options of plainmcp.Server.asgi.
        """
        if transport not in ("http", "streamable-http", "sse"):
            raise AuthorError(
                f"there is no transport {transport!r} over HTTP; there are http, streamable-http and sse"
            )
        stateless = self.settings.stateless_http if stateless_http is None else stateless_http
        details = {"stateless_http": stateless, **options} if "stateless" not in options else options
        own_path = self._path_of(transport, path)
        app = make_app(self, own_path, self._to_http_options(details, own_path))
        for one in reversed(middleware or ()):
            app.add_middleware(one.cls, *one.args, **one.kwargs)
        return app

    def _to_http_options(self, options: Mapping[str, Any], path: str) -> dict[str, Any]:
        """The options of a server over HTTP at a path. Here `auth=` may be given, too, for this application only."""
        auth = self.auth if options.get("auth") is None else options["auth"]
        given = to_options({name: value for name, value in options.items() if name != "auth"})
        if auth is None:
            return given
        from .server.auth.auth import to_auth

        return {**given, "auth": to_auth(auth, path)}

    streamable_http_app = http_app

    def sse_app(self, path: str | None = None, **options: Any) -> Any:
        """The application of http_app, at the path for the old transport."""
        return self.http_app(path, transport="sse", **options)

    def custom_route(
        self: Any, path: str, methods: Sequence[str], name: str | None = None, include_in_schema: bool = True
    ) -> Callable[[F], F]:
        """Serve a plain HTTP handler beside the endpoint: a function of a request that returns a response."""

        def register(function: F) -> F:
            self.route(path, methods=methods)(to_handler(function, path))
            for parent in self._parents:
                if isinstance(parent, Serving):
                    parent.take_routes(self)
            return function

        return register

    def take_routes(self: Any, server: Server) -> None:
        """Serve the routes of a mounted server too; a route of this server's own comes first."""
        for route in server.routes if "routes" in vars(server) else ():
            if not self.routes.has_path(route.path):
                self.routes.add(route.path, route.methods, route.handler)
        for parent in self._parents:
            if isinstance(parent, Serving):
                parent.take_routes(self)


def _address_of(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
