"""The dependencies of FastMCP: Depends and the ready ones; and functions that return what is current."""

import inspect
from collections.abc import AsyncGenerator, Callable, Collection, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache, partial
from typing import Any

from ... import context as native
from ...foreign.annotations import signature_of
from ...schema import signature
from ..access_token import access_token_of
from ..http_request import http_request_of
from ..wrap import with_context
from .context import Context, enter_context, get_context

__all__ = [
    "CurrentAccessToken",
    "CurrentContext",
    "CurrentFastMCP",
    "CurrentHeaders",
    "CurrentRequest",
    "Depends",
    "Progress",
    "TokenClaim",
    "get_access_token",
    "get_context",
    "get_http_headers",
    "get_http_request",
    "get_server",
]

_PRIVATE_HEADERS = frozenset(
    {
        "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host",
        "keep-alive", "mcp-session-id", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that belong to this request, and are not to be passed on to other services."""


def __getattr__(name: str) -> Any:
    if name == "Shared":
        from .shared import Shared  # loads asyncio, for those who need it

        return Shared
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Functions ----------------------------------------------------------------------------------------


def get_server() -> Any:
    """The server of the handler that is running."""
    return get_context().fastmcp


def get_http_request() -> Any:
    """The HTTP request of the handler that is running; raises RuntimeError if there is none."""
    try:
        return http_request_of(get_context())
    except RuntimeError:
        raise RuntimeError("No active HTTP request found.") from None


def get_http_headers(include_all: bool = False, include: Collection[str] | None = None) -> dict[str, str]:
    """The headers of the HTTP request, by lowercase name; without those that are not to be passed on."""
    try:
        headers = get_context().headers
    except RuntimeError:
        return {}
    left_out = frozenset() if include_all else _PRIVATE_HEADERS - {name.lower() for name in include or ()}
    return {name: value for name, value in headers.items() if name not in left_out}


def get_access_token() -> Any:
    """The caller, if `auth=` has verified a token of the request, or the principal has one; None otherwise."""
    try:
        principal = get_context().principal
    except RuntimeError:
        return None
    return access_token_of(principal)


# Dependencies -------------------------------------------------------------------------------------


def Depends(function: Callable[..., Any], **bindings: Any) -> Any:
    """The default of a parameter whose value a function returns for each call; clients do not see the parameter.

    The function is a plain one, an `async def` one, a generator of either kind, or one that contextmanager decorates.
    `bindings` are values for its parameters.
    """
    return signature.Depends(_adapt(partial(function, **bindings) if bindings else function))


@lru_cache(maxsize=1000)
def _adapt(function: Callable[..., Any]) -> Callable[..., Any]:
    """A dependency for plainmcp, whose context is FastMCP's; always the same one, so that it runs once for a call."""
    inner = getattr(function, "__wrapped__", None)
    if inspect.isasyncgenfunction(inner) or inspect.isgeneratorfunction(inner):
        function = inner  # what contextmanager and asynccontextmanager decorate
    read = signature.read(function, context_type=Context, generators=True)
    if inspect.isasyncgenfunction(function):
        return _with_signature(_open_async(function, read.context), function)
    if inspect.isgeneratorfunction(function):
        return _with_signature(_open(function, read.context), function)
    return with_context(function, read, enter_context)


def _open_async(function: Callable[..., Any], name: str | None) -> Callable[..., Any]:
    async def run_async(**arguments: Any) -> AsyncGenerator[Any, None]:
        async with asynccontextmanager(function)(**_convert_context(arguments, name)) as value:
            yield value

    return run_async


def _open(function: Callable[..., Any], name: str | None) -> Callable[..., Any]:
    def run(**arguments: Any) -> Generator[Any, None, None]:
        with contextmanager(function)(**_convert_context(arguments, name)) as value:
            yield value

    return run


def _convert_context(arguments: dict[str, Any], name: str | None) -> dict[str, Any]:
    return arguments if name is None else {**arguments, name: Context(arguments[name])}


def _with_signature(run: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    run.__name__ = getattr(function, "__name__", "dependency")
    run.__signature__ = signature_of(function, evaluate=True)  # type: ignore[attr-defined]
    return run


async def _context_of(ctx: native.Context[Any]) -> Context:
    return Context(ctx)


def _server_of(ctx: native.Context[Any]) -> Any:
    return Context(ctx).fastmcp


def _request_of(ctx: native.Context[Any]) -> Any:
    return http_request_of(ctx)


def _headers_of(ctx: native.Context[Any]) -> dict[str, str]:
    return dict(ctx.headers)


def _token_of(ctx: native.Context[Any]) -> Any:
    token = access_token_of(ctx.principal)
    if token is None:
        raise RuntimeError("No access token found.")
    return token


def CurrentContext() -> Any:
    """The context of the handler, as the default of a parameter."""
    return signature.Depends(_context_of)


OptionalCurrentContext = CurrentContext


def CurrentFastMCP() -> Any:
    """The server, as the default of a parameter."""
    return signature.Depends(_server_of)


def CurrentRequest() -> Any:
    """The HTTP request, as the default of a parameter."""
    return signature.Depends(_request_of)


def CurrentHeaders() -> Any:
    """The headers of the HTTP request, as the default of a parameter."""
    return signature.Depends(_headers_of)


def CurrentAccessToken() -> Any:
    """The caller with its token, as the default of a parameter."""
    return signature.Depends(_token_of)


def TokenClaim(name: str) -> Any:
    """A claim of the caller's token, as the default of a parameter."""

    def claim_of(ctx: native.Context[Any]) -> Any:
        claims = _token_of(ctx).claims
        if name not in claims:
            raise RuntimeError(f"The access token has no claim {name!r}.")
        return claims[name]

    return signature.Depends(claim_of)


class _Progress:
    """The progress of one call: a total, a count and a message."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.current: int | None = None
        self.total = 1
        self.message: str | None = None

    async def set_total(self, total: int) -> None:
        """Set the number of steps."""
        self.total = total

    async def increment(self, amount: int = 1) -> None:
        """Report that some steps are done."""
        self.current = (self.current or 0) + amount
        await self._ctx.report_progress(self.current, self.total, self.message)

    async def set_message(self, message: str | None) -> None:
        """Set the text of the next reports."""
        self.message = message


async def _progress_of(ctx: native.Context[Any]) -> _Progress:
    return _Progress(Context(ctx))


def Progress() -> Any:
    """An object that reports progress, as the default of a parameter."""
    return signature.Depends(_progress_of)
