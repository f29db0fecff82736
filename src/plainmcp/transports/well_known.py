"""An application with the metadata of a protected server beside it, under ASGI and WSGI. Knows paths, and no MCP."""

from collections.abc import Iterable
from typing import Any

from .http.metadata import Metadata, is_well_known
from .http.path import send_whole
from .http.response import Response
from .wsgi import send_response

__all__ = ["ASGIWellKnown", "WSGIWellKnown"]

_MISSING = Response(404, b"Not found.\n", ((b"content-type", b"text/plain"),))


class _WellKnown:
    """The parts that both applications share.

    `is_mounted` says that the application answers at any path. Then all other documents about the origin are a 404,
    so that a client that looks for one does not take the server itself for it.
    """

    def __init__(self, app: Any, metadata: Metadata | None, is_mounted: bool) -> None:
        self.app = app
        self.metadata = metadata
        self._is_mounted = is_mounted

    def drain(self) -> None:
        """End every stream that stays open: see the application."""
        self.app.drain()

    def close(self) -> None:
        """End every stream, every request and every session: see the application."""
        self.app.close()

    def _find(self, method: str, *paths: str) -> Response | None:
        """The response for one of the forms of a path; None if the application itself answers."""
        for path in paths:
            response = None if self.metadata is None else self.metadata.answer(method, path)
            if response is not None:
                return response
        return _MISSING if self._is_mounted and any(map(is_well_known, paths)) else None


class ASGIWellKnown(_WellKnown):
    """An ASGI application with the metadata beside it."""

    def give_up(self) -> int:
        """Answer every request that still runs with an error; returns their number: see the application."""
        count: int = self.app.give_up()
        return count

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request, or the lifespan of the server."""
        if scope["type"] == "http" and "/.well-known" in (path := scope.get("root_path", "") + scope["path"]):
            # Mounted in a host, the path has the prefix already, or has it in root_path only.
            response = self._find(scope["method"], path, scope["path"])
            if response is not None:
                is_head = scope["method"] == "HEAD"
                return await send_whole(send, response.status, [*response.headers], response.body, is_head=is_head)
        await self.app(scope, receive, send)


class WSGIWellKnown(_WellKnown):
    """A WSGI application with the metadata beside it."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Handle one request."""
        path, method = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""), environ["REQUEST_METHOD"]
        response = self._find(method, path) if "/.well-known" in path else None
        if response is None:
            return self.app(environ, start_response)  # type: ignore[no-any-return]
        return send_response(response, start_response, is_head=method == "HEAD")
