"""`fastmcp.server.middleware.logging`."""

from ...ready_middleware import LoggingMiddleware, StructuredLoggingMiddleware

__all__ = ["LoggingMiddleware", "StructuredLoggingMiddleware"]
