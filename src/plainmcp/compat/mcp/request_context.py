"""The request context of the official SDK, and its session, which is one object as long as the client is connected.

A program may make a request context too, such as in its own tests: then it has the fields that it is given.
"""

from collections.abc import Callable
from typing import Any

from ... import context
from ..http_request import http_request_of
from .session import ServerSession
from .types import RequestParams

__all__ = ["RequestContext"]


class RequestMeta(RequestParams):
    """The `_meta` of a request."""

    def __getitem__(self, key: str) -> Any:
        return self.to_plain()[key]

    def __contains__(self, key: object) -> bool:
        return key in self.to_plain()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        return self.to_plain().get(key, default)


_SESSION = "_mcp_session"  # where the state of a session has its object


class RequestContext:
    """One request: its id, its `_meta`, its session, the HTTP request, and what the lifespan yielded.

    `current` returns the context of the handler that is running, or None.
    """

    def __new__(cls, ctx: Any = None, current: Any = None, *values: Any, **fields: Any) -> "RequestContext":
        """A request context; one that a program makes has the fields that it is given."""
        kind: Any = MadeRequestContext if cls is RequestContext and not callable(current) else cls
        return super().__new__(kind)  # type: ignore[no-any-return]

    def __init__(
        self, ctx: Any = None, current: Callable[[], Any] = lambda: None, *values: Any, **fields: Any
    ) -> None:
        self._ctx, self._current = ctx, current

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    async def close_sse_stream(self) -> None:
        """Close the stream of the request early: the client reconnects for the answer."""
        self._ctx.close_stream()

    async def close_standalone_sse_stream(self) -> None:
        """Take the wish to close the stream of the session, which stays open: its messages arrive anyway."""

    @property
    def session(self) -> ServerSession:
        """The session of the client: always the same object."""
        state = self._ctx._own_state
        session: ServerSession = state.get(_SESSION) or state.setdefault(
            _SESSION, ServerSession(self._ctx, self._current)
        )
        session._latest = self._ctx
        return session

    @property
    def request_id(self) -> Any:
        """The id of the request, as the client chose it."""
        return context.Context.request_id.fget(self._ctx)  # type: ignore[attr-defined]

    @property
    def meta(self) -> RequestMeta | None:
        """The `_meta` of the request: attributes as in `mcp` 1, and keys as in `mcp` 2."""
        return RequestMeta(**self._ctx.meta) if self._ctx.meta else None

    @property
    def lifespan_context(self) -> Any:
        """What the lifespan of the server yielded."""
        return {} if self._ctx.lifespan is None else self._ctx.lifespan

    @property
    def request(self) -> Any:
        """The HTTP request; None on standard input and output."""
        return http_request_of(self._ctx) if self._ctx.headers else None

    @property
    def protocol_version(self) -> str:
        """The name of the protocol revision of the request."""
        return self._ctx.revision  # type: ignore[no-any-return]

    @property
    def method(self) -> str:
        """The method of the request."""
        return self._ctx._request.method  # type: ignore[no-any-return]


class MadeRequestContext(RequestContext):
    """A request context with the fields that a program gives it."""

    session = request_id = meta = lifespan_context = request = None  # type: ignore[assignment]
    protocol_version = method = None  # type: ignore[assignment]
    experimental: Any = None
    close_sse_stream = close_standalone_sse_stream = None  # type: ignore[assignment]

    def __init__(self, *values: Any, **fields: Any) -> None:
        vars(self).update(
            dict(zip(("request_id", "meta", "session", "lifespan_context"), values, strict=False)), **fields
        )
