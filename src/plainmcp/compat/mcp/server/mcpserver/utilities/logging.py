"""`mcp.server.mcpserver.utilities.logging`."""

from ....logs import configure_logging, get_logger

__all__ = ["configure_logging", "get_logger"]
