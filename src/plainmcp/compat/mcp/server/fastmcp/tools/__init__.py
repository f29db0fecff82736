"""`mcp.server.fastmcp.tools`."""

from ....fast_mcp import Tool
from ....tools import ToolManager

__all__ = ["Tool", "ToolManager"]
