"""The nodes a type hint is taken apart into: one class for each kind of JSON a type may ask for.

They hold what is known of a type and do nothing. They are made in typetree.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .texts import Format

__all__ = [
    "Alias",
    "Anything",
    "Choice",
    "Field",
    "Foreign",
    "Items",
    "Members",
    "Node",
    "Record",
    "Row",
    "Scalar",
    "Text",
    "Union",
]

MISSING: Any = object()
"""Stands for no default."""


@dataclass(eq=False)
class Node:
    """One type: `limits` are those of msgspec.Meta, by its names; `notes` are what else its schema says."""

    limits: dict[str, Any] = field(default_factory=dict, kw_only=True)
    notes: dict[str, Any] = field(default_factory=dict, kw_only=True)


@dataclass(eq=False)
class Anything(Node):
    """Any JSON, or with `flat` any that is neither an array nor an object; `make` takes it."""

    make: Callable[[Any], Any] | None = None
    flat: bool = False


@dataclass(eq=False)
class Scalar(Node):
    """A string, a number, a boolean or null; `json` is str, int, float, bool or NoneType, `kind` may be derived."""

    kind: type
    json: type


@dataclass(eq=False)
class Text(Node):
    """A class whose values are one string each."""

    kind: type
    format: Format


@dataclass(eq=False)
class Choice(Node):
    """The values of a Literal or an Enum by their JSON; `make` takes any other value, and may raise.

    `kind` is the Enum.
    """

    kind: Any
    options: list[tuple[Any, Any]]
    make: Callable[[Any], Any] | None = None


@dataclass(eq=False)
class Items(Node):
    """An array of any length; `make` takes a list."""

    make: Callable[[list[Any]], Any]
    item: Node
    unique: bool = False


@dataclass
class Field:
    """A place in a row or a member of a record: `name` is what its class calls it, None for a tag."""

    name: str | None
    node: Node
    required: bool = True
    default: Any = MISSING


@dataclass(eq=False)
class Row(Node):
    """An array with a type for each place; `kind` is its class if it is not a plain tuple.

    `make` takes the items by the names of their fields, or a list where they have none.
    """

    kind: Any
    make: Callable[..., Any]
    items: list[Field] = field(default_factory=list)
    closed: bool = True

    @property
    def least(self) -> int:
        """How many items there must be: those at the end may be left out."""
        return max((at for at, one in enumerate(self.items, 1) if one.required), default=0)


@dataclass(eq=False)
class Members(Node):
    """An object with any keys; `make` takes a dict."""

    make: Callable[[dict[Any, Any]], Any]
    key: Node
    value: Node


@dataclass(eq=False)
class Record(Node):
    """An object whose fields are known by their names in JSON; `make` takes those given, as its class names them."""

    kind: Any
    make: Callable[..., Any]
    fields: dict[str, Field] = field(default_factory=dict)
    closed: bool = False


@dataclass(eq=False)
class Union(Node):
    """One of several types."""

    members: list[Node]


@dataclass(eq=False)
class Foreign(Node):
    """What pydantic reads; its schema is known where it is one of several choices."""

    hint: Any
    schema: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Alias(Node):
    """A type with a name of its own, which may hold itself."""

    kind: Any
    inner: Node = field(default_factory=Anything)
