"""`fastmcp.server`."""

from ..context import Context
from ..fast_mcp import FastMCP

__all__ = ["Context", "FastMCP"]
