"""`fastmcp.tools.tool` of FastMCP 2."""

from ..components import FunctionTool, Tool
from ..decorators import make_callable
from ..decorators import tool as decorate
from ..pieces import ToolResult

__all__ = ["FunctionTool", "Tool", "ToolResult", "decorate"]

make_callable(__name__)
