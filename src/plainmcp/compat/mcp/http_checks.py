"""What the official SDK checks of an HTTP request before it reads it, with its statuses and texts.

plainmcp checks Host and Origin too, and the limits of a body: what passes here is checked there again. It
also answers preflights.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ...revisions import REVISIONS
from .http_answers import AnswerWriter, error_of, send_text
from .settings import Settings, TransportSecuritySettings

__all__ = ["CheckedApp", "refusal_of"]

_JSON, _STREAM = "application/json", "text/event-stream"


class CheckedApp:
    """An ASGI application that answers the requests which the SDK would not refuse."""

    def __init__(self, app: Any, settings: Settings) -> None:
        self._app, self._security = app, settings.transport_security
        self._has_only_json, self._is_stateless = settings.json_response, settings.stateless_http

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        method = scope.get("method")
        if scope["type"] == "http" and method != "OPTIONS":
            headers = {name.decode("latin-1").lower(): one.decode("latin-1") for name, one in scope["headers"]}
            refused = refusal_of(headers, self._security, method == "POST") or self._refusal_of(method, headers)
            if refused is not None:
                await send_text(send, *refused)
                return
            if not _is_modern(headers):
                as_events = method == "POST" and not self._has_only_json
                send = AnswerWriter(send, as_events=as_events, has_session="mcp-session-id" in headers)
        await self._app(scope, receive, send)

    def _refusal_of(self, method: str, headers: Mapping[str, str]) -> tuple[int, str] | None:
        if method not in ("GET", "POST", "DELETE"):
            return 405, error_of("Method Not Allowed")
        if method == "DELETE":
            return None
        accepted = headers.get("accept", "")
        kinds = [one.partition(";")[0].strip() for one in accepted.split(",")]
        needed = [_STREAM] if method == "GET" else [_JSON] if self._has_only_json else [_JSON, _STREAM]
        if all(_is_accepted(kind, kinds) for kind in needed):
            is_lost = method == "GET" and not self._is_stateless and "mcp-session-id" not in headers
            return (400, error_of("Bad Request: Missing session ID")) if is_lost else None
        both = "both " if len(needed) > 1 else ""
        return 406, error_of(f"Not Acceptable: Client must accept {both}{' and '.join(needed)}")


def refusal_of(
    headers: Mapping[str, str], security: TransportSecuritySettings | None, is_post: bool
) -> tuple[int, str] | None:
    """The status and the text for a request that may come from a page of another site; None for any other."""
    if is_post and not headers.get("content-type", "").lower().startswith(_JSON):
        return 400, "Invalid Content-Type header"
    if security is None or not security.enable_dns_rebinding_protection:
        return None
    host, origin = headers.get("host"), headers.get("origin")
    if not _is_allowed(host, security.allowed_hosts):
        return 421, "Invalid Host header"
    is_own = origin is not None and origin.partition("://")[2] == host  # a page of the server itself
    if origin is not None and not is_own and not _is_allowed(origin, security.allowed_origins):
        return 403, "Invalid Origin header"
    return None


def _is_modern(headers: Mapping[str, str]) -> bool:
    revision = REVISIONS.get(headers.get("mcp-protocol-version", ""))
    return revision is not None and not revision.handshake


def _is_allowed(value: str | None, allowed: Collection[str]) -> bool:
    """Whether a host or an origin is one of those allowed; "name:*" is a name with any port, or without one."""
    if not value:
        return False
    names = (one.removesuffix(":*") for one in allowed if one.endswith(":*"))
    return value in allowed or any(value == one or value.startswith(f"{one}:") for one in names)


def _is_accepted(kind: str, accepted: Collection[str]) -> bool:
    return kind in accepted or "*/*" in accepted or f"{kind.partition('/')[0]}/*" in accepted
