"""`fastmcp.server.middleware.timing`."""

from ...ready_middleware import DetailedTimingMiddleware, TimingMiddleware

__all__ = ["DetailedTimingMiddleware", "TimingMiddleware"]
