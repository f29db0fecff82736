"""The ASGI applications of the official SDK's servers, and their session managers."""

import logging
from typing import Any

from ..starlette_app import make_app
from .settings import Settings, asgi_options

__all__ = ["HttpApps", "SessionManager"]

_log = logging.getLogger("plainmcp")
_SSE = "the transport sse is served as streamable HTTP: the endpoint is %s, and clients of the old transport end here"


class HttpApps:
    """The methods of the SDK that make applications."""

    settings: Settings
    _app: Any = None

    def streamable_http_app(self: Any, **options: Any) -> Any:
        """An ASGI application at the path of the settings."""
        return self._make_app("streamable-http", options)

    def sse_app(self: Any, mount_path: str | None = None, **options: Any) -> Any:
        """The application of streamable_http_app, at the path for the old transport."""
        return self._make_app("sse", options)

    def _make_app(self: Any, transport: str, options: dict[str, Any]) -> Any:
        routes = options.pop("custom_starlette_routes", None) or ()
        settings = self._settings_with(options)
        app = self._app = make_app(self, self._path_of(transport, settings), asgi_options(settings), routes)
        return app

    @property
    def session_manager(self) -> "SessionManager":
        """The session manager of the application; `async with mcp.session_manager.run()` is its lifespan."""
        if self._app is None:
            raise RuntimeError("call streamable_http_app() before you use session_manager")
        return SessionManager(self._app)

    def _settings_with(self, options: dict[str, Any]) -> Settings:
        return Settings(**{**vars(self.settings), **{key: one for key, one in options.items() if one is not None}})

    def _path_of(self, transport: str, settings: Settings) -> str:
        if transport == "sse":
            _log.warning(_SSE, settings.sse_path)
            return str(settings.sse_path)
        return str(settings.streamable_http_path)


class SessionManager:
    """The session manager of an application: its lifespan, and a function that handles requests."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def run(self) -> Any:
        """The lifespan of the application, as an async context manager."""
        return self._app.lifespan()

    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request, at whatever path it came."""
        await self._app.answer(scope, receive, send)
