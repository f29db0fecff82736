"""`mcp.server.stdio`."""

from ..stdio_streams import stdio_server

__all__ = ["stdio_server"]
