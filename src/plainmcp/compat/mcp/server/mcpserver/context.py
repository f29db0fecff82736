"""`mcp.server.mcpserver.context` of `mcp` 2."""

from ...context import Context

__all__ = ["Context"]
