"""`mcp.server.fastmcp.tools`."""

from ....managers import ToolManager
from ....pieces import Tool

__all__ = ["Tool", "ToolManager"]
