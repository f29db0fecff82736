"""`StreamableHTTPSessionManager` of the official SDK: a low-level server over HTTP, for an application's routes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from ..http_app import HttpApp
from .low_level_view import LowLevelView
from .settings import Settings, TransportSecuritySettings, asgi_options, settings_of

__all__ = ["StreamableHTTPSessionManager"]


class StreamableHTTPSessionManager:
    """Serves a server over HTTP; `run` is its lifespan, `handle_request` answers at whatever path it is routed to.

    `app` is a low-level server, or the one inside a `FastMCP`. Without `security_settings` the headers Host and
    Origin are not checked, as in the SDK: the application around it may have names that it does not know.
    """

    def __init__(
        self,
        app: Any,
        event_store: Any = None,
        json_response: bool = False,
        stateless: bool = False,
        security_settings: Any = None,
        retry_interval: int | None = None,
        **options: Any,
    ) -> None:
        self.app, self.event_store, self.json_response, self.stateless = app, event_store, json_response, stateless
        self.security_settings = security_settings
        checks = security_settings or TransportSecuritySettings(enable_dns_rebinding_protection=False)
        settings: Settings = settings_of({**options, "stateless_http": stateless, "transport_security": checks})
        details = asgi_options(settings) | ({} if retry_interval is None else {"retry_ms": retry_interval})
        self._app = HttpApp(app.served if isinstance(app, LowLevelView) else app, "", details)
        self._has_started = self._is_running = False

    @asynccontextmanager
    async def run(self) -> AsyncGenerator[None, None]:
        """The lifespan of the sessions, which a manager has once; raises RuntimeError."""
        if self._has_started:
            raise RuntimeError(
                "StreamableHTTPSessionManager .run() can only be called once per instance. "
                "Create a new instance if you need to run again."
            )
        self._has_started = True
        async with self._app.lifespan():
            self._is_running = True
            try:
                yield
            finally:
                self._is_running = False

    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request; raises RuntimeError outside of `run`."""
        if not self._is_running:
            raise RuntimeError("Task group is not initialized. Make sure to use run().")
        await self._app.answer({**scope, "headers": [*map(_to_bytes, scope["headers"])]}, receive, send)


def _to_bytes(header: tuple[Any, Any]) -> tuple[bytes, ...]:
    """A header as bytes: a program that makes a scope may write text."""
    return tuple(one.encode("latin-1") if isinstance(one, str) else one for one in header)
