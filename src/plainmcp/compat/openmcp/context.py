"""`dedalus_mcp.context`: the context of a request under OpenMCP's names, and its progress tracker."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

from ... import context
from ...server import Server
from ..mcp import context as sdk
from .exceptions import ToolError, to_native_error

__all__ = ["Context", "ProgressTracker", "enter_context", "get_context", "progress"]

_current: ContextVar["Context"] = ContextVar("openmcp_context")


class ProgressTracker:
    """Reports how far a request is; what the client did not ask for is not sent."""

    def __init__(self, ctx: "Context", total: float | None) -> None:
        self._ctx, self._total, self._done = ctx, total, 0.0

    async def advance(self, amount: float, message: str | None = None) -> float:
        """Report that much more; returns how much is done."""
        await self.set(self._done + amount, message=message)
        return self._done

    async def set(self, progress: float, *, message: str | None = None, total: float | None = None) -> None:
        """Report how much is done."""
        self._done = progress
        self._total = self._total if total is None else total
        await self._ctx.report_progress(progress, total=self._total, message=message)


class Context:
    """One request: messages to the client, and what is known of it."""

    def __init__(self, inner: context.Context[Any], server: Server) -> None:
        self._inner: Any = inner
        self._server = server

    @property
    def request_id(self) -> str:
        """The id of the request, as text."""
        return str(self._inner.request_id)

    @property
    def server(self) -> Any:
        """The server that answers."""
        return self._server

    @property
    def session_id(self) -> str | None:
        """The id of the session, in HTTP."""
        session = self._inner._request.session
        return None if session is None else session.id

    @property
    def session(self) -> Any:
        """The session, with the methods of `mcp`'s."""
        return sdk.Context(self._inner, self._server).session

    @property
    def progress_token(self) -> Any:
        """The token for progress; None if the client did not ask for it."""
        return self._inner.meta.get("progressToken")

    @property
    def auth_context(self) -> Any:
        """Who is calling, as the application that mounts the server knows it."""
        return self._inner.principal

    async def log(
        self, level: str, message: str, *, logger: str | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        """Send a log message as {"msg": …} with the data beside it, if the client wants messages of this level."""
        await self._inner.log(level, {"msg": message, **(data or {})}, logger)

    async def debug(self, message: str, *, logger: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        """Log at level debug."""
        await self.log("debug", message, logger=logger, data=data)

    async def info(self, message: str, *, logger: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        """Log at level info."""
        await self.log("info", message, logger=logger, data=data)

    async def warning(
        self, message: str, *, logger: str | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        """Log at level warning."""
        await self.log("warning", message, logger=logger, data=data)

    async def error(self, message: str, *, logger: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        """Log at level error."""
        await self.log("error", message, logger=logger, data=data)

    async def report_progress(
        self, progress: float, *, total: float | None = None, message: str | None = None
    ) -> None:
        """Report progress, if the client asked for it."""
        await self._inner.progress(progress, total, message)

    @asynccontextmanager
    async def progress(self, total: float | None = None, **options: Any) -> AsyncGenerator[ProgressTracker, None]:
        """A tracker for one piece of work: `async with ctx.progress(total=10) as tracker`."""
        yield ProgressTracker(self, total)


def get_context() -> Context:
    """The context of the handler that is running; raises LookupError outside of one."""
    try:
        return _current.get()
    except LookupError:
        raise LookupError("get_context() works only while a handler runs") from None


@asynccontextmanager
async def progress(total: float | None = None, **options: Any) -> AsyncGenerator[ProgressTracker, None]:
    """A tracker for the request that is being answered: `async with progress(total=10) as tracker`."""
    async with get_context().progress(total) as tracker:
        yield tracker


@contextmanager
def enter_context(server: Server, inner: context.Context[Any]) -> Generator[Context, None, None]:
    """Create a handler's context, which get_context() returns inside the `with` block; errors keep their codes."""
    current = Context(inner, server)
    token = _current.set(current)
    try:
        yield current
    except ToolError as error:
        raise to_native_error(error) from error
    finally:
        _current.reset(token)
