"""`mcp.server.stdio`."""

from ..streams import stdio_server

__all__ = ["stdio_server"]
