"""Objects that SQLAlchemy and SQLModel map to rows, and their fields that are not loaded.

After a commit an object is expired: its fields are gone until one of them is read, which loads all of them again. Who
looks into the object itself, as pydantic does, finds nothing. Imports neither package.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from ..errors import NormalizeError

__all__ = ["can_hold_mapped", "has_table", "load_fields", "load_inside"]


def has_table(kind: Any) -> bool:
    """Whether the fields of a class are columns of a table."""
    return hasattr(kind, "__mapper__")


def load_fields(value: Any, names: Collection[str]) -> None:
    """Load the fields of an object that are not there; raises NormalizeError if that is not possible any more."""
    there = vars(value)
    if there.keys() >= set(names):
        return
    try:
        for name in names:
            getattr(value, name)
    except Exception as error:  # it has no session, or its row is gone, or an event loop has to wait for it
        reason = f"{type(value).__name__} is expired and cannot be read ({type(error).__name__})"
        raise NormalizeError("$", f"{reason}; refresh it before returning it") from error
    for name in names:  # they were loaded in an order that is another one each time
        if name in there:
            there[name] = there.pop(name)


def load_inside(value: Any) -> None:
    """Load the fields of all objects inside a value of pydantic; raises NormalizeError with a path in it."""
    waiting: list[tuple[str, Any]] = [("$", value)]
    seen: set[int] = set()
    for path, here in waiting:  # it grows
        if id(here) in seen:
            continue
        seen.add(id(here))
        kind = type(here)
        if has_table(kind):
            try:
                load_fields(here, getattr(kind, "model_fields", ()))
            except NormalizeError as error:
                raise NormalizeError(path, error.problem) from error
        if hasattr(kind, "__pydantic_fields__") or hasattr(kind, "__dataclass_fields__"):
            waiting += [(f"{path}.{name}", item) for name, item in vars(here).items()]
        elif isinstance(here, Mapping):
            waiting += [(f"{path}.{name}", item) for name, item in here.items()]
        elif isinstance(here, (list, tuple, set, frozenset)):
            waiting += [(f"{path}[{at}]", item) for at, item in enumerate(here)]


@lru_cache(maxsize=1024)
def can_hold_mapped(kind: type) -> bool:
    """Whether a value inside one of a pydantic class may have a table: by a hint of SQLModel, or by Any."""
    waiting: list[Any] = [getattr(kind, "__pydantic_core_schema__", None)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            of_sqlmodel = hasattr(node.get("cls"), "__sqlmodel_relationships__")
            if node.get("type") == "any" or (of_sqlmodel and node["cls"] is not kind):
                return True
            waiting += node.values()
        elif isinstance(node, (list, tuple)):
            waiting += node
    return False
