"""`mcp.server.mcpserver.tools.base`."""

from ....mcp_server import Tool

__all__ = ["Tool"]
