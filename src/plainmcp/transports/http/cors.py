"""Cross-origin requests: what a browser must be sent so that a page of an allowed origin can read the responses.

Which origins are allowed is decided in `security`. Functions of headers, without I/O.
"""

import re
from collections.abc import Collection

from .headers import Headers
from .response import Response

__all__ = ["EXPOSED", "Pairs", "answer_preflight", "cors_of", "with_cors"]

Pairs = tuple[tuple[bytes, bytes], ...]

EXPOSED = b"Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"
"""The headers of responses that a page may read."""
MAX_REQUESTED = 1000
"""How long the list of headers that a page wants to send may be."""

_METHODS = b"GET, POST, DELETE, OPTIONS"
_SENT = (
    b"Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
_NAMES = re.compile(rb"[A-Za-z0-9-]+(?:[ \t]*,[ \t]*[A-Za-z0-9-]+)*")
_SECONDS = b"600"


def cors_of(origin: bytes | None, origins: Collection[str]) -> Pairs:
    """The headers of every response to an allowed origin; none if the request does not come from a page."""
    if origin is None:
        return ()
    if "*" in origins:
        return ((b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", EXPOSED))
    return (
        (b"access-control-allow-origin", origin.strip(b" \t")),
        (b"access-control-expose-headers", EXPOSED),
        (b"vary", b"Origin"),
    )


def with_cors(response: Response, pairs: Pairs) -> Response:
    """A response with more headers."""
    return Response(response.status, response.body, (*response.headers, *pairs)) if pairs else response


def answer_preflight(headers: Headers, pairs: Pairs) -> Response:
    """The response to a request of a browser that asks whether a page may send another one.

    A tool may repeat arguments in headers of its own names, so all names are allowed; no cookies ever are.
    """
    requested = headers.raw.get(b"access-control-request-headers", b"").strip()
    names = requested if len(requested) <= MAX_REQUESTED and _NAMES.fullmatch(requested) else _SENT
    allowed = (
        (b"access-control-allow-methods", _METHODS),
        (b"access-control-allow-headers", names),
        (b"access-control-max-age", _SECONDS),
    )
    return Response(204, b"", (*pairs, *allowed))
