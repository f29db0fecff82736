"""`mcp.server.transport_security`: checks of HTTP requests, also for applications of a program's own."""

from typing import Any

from ..http_answers import send_text
from ..http_checks import refusal_of
from ..settings import TransportSecuritySettings

__all__ = ["RequestBodyLimitMiddleware", "TransportSecurityMiddleware", "TransportSecuritySettings"]


class TransportSecurityMiddleware:
    """Refuses requests that may come from a page of another site; without settings only those of another type."""

    def __init__(self, settings: TransportSecuritySettings | None = None) -> None:
        self.settings = settings or TransportSecuritySettings(enable_dns_rebinding_protection=False)

    async def validate_request(self, request: Any, is_post: bool = False) -> Any:
        """The response that refuses a request of Starlette; None if it may pass."""
        refused = refusal_of(request.headers, self.settings, is_post)
        if refused is None:
            return None
        from starlette.responses import Response  # the request is one of Starlette's

        return Response(refused[1], status_code=refused[0])


class RequestBodyLimitMiddleware:
    """Refuses requests with larger bodies; the others arrive in one piece."""

    def __init__(self, app: Any, max_body_size: int) -> None:
        if max_body_size <= 0:
            raise ValueError("max_body_size must be a positive number of bytes")
        self.app, self.max_body_size = app, max_body_size

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = dict(scope.get("headers") or ()).get(b"content-length", b"0")
        body = b""
        is_read = declared.isdigit() and int(declared) > self.max_body_size
        message: dict[str, Any] = {"type": "http.request", "body": b"", "more_body": not is_read}
        while not is_read and message["type"] == "http.request":
            message = await receive()
            if message["type"] != "http.request" and not body:
                await self.app(scope, _replay([message], receive), send)
                return
            body += message.get("body", b"")
            is_read = not message.get("more_body", False) or len(body) > self.max_body_size
        if len(body) > self.max_body_size or (
            not message.get("more_body", True) and declared.isdigit() and int(declared) > self.max_body_size
        ):
            await send_text(send, 413, "Request body too large")
            return
        kept = [{"type": "http.request", "body": body, "more_body": message["type"] != "http.request"}]
        kept += [message] if message["type"] != "http.request" else []
        await self.app(scope, _replay(kept, receive), send)


def _replay(kept: list[Any], receive: Any) -> Any:
    """A `receive` that first gives the messages that were received before."""
    messages = iter(kept)

    async def replay() -> Any:
        return next(messages, None) or await receive()

    return replay
