"""`fastmcp.server.http`."""

from ..dependencies import get_http_request

__all__ = ["get_http_request"]
