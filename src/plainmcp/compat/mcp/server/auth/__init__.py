"""`mcp.server.auth`: the names for servers that check tokens."""

from .provider import TokenVerifier
from .settings import AuthSettings

__all__ = ["AuthSettings", "TokenVerifier"]
