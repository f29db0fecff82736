"""`fastmcp.tools.function_tool`."""

from ..components import FunctionTool
from ..decorators import tool

__all__ = ["FunctionTool", "tool"]
