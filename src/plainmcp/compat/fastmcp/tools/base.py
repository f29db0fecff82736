"""`fastmcp.tools.base`."""

from ..components import FunctionTool, Tool
from ..pieces import ToolResult

__all__ = ["FunctionTool", "Tool", "ToolResult"]
