"""`mcp.server.streamable_http_manager`."""

from ..http_manager import StreamableHTTPSessionManager

__all__ = ["StreamableHTTPSessionManager"]
