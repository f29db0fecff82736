"""The lifespans of FastMCP: functions that return an async context manager, and the decorator that combines them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any

from ...server import Server

__all__ = [
    "ComposedLifespan",
    "ContextManagerLifespan",
    "Lifespan",
    "combine_lifespans",
    "lifespan",
    "only_shared",
    "to_native_lifespan",
]


class Lifespan:
    """An async generator function of the server that yields a dict; `a | b` enters both and joins their dicts."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._enter: Callable[[Any], Any] = asynccontextmanager(fn)

    @asynccontextmanager
    async def __call__(self, server: Server) -> AsyncGenerator[dict[str, Any], None]:
        async with self._enter(server) as value:
            yield {} if value is None else value

    def __or__(self, other: Any) -> "Lifespan":
        if not isinstance(other, Lifespan):
            raise TypeError(
                f"a Lifespan cannot be combined with {type(other).__name__}; use @lifespan, or ContextManagerLifespan"
            )
        return ComposedLifespan(self, other)


class ContextManagerLifespan(Lifespan):
    """A lifespan from a function that returns an async context manager already."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._enter = fn


class ComposedLifespan(Lifespan):
    """Two lifespans, of which the first is entered first and left last."""

    def __init__(self, left: Lifespan, right: Lifespan) -> None:
        @asynccontextmanager
        async def enter(server: Server) -> AsyncGenerator[dict[str, Any], None]:
            async with left(server) as first, right(server) as second:
                yield {**first, **second}

        self._enter = enter


def lifespan(fn: Callable[[Any], Any]) -> Lifespan:
    """An async generator function as a lifespan that can be combined with others."""
    return Lifespan(fn)


def combine_lifespans(*lifespans: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """One lifespan that enters several, the first first, and joins what they yield: a dict or None."""

    @asynccontextmanager
    async def enter(app: Any) -> AsyncGenerator[dict[str, Any], None]:
        joined: dict[str, Any] = {}
        async with AsyncExitStack() as stack:
            for one in lifespans:
                joined |= await stack.enter_async_context(one(app)) or {}
            yield joined

    return enter


def enter_shared(server: Server) -> Any:
    """What keeps the shared dependencies of a server, if it has some."""
    keep = getattr(server, "keep_shared", None)
    return nullcontext() if keep is None else keep(server)


@asynccontextmanager
async def only_shared(server: Server) -> AsyncGenerator[dict[str, Any], None]:
    """The lifespan of a server that has shared dependencies and no lifespan of its own."""
    yield {}


def to_native_lifespan(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that returns an async context manager as an async generator function, which is async for sure."""

    async def live(server: Server) -> AsyncGenerator[Any, None]:
        async with function(server) as value, enter_shared(server):
            yield value

    return live
