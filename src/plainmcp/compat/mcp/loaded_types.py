"""Types of the real package, for programs that use them beside the facade: what handlers get is an instance of both.

Nothing is imported: a program that has not loaded the package itself gets the types of the facade.
"""

import functools
import sys
from operator import attrgetter
from typing import Any

from .result_types import ServerResult
from .wire_model import Model, to_snake, to_wire

__all__ = ["joined_error", "to_loaded", "to_server_result"]


def to_loaded(value: Any) -> Any:
    """A type of the facade as an object of the real package's class of that name, if the program has loaded it."""
    kind = _class_of(type(value).__name__) if isinstance(value, Model) else None
    if kind is None:
        return value
    try:
        return _joined(kind).model_validate(value.to_plain())
    except ValueError:  # the installed version does not know this form
        return value


def to_server_result(result: Any) -> Any:
    """A result in the ServerResult of `mcp` 1, the real one if the program has loaded it."""
    kind = _class_of("ServerResult") or ServerResult
    return kind(to_loaded(result))


def joined_error(kind: Any) -> Any:
    """An exception of the facade that is also the real package's McpError, if the program has loaded that."""
    module = sys.modules.get("mcp.shared.exceptions")
    real: Any = getattr(module, "MCPError", None) or getattr(module, "McpError", None)
    if not isinstance(real, type) or issubclass(kind, real) or issubclass(real, kind):
        return kind
    return _joined_error(kind, real)


@functools.lru_cache(maxsize=8)
def _joined_error(kind: Any, real: Any) -> Any:
    return type(kind.__name__, (kind, real), {})


def _class_of(name: str) -> Any:
    for module in ("mcp_types", "mcp.types"):
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type) and not issubclass(kind, Model) and hasattr(kind, "model_validate"):
            return kind
    return None


@functools.lru_cache(maxsize=128)
def _joined(kind: Any) -> Any:
    """A class of the real package with the names that its fields have in the other version of it."""

    def is_equal(self: Any, other: object) -> bool:
        return isinstance(other, kind | Model) and to_wire(self) == to_wire(other)

    members: dict[str, Any] = {other: property(attrgetter(name)) for other, name in _other_names_of(kind).items()}
    members |= {"__eq__": is_equal, "__hash__": None, "__module__": kind.__module__}
    return type(kind)(kind.__name__, (kind,), members | {"__qualname__": kind.__qualname__})


def _other_names_of(kind: Any) -> dict[str, str]:
    """The names of fields in the other version of the package, and their names in this one."""
    names: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        for other in (field.alias or name, to_snake(field.alias or name)):
            if other != name:
                names[other] = name
    return names
