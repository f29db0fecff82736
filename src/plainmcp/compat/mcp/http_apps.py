"""The ASGI applications of the official SDK's servers."""

import logging
from typing import Any

from ..starlette_app import make_app
from .http_manager import StreamableHTTPSessionManager
from .settings import Settings, asgi_options

__all__ = ["HttpApps"]

_log = logging.getLogger("plainmcp")
_SSE = "the transport sse is served as streamable HTTP: the endpoint is %s, and clients of the old transport end here"


class HttpApps:
    """The methods of the SDK that make applications."""

    settings: Settings
    _manager: StreamableHTTPSessionManager | None = None

    def streamable_http_app(self: Any, **options: Any) -> Any:
        """An ASGI application at the path of the settings."""
        return self._make_app("streamable-http", options)

    def sse_app(self: Any, mount_path: str | None = None, **options: Any) -> Any:
        """The application of streamable_http_app, at the path for the old transport."""
        return self._make_app("sse", options)

    def _make_app(self: Any, transport: str, options: dict[str, Any]) -> Any:
        routes = options.pop("custom_starlette_routes", None) or ()
        settings = self._settings_with(options)
        manager = self._manager = StreamableHTTPSessionManager.of_application(self, settings)
        app = make_app(self, self._path_of(transport, settings), asgi_options(settings), routes, manager.check)
        manager.serve(app.lifespan, app.answer)
        return app

    @property
    def session_manager(self) -> StreamableHTTPSessionManager:
        """The session manager of the application; `async with mcp.session_manager.run()` is its lifespan."""
        if self._manager is None:
            raise RuntimeError("call streamable_http_app() before you use session_manager")
        return self._manager

    def _settings_with(self, options: dict[str, Any]) -> Settings:
        return Settings(**{**vars(self.settings), **{key: one for key, one in options.items() if one is not None}})

    def _path_of(self, transport: str, settings: Settings) -> str:
        if transport == "sse":
            _log.warning(_SSE, settings.sse_path)
            return str(settings.sse_path)
        return str(settings.streamable_http_path)
