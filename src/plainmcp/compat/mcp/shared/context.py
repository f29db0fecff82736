"""`mcp.shared.context`."""

from ..session import RequestContext

__all__ = ["RequestContext"]
