"""Objects whose class has code that runs when anyone looks at them, and that raises: exceptions and other values."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from plainmcp.errors import ProtocolError, ToolError

__all__ = ["BASES", "PARTS", "RAISED", "Own", "exceptions", "values"]


class Own(BaseException):
    """An exception that is not an Exception."""


RAISED: dict[str, type[BaseException]] = {
    "exit": SystemExit,
    "keyboard": KeyboardInterrupt,
    "own": Own,
    "cancelled": asyncio.CancelledError,
    "generator": GeneratorExit,
    "runtime": RuntimeError,
}

PARTS = (
    "__getattribute__", "__getattr__", "__class__", "__traceback__", "__cause__", "__context__",
    "__suppress_context__", "__notes__", "args", "__str__", "__repr__", "__eq__", "__hash__", "__bool__", "__len__",
    "__iter__", "__format__", "__dict__", "__plain__", "__dir__", "__reduce__", "__contains__",
)  # fmt: skip
"""What anyone may look at, or call."""

_PROPERTIES = {
    "__class__", "__traceback__", "__cause__", "__context__", "__suppress_context__", "__notes__", "args", "__dict__",
}  # fmt: skip


def _body(part: str, kind: type[BaseException]) -> dict[str, Any]:
    def strike(*args: Any, **options: Any) -> Any:
        raise kind("hunter2")

    return {part: property(strike) if part in _PROPERTIES else strike}


def exceptions(base: type[BaseException] = Exception) -> Iterator[tuple[str, Callable[[], BaseException]]]:
    """What makes exceptions of a base, by the part of them that raises, and what that raises."""
    for part in PARTS:
        for name, kind in RAISED.items():
            made = type("Hostile", (base,), _body(part, kind))
            yield f"{part} {name}", lambda made=made: made("hunter2")  # type: ignore[misc]
    for name, kind in RAISED.items():
        meta = type("Meta", (type(base),), _body("__getattribute__", kind))
        made = meta("Hostile", (base,), {})
        yield f"metaclass {name}", lambda made=made: made("hunter2")  # type: ignore[misc]


def values() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What makes values, in the same way."""
    for part in PARTS:
        for name, kind in RAISED.items():
            made = type("Hostile", (), _body(part, kind))
            yield f"{part} {name}", made


BASES: tuple[type[BaseException], ...] = (Exception, ToolError, ProtocolError, BaseException)
