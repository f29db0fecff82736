"""The WSGI application of a server with observers: it notes the HTTP request, for them and for what is refused early.

Knows WSGI and observers, but no rule of MCP.
"""

from collections.abc import Iterable
from typing import Any

from ..protocol.facts import HttpFacts, current_http
from ..protocol.observation import observe_http
from .http.response import Response
from .wsgi import Environ, StartResponse, WSGIApp, headers_of

__all__ = ["ObservedWSGIApp"]


class ObservedWSGIApp(WSGIApp):
    """A server as a WSGI application; its observers see the HTTP request of each message, and those without one.

    A stream that brings no message is reported when it is opened.
    """

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Handle one request."""
        http, status = _facts_of(environ), None

        def watch(line: str, *rest: Any) -> Any:
            nonlocal status
            status = int(line[:3])
            return start_response(line, *rest)

        token = current_http.set(http)
        try:
            return super().__call__(environ, watch)
        finally:
            current_http.reset(token)
            if not http.has_message:
                observe_http(self.endpoint.core, http, status, http.body)

    def _send(self, response: Response, start_response: StartResponse) -> Iterable[bytes]:
        http = current_http.get()
        if http is not None:
            http.body = response.body
        return super()._send(response, start_response)


def _facts_of(environ: Environ) -> HttpFacts:
    port = str(environ.get("REMOTE_PORT") or "")
    return HttpFacts(
        method=environ["REQUEST_METHOD"],
        version=str(environ.get("SERVER_PROTOCOL", "")).partition("/")[2] or None,
        read_headers=lambda: headers_of(environ).as_dict(),
        address=environ.get("REMOTE_ADDR") or None,
        port=int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None,
    )
