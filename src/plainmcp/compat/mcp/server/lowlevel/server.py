"""`mcp.server.lowlevel.server` of `mcp` 1 and 2."""

from ...helper_types import ReadResourceContents
from ...initialization import InitializationOptions, NotificationOptions
from ...low_level import Server, request_ctx

__all__ = ["InitializationOptions", "NotificationOptions", "ReadResourceContents", "Server", "request_ctx"]
