"""`StreamableHTTPSessionManager` of the official SDK: a low-level server over HTTP, for an application's routes."""

from typing import Any

from ..http_app import HttpApp
from .settings import Settings, asgi_options, settings_of

__all__ = ["StreamableHTTPSessionManager"]


class StreamableHTTPSessionManager:
    """Serves a server over HTTP; `run` is its lifespan, `handle_request` answers at whatever path it is routed to."""

    def __init__(
        self,
        app: Any,
        event_store: Any = None,
        json_response: bool = False,
        stateless: bool = False,
        security_settings: Any = None,
        **options: Any,
    ) -> None:
        settings: Settings = settings_of({"stateless_http": stateless, "transport_security": security_settings})
        self.app = app
        self._app = HttpApp(app, "", asgi_options(settings))

    def run(self) -> Any:
        """The lifespan of the sessions, as an async context manager."""
        return self._app.lifespan()

    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request."""
        await self._app.answer(scope, receive, send)
