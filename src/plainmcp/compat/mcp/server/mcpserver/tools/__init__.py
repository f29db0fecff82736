"""`mcp.server.mcpserver.tools`."""

from ....mcp_server import Tool, ToolManager

__all__ = ["Tool", "ToolManager"]
