"""`mcp.server.streamable_http_manager`."""

from ..http_manager import StreamableHTTPSessionManager
from ..settings import DEFAULT_MAX_REQUEST_BODY_SIZE, DEFAULT_MAX_SESSIONS, DEFAULT_SESSION_IDLE_TIMEOUT
from .streamable_http import EventStore

__all__ = [
    "DEFAULT_MAX_REQUEST_BODY_SIZE",
    "DEFAULT_MAX_SESSIONS",
    "DEFAULT_SESSION_IDLE_TIMEOUT",
    "EventStore",
    "StreamableHTTPSessionManager",
]
