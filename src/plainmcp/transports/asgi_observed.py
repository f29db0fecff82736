"""The ASGI application of a server with observers: it notes the HTTP request, for them and for what is refused early.

Knows ASGI and observers, but no rule of MCP.
"""

from contextlib import suppress
from typing import Any

from ..protocol.facts import HttpFacts, current_http
from ..protocol.observation import observe_http
from .asgi import ASGIApp, Receive, Scope, Send
from .http.headers import Headers

__all__ = ["ObservedASGIApp"]


class ObservedASGIApp(ASGIApp):
    """A server as an ASGI application; its observers see the HTTP request of each message, and those without one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the lifespan of the server."""
        if scope["type"] != "http":
            return await super().__call__(scope, receive, send)
        http, status, body = _facts_of(scope), None, b""

        async def watch(message: Any) -> None:
            nonlocal status, body
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                body = body or message.get("body", b"")
            await send(message)

        token = current_http.set(http)
        try:
            await super().__call__(scope, receive, watch)
        finally:
            with suppress(ValueError):  # the garbage collector closes it in another context
                current_http.reset(token)
            if not http.has_message:
                observe_http(self.endpoint.core, http, status, body)
        return None


def _facts_of(scope: Scope) -> HttpFacts:
    address, port = scope.get("client") or (None, None)
    server = scope.get("server")
    return HttpFacts(
        method=scope["method"],
        version=scope.get("http_version"),
        read_headers=lambda: Headers(list(scope["headers"])).as_dict(),
        address=address,
        port=port,
        transport="unix" if server is not None and server[1] is None else "tcp",
    )
