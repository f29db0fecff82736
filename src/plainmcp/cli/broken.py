"""What is served while a file cannot be loaded: status 503, with the reason for callers on this machine."""

from typing import Any

import msgspec

from ..errors import InvalidRequest
from ..transports.asgi import reached_at
from ..transports.http.path import send_whole
from ..transports.http.security import check, is_loopback

__all__ = ["BrokenApp"]

_ELSEWHERE = "The server cannot be loaded at the moment; the terminal in which it runs shows why."
_INTERNAL_ERROR = -32603


class BrokenApp:
    """An ASGI application that answers every request with 503.

    Only callers at the loopback address get the reason: it shows lines of the user's code.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request: with text for browsers, and a JSON-RPC error for others."""
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        reason = self._reason if _is_local(scope, headers) else _ELSEWHERE
        if "text/html" in headers.get("accept", ""):
            kind, body = b"text/plain; charset=utf-8", reason.encode(errors="backslashreplace")
        else:
            error = {"code": _INTERNAL_ERROR, "message": reason.encode(errors="backslashreplace").decode()}
            kind, body = b"application/json", msgspec.json.encode({"jsonrpc": "2.0", "id": None, "error": error})
        more = [(b"content-type", kind), (b"retry-after", b"1"), (b"cache-control", b"no-store")]
        await send_whole(send, 503, more, body, is_head=scope["method"] == "HEAD")


def _is_local(scope: Any, headers: dict[str, str]) -> bool:
    """Whether a program on this machine asks, and not the page of another site in its browser."""
    local, scheme = reached_at(scope)
    try:
        check(headers.get("host"), headers.get("origin"), local, scheme, frozenset(), frozenset())
    except InvalidRequest:
        return False
    return is_loopback(local)
