"""`mcp.server.fastmcp.tools`."""

from ....fast_mcp import Tool, ToolManager

__all__ = ["Tool", "ToolManager"]
