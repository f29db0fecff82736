"""`mcp.server.fastmcp.tools.base`."""

from ....pieces import Tool

__all__ = ["Tool"]
