"""`fastmcp.server.http`: the applications of a server, and the request of a call."""

from typing import Any

from ...http_app import HttpApp
from ..dependencies import get_http_request
from ..fast_mcp import FastMCP

__all__ = ["StarletteWithLifespan", "create_sse_app", "create_streamable_http_app", "get_http_request"]

StarletteWithLifespan = HttpApp


def create_streamable_http_app(
    server: FastMCP,
    streamable_http_path: str,
    *,
    stateless_http: bool = False,
    middleware: Any = None,
    **options: Any,
) -> Any:
    """The application of a server at a path."""
    return server.http_app(streamable_http_path, middleware, stateless_http=stateless_http)


def create_sse_app(
    server: FastMCP, message_path: str, sse_path: str, *, middleware: Any = None, **options: Any
) -> Any:
    """The application of a server at the path for the old transport; it serves streamable HTTP."""
    return server.http_app(sse_path, middleware, transport="sse")
