"""`mcp.server.models`."""

from ..initialization import InitializationOptions

__all__ = ["InitializationOptions"]
