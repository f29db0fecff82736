"""The context and the middleware of `mcp` 2's servers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

__all__ = ["CacheHint", "CallNext", "HandlerResult", "ServerMiddleware", "ServerRequestContext"]

HandlerResult: TypeAlias = Any
"""What a handler or a middleware returns: a type of the protocol, a dict, or None."""


@dataclass(kw_only=True)
class ServerRequestContext:
    """One request, as handlers and middleware of `mcp` 2 get it."""

    method: str
    params: Mapping[str, Any] | None = None
    session: Any = None
    lifespan_context: Any = None
    protocol_version: str = ""
    request_id: Any = None
    meta: Any = None
    request: Any = None

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls


CallNext: TypeAlias = Callable[[ServerRequestContext], Awaitable[HandlerResult]]
"""Runs the rest of the chain with a context."""


class ServerMiddleware(Protocol):
    """Middleware: takes a context and the rest of the chain, and returns a result."""

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    async def __call__(self, ctx: ServerRequestContext, call_next: CallNext) -> HandlerResult:
        """The result of a request."""
        ...


@dataclass(frozen=True)
class CacheHint:
    """How long a client may keep a result."""

    ttl_ms: int = 0
    scope: str = "private"
