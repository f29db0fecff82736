"""`mcp.server.fastmcp.utilities`."""

from ....logs import configure_logging, get_logger

__all__ = ["configure_logging", "get_logger"]
