"""`mcp.server.auth.middleware.auth_context`: the caller of the request that is running."""

from contextvars import ContextVar
from typing import Any

from .....access_token import access_token_of
from ....context import current_context

__all__ = ["AuthContextMiddleware", "auth_context_var", "get_access_token"]

auth_context_var: ContextVar[Any] = ContextVar("auth_context", default=None)
"""The user whom AuthContextMiddleware has found, or a program has set."""


def get_access_token() -> Any:
    """The access token of the caller, without the token itself if the server has checked it; None without one."""
    user = auth_context_var.get()
    if user is not None:
        return user.access_token
    context = current_context()
    return None if context is None else access_token_of(context.principal)


class AuthContextMiddleware:
    """Keeps the user of each request for get_access_token()."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        user = scope.get("user")
        token = auth_context_var.set(user if hasattr(user, "access_token") else None)
        try:
            await self.app(scope, receive, send)
        finally:
            auth_context_var.reset(token)
