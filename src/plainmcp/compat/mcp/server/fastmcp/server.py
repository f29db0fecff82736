"""`mcp.server.fastmcp.server` of `mcp` 1."""

from ...context import Context
from ...fast_mcp import FastMCP
from ...settings import Settings

__all__ = ["Context", "FastMCP", "Settings"]
