"""`fastmcp.server.middleware.middleware`."""

from ...middleware import CallNext, Middleware, MiddlewareContext

__all__ = ["CallNext", "Middleware", "MiddlewareContext"]
