"""`mcp.server.auth.middleware.auth_context`: the caller of the request that is running."""

from typing import Any

from .....access_token import access_token_of
from ....context import current_context

__all__ = ["get_access_token"]


def get_access_token() -> Any:
    """The access token of the caller, without the token itself; None if no one has authenticated."""
    context = current_context()
    return None if context is None else access_token_of(context.principal)
