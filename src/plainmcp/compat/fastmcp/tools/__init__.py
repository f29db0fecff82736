"""`fastmcp.tools`: its module `tool` of FastMCP 2, and its decorator of the same name."""

from ..components import FunctionTool, Tool
from ..decorators import tool
from ..pieces import ToolResult
from . import tool as _module  # first, so that the name below is the decorator

__all__ = ["FunctionTool", "Tool", "ToolResult", "tool"]

del _module
