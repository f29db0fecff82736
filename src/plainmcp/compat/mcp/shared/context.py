"""`mcp.shared.context`."""

from ..request_context import RequestContext

__all__ = ["RequestContext"]
