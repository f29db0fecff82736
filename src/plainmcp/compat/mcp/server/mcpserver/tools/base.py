"""`mcp.server.mcpserver.tools.base`."""

from ....pieces import Tool

__all__ = ["Tool"]
