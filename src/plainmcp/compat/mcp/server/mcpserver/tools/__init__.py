"""`mcp.server.mcpserver.tools`."""

from ....managers import ToolManager
from ....pieces import Tool

__all__ = ["Tool", "ToolManager"]
