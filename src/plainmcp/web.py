"""What handlers of `@server.route` take and may return: a request and a response of plain HTTP. Knows no MCP."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from .wire import codec

__all__ = ["HttpRequest", "HttpResponse"]


class HttpRequest(Struct, frozen=True, kw_only=True):
    """A request to a route.

    >>> request = HttpRequest(method="GET", path="/items/3", path_params={"id": 3}, query={"page": "2"})
    >>> request.path_params["id"], request.query.get("page")
    (3, '2')
    """

    method: str
    path: str
    """The path below the one at which the application is mounted."""
    path_params: dict[str, Any] = {}
    """The values of the parameters in the path of the route."""
    query: dict[str, str] = {}
    """The parameters of the query; of one that is there several times, the last value."""
    headers: dict[str, str] = {}
    """The headers, with names in lower case; the values of repeated ones are joined by commas."""
    body: bytes = b""
    client: str | None = None
    """The address of the client, if the server knows it."""

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        """The body as JSON; raises ParseError, which becomes a response with the status 400."""
        return codec.decode(self.body)


class HttpResponse(Struct, frozen=True):
    """A response with a status and headers of your own.

    The body is a text, bytes, or any value that a tool may return, which is sent as JSON. The Content-Type depends on
    the body, unless there is one in `headers`.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = {}
