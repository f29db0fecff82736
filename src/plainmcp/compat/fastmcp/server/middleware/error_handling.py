"""`fastmcp.server.middleware.error_handling`."""

from ...ready_middleware import ErrorHandlingMiddleware, RetryMiddleware

__all__ = ["ErrorHandlingMiddleware", "RetryMiddleware"]
