"""`StreamableHTTPSessionManager` of the official SDK: a low-level server over HTTP, for an application's routes."""

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Self

from ..access_token import principal_of
from ..http_app import HttpApp
from .http_checks import CheckedApp
from .settings import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    DEFAULT_MAX_SESSIONS,
    DEFAULT_SESSION_IDLE_TIMEOUT,
    Settings,
    TransportSecuritySettings,
    asgi_options,
    settings_of,
)

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
        session_idle_timeout: float | None = DEFAULT_SESSION_IDLE_TIMEOUT,
        max_sessions: int | None = DEFAULT_MAX_SESSIONS,
        max_request_body_size: int | None = DEFAULT_MAX_REQUEST_BODY_SIZE,
    ) -> None:
        checks = security_settings or TransportSecuritySettings(enable_dns_rebinding_protection=False)
        given = {
            "stateless_http": stateless,
            "transport_security": checks,
            "json_response": json_response,
            "event_store": event_store,
            "retry_interval": retry_interval,
            "session_idle_timeout": session_idle_timeout,
            "max_sessions": max_sessions,
            "max_request_body_size": max_request_body_size,
        }
        self._take(app, settings_of(given))
        self.security_settings = security_settings
        served = getattr(app, "served", app)  # the server behind the view that a `FastMCP` has of it
        options = asgi_options(self._settings)
        options |= {} if "auth" in options else {"principal": _user_of}
        http = HttpApp(served, "", options)
        self._lifespan, self._answer = http.lifespan, self.check(http.answer)

    @classmethod
    def of_application(cls, app: Any, settings: Settings) -> Self:
        """The manager inside of an application, which calls it by itself."""
        manager = cls.__new__(cls)
        manager._take(app, settings)
        return manager

    def _take(self, app: Any, settings: Settings) -> None:
        self._settings, self.app = settings, app
        self.json_response, self.stateless = settings.json_response, settings.stateless_http
        self.event_store, self.retry_interval = settings.event_store, settings.retry_interval
        self.security_settings = settings.transport_security
        self.session_idle_timeout = _positive(settings, "session_idle_timeout", "positive, finite number of seconds")
        self.max_sessions = _positive(settings, "max_sessions", "positive number of sessions or None")
        self.max_request_body_size = _positive(settings, "max_request_body_size", "positive number of bytes")
        self._has_started = self._is_running = False

    def check(self, app: Any) -> CheckedApp:
        """An application that answers requests which the SDK would not refuse."""
        return CheckedApp(app, self._settings)

    def serve(self, lifespan: Any, answer: Any) -> None:
        """Have the lifespan and the answers of an application."""
        self._lifespan, self._answer = lifespan, answer

    @asynccontextmanager
    async def run(self) -> AsyncGenerator[None, None]:
        """The lifespan of the sessions, which a manager has once; raises RuntimeError."""
        if self._has_started:
            raise RuntimeError(
                "StreamableHTTPSessionManager .run() can only be called once per instance. "
                "Create a new instance if you need to run again."
            )
        self._has_started = True
        async with self._lifespan():
            self._is_running = True
            try:
                yield
            finally:
                self._is_running = False

    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request; raises RuntimeError outside of `run`."""
        if not self._is_running:
            raise RuntimeError("Task group is not initialized. Make sure to use run().")
        await self._answer({**scope, "headers": [*map(_to_bytes, scope["headers"])]}, receive, send)


def _positive(settings: Settings, name: str, what: str) -> Any:
    """A limit of the settings, None if there is none; raises ValueError."""
    value = getattr(settings, name)
    if value is not None and not 0 < value < math.inf:
        raise ValueError(f"{name} must be a {what}")
    return value


def _user_of(scope: Any) -> Any:
    """The caller whom middleware of Starlette has found; None without one."""
    access = getattr(scope.get("user"), "access_token", None)
    return None if access is None else principal_of(access)


def _to_bytes(header: tuple[Any, Any]) -> tuple[bytes, ...]:
    """A header as bytes: a program that makes a scope may write text."""
    return tuple(one.encode("latin-1") if isinstance(one, str) else one for one in header)
