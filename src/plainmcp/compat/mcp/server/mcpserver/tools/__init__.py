"""`mcp.server.mcpserver.tools`."""

from ....mcp_server import Tool
from ....tools import ToolManager

__all__ = ["Tool", "ToolManager"]
