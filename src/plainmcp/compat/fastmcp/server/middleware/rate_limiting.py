"""`fastmcp.server.middleware.rate_limiting`."""

from ...ready_middleware import RateLimitError, RateLimitingMiddleware

__all__ = ["RateLimitError", "RateLimitingMiddleware"]
