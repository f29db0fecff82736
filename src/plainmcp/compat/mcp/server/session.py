"""`mcp.server.session`."""

from ..session import ServerSession

__all__ = ["ServerSession"]
