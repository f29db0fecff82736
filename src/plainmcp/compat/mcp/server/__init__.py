"""`mcp.server` of `mcp` 1 and 2."""

from ..caching import CacheHint
from ..fast_mcp import FastMCP
from ..initialization import InitializationOptions, NotificationOptions
from ..low_level import Server
from ..mcp_server import MCPServer
from ..middleware import ServerRequestContext

__all__ = [
    "CacheHint",
    "FastMCP",
    "InitializationOptions",
    "MCPServer",
    "NotificationOptions",
    "Server",
    "ServerRequestContext",
]
