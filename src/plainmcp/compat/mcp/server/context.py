"""`mcp.server.context` of `mcp` 2."""

from ..middleware import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

__all__ = ["CallNext", "HandlerResult", "ServerMiddleware", "ServerRequestContext"]
