"""`fastmcp.server.server`."""

from ..fast_mcp import FastMCP

__all__ = ["FastMCP"]
