"""`mcp.server.fastmcp.tools.base`."""

from ....fast_mcp import Tool

__all__ = ["Tool"]
