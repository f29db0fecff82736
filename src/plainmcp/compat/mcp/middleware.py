"""The context and the middleware of `mcp` 2's servers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ...errors import ProtocolError
from ...server import Server
from ..coded_error import has_code, to_protocol_error

__all__ = [
    "CallNext",
    "HandlerResult",
    "MiddlewareList",
    "ServerMiddleware",
    "ServerRequestContext",
]

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
    close_sse_stream: Any = None
    close_standalone_sse_stream: Any = None

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


class MiddlewareList(list[Any]):
    """The middleware of a server, outermost first; what is added is called around every request from then on."""

    def __init__(self, server: Server, middleware: Any) -> None:
        super().__init__()
        self._server = server
        self.extend(middleware)

    def append(self, middleware: Any) -> None:
        """Add middleware as the innermost."""
        super().append(middleware)
        Server.middleware(self._server, _adapt(middleware))

    def extend(self, middleware: Any) -> None:
        """Add several, the last as the innermost."""
        for one in middleware:
            self.append(one)


def _adapt(middleware: Any) -> Any:
    """A function with the arguments of plainmcp's middleware."""

    async def run(request: Any, call_next: Any) -> Any:
        async def proceed(ctx: ServerRequestContext) -> HandlerResult:
            if ctx.params is not None and dict(ctx.params) != request.params:
                request.params.clear()
                request.params.update(ctx.params)
            return await call_next(request)

        ctx = ServerRequestContext(
            method=request.method,
            params=dict(request.params),
            protocol_version=request.revision,
            request_id=request.request_id,
        )
        try:
            return await middleware(ctx, proceed)
        except ProtocolError:
            raise
        except Exception as error:
            if has_code(error):
                raise to_protocol_error(error) from error
            raise

    return run
