"""`fastmcp.tools.tool` of FastMCP 2."""

from ..components import FunctionTool, Tool
from ..pieces import ToolResult

__all__ = ["FunctionTool", "Tool", "ToolResult"]
