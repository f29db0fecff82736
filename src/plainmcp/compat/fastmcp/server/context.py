"""`fastmcp.server.context`."""

from ..context import Context, get_context, reset_transport, set_transport

__all__ = ["Context", "get_context", "reset_transport", "set_transport"]
