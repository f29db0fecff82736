"""`mcp.server.streamable_http_manager`."""

from ..http_manager import StreamableHTTPSessionManager
from .streamable_http import EventStore

__all__ = ["EventStore", "StreamableHTTPSessionManager"]
