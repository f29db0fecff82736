"""`mcp.server.lowlevel` of `mcp` 1 and 2."""

from ...initialization import NotificationOptions
from ...low_level import Server

__all__ = ["NotificationOptions", "Server"]
