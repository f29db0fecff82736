"""The middleware that comes with FastMCP, as far as servers use it: timing, logging, errors and rate limits."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..coded_error import CodedError
from .middleware import Middleware, MiddlewareContext

__all__ = [
    "DetailedTimingMiddleware",
    "ErrorHandlingMiddleware",
    "LoggingMiddleware",
    "RateLimitError",
    "RateLimitingMiddleware",
    "RetryMiddleware",
    "StructuredLoggingMiddleware",
    "TimingMiddleware",
]


class TimingMiddleware(Middleware):
    """Logs how long each request took."""

    def __init__(self, logger: logging.Logger | None = None, log_level: int = logging.INFO) -> None:
        self.logger = logger or logging.getLogger("fastmcp.timing")
        self.log_level = log_level

    async def on_request(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every request."""
        start, outcome = time.perf_counter(), "failed after"
        try:
            result = await call_next(context)
            outcome = "completed in"
            return result
        finally:
            took = (time.perf_counter() - start) * 1000
            self.logger.log(self.log_level, "Request %s %s %.2fms", context.method, outcome, took)


class DetailedTimingMiddleware(TimingMiddleware):
    """Logs how long each request took."""


class LoggingMiddleware(Middleware):
    """Logs the start and the end of each request; with `include_payloads` also its parameters."""

    def __init__(
        self,
        logger: logging.Logger | None = None,
        log_level: int = logging.INFO,
        include_payloads: bool = False,
        max_payload_length: int = 1000,
        methods: list[str] | None = None,
        **options: Any,
    ) -> None:
        self.logger = logger or logging.getLogger("fastmcp.requests")
        self.log_level = log_level
        self.include_payloads, self.max_payload_length = include_payloads, max_payload_length
        self.methods = methods

    async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every message."""
        if self.methods and context.method not in self.methods:
            return await call_next(context)
        start = time.perf_counter()
        self._write(event="request_start", method=context.method, source=context.source, **self._payload(context))
        try:
            result = await call_next(context)
        except Exception as error:
            self._write(event="request_error", method=context.method, error=str(error), **_duration(start))
            raise
        self._write(event="request_success", method=context.method, **_duration(start))
        return result

    def _payload(self, context: MiddlewareContext[Any]) -> dict[str, Any]:
        if not self.include_payloads:
            return {}
        text = json.dumps(context.message.model_dump(), default=str)
        return {"payload": text if len(text) <= self.max_payload_length else text[: self.max_payload_length] + "..."}

    def _write(self, **fields: Any) -> None:
        self.logger.log(self.log_level, " ".join(f"{name}={value}" for name, value in fields.items()))


class StructuredLoggingMiddleware(LoggingMiddleware):
    """Logs the start and the end of each request as JSON."""

    def _write(self, **fields: Any) -> None:
        self.logger.log(self.log_level, json.dumps(fields, default=str))


def _duration(start: float) -> dict[str, float]:
    return {"duration_ms": round((time.perf_counter() - start) * 1000, 2)}


class ErrorHandlingMiddleware(Middleware):
    """Logs and counts exceptions, and calls a function with each."""

    def __init__(
        self,
        logger: logging.Logger | None = None,
        include_traceback: bool = False,
        error_callback: Callable[[Exception, MiddlewareContext[Any]], None] | None = None,
        transform_errors: bool = True,
    ) -> None:
        self.logger = logger or logging.getLogger("fastmcp.errors")
        self.include_traceback = include_traceback
        self.error_callback = error_callback
        self.error_counts: dict[str, int] = {}

    async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every message."""
        try:
            return await call_next(context)
        except Exception as error:
            kind = type(error).__name__
            key = f"{kind}:{context.method}"
            self.error_counts[key] = self.error_counts.get(key, 0) + 1
            text = f"Error in {context.method}: {kind}: {error}"
            self.logger.error(text, exc_info=self.include_traceback)
            if self.error_callback is not None:
                self.error_callback(error, context)
            raise

    def get_error_stats(self) -> dict[str, int]:
        """How often each kind of exception came, by kind and method."""
        return dict(self.error_counts)


class RetryMiddleware(Middleware):
    """Tries a request again after some exceptions."""

    def __init__(
        self,
        max_retries: int = 3,
        base_delay: float = 1.0,
        max_delay: float = 60.0,
        backoff_multiplier: float = 2.0,
        retry_exceptions: tuple[type[Exception], ...] = (ConnectionError, TimeoutError),
        logger: logging.Logger | None = None,
    ) -> None:
        self.max_retries, self.base_delay, self.max_delay = max_retries, base_delay, max_delay
        self.backoff_multiplier, self.retry_exceptions = backoff_multiplier, retry_exceptions
        self.logger = logger or logging.getLogger("fastmcp.retry")

    async def on_request(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every request."""
        for attempt in range(self.max_retries):
            try:
                return await call_next(context)
            except Exception as error:
                if not isinstance(error, self.retry_exceptions) and not isinstance(
                    error.__cause__, self.retry_exceptions
                ):
                    raise
                delay = min(self.base_delay * self.backoff_multiplier**attempt, self.max_delay)
                self.logger.warning("Request %s failed: %s. Retrying in %.1fs", context.method, error, delay)
                await asyncio.sleep(delay)
        return await call_next(context)


class RateLimitError(CodedError):
    """Too many requests: an error of the protocol."""

    def __init__(self, message: str = "Rate limit exceeded") -> None:
        super().__init__(-32000, message)

    @property
    def error(self) -> SimpleNamespace:
        """The code and the text, as MCPError has them."""
        return SimpleNamespace(code=self.code, message=self.message, data=self.data)


class RateLimitingMiddleware(Middleware):
    """Refuses requests of a client that sends too many: a burst, then so many per second."""

    def __init__(
        self,
        max_requests_per_second: float = 10.0,
        burst_capacity: int | None = None,
        get_client_id: Callable[[MiddlewareContext[Any]], str] | None = None,
        global_limit: bool = False,
    ) -> None:
        self.max_requests_per_second = max_requests_per_second
        self.burst_capacity = burst_capacity or int(max_requests_per_second * 2)
        self.get_client_id, self.global_limit = get_client_id, global_limit
        self._credits: dict[str, tuple[float, float]] = {}  # by client: the credit, and when it was counted

    async def on_request(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every request."""
        is_shared = self.global_limit or self.get_client_id is None
        client = "global" if is_shared else self.get_client_id(context)  # type: ignore[misc]
        now = time.monotonic()
        credit, since = self._credits.get(client, (float(self.burst_capacity), now))
        credit = min(self.burst_capacity, credit + (now - since) * self.max_requests_per_second)
        self._credits[client] = (max(0.0, credit - 1) if credit >= 1 else credit, now)
        if credit < 1:
            raise RateLimitError(f"Rate limit exceeded for client: {client}")
        return await call_next(context)
