"""`Shared` of FastMCP: dependencies whose value is made once, and kept until the lifespan of the server ends."""

import inspect
from asyncio import Lock
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from ... import context as native
from ...schema import signature
from ...server import Server

__all__ = ["Shared", "keep_shared"]


def Shared(function: Callable[[], Any]) -> Any:
    """The default of a parameter whose value a function without parameters returns once, for all calls.

    The function is a plain one, an `async def` one, or one that contextmanager or asynccontextmanager decorates; what
    these open is closed with the lifespan of the server.
    """

    async def shared_value_of(ctx: native.Context[Any]) -> Any:
        return await ctx._server.shared.value_of(function)  # type: ignore[attr-defined]

    shared_value_of.keep_shared = keep_shared  # type: ignore[attr-defined]  # so the server knows it, too
    return signature.Depends(shared_value_of)


class _Values:
    """The shared values of one server while its lifespan lasts."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._values: dict[Any, Any] = {}
        self._lock = Lock()

    async def value_of(self, function: Callable[[], Any]) -> Any:
        """The value of a function, which is called once."""
        async with self._lock:
            if function not in self._values:
                value = function()
                if hasattr(value, "__aenter__"):
                    value = await self._stack.enter_async_context(value)
                elif hasattr(value, "__enter__") and hasattr(function, "__wrapped__"):
                    value = self._stack.enter_context(value)
                self._values[function] = await value if inspect.isawaitable(value) else value
        return self._values[function]


@asynccontextmanager
async def keep_shared(server: Server) -> AsyncGenerator[None, None]:
    """Keep the shared values of a server for the time of a `with` block."""
    async with AsyncExitStack() as stack:
        server.shared = _Values(stack)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
        yield
