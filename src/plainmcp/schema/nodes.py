"""The nodes of a type hint, one class for each kind of JSON, and the limits that msgspec.Meta sets for them.

They are made in type_tree.
"""

import copy
import datetime
import operator
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct, field

from ..errors import AuthorError
from .formats import Format
from .keywords import has_match

__all__ = [
    "Alias",
    "Anything",
    "Choice",
    "Field",
    "Foreign",
    "Items",
    "Members",
    "Node",
    "Opaque",
    "Record",
    "Row",
    "Scalar",
    "Text",
    "Union",
    "describe_unlisted",
    "is_within_limits",
    "limit_keywords_of",
    "nodes_of",
    "parts_of",
    "with_limits",
]

MISSING: Any = object()
"""Stands for no default."""
Fill = Callable[[], Any]


class Node(Struct, eq=False, kw_only=True):
    """One type: `limits` are those of msgspec.Meta, by its names; `notes` are other keywords of its schema."""

    limits: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)


class Anything(Node):
    """Any JSON, or with `flat` any that is neither an array nor an object; `make` converts it."""

    make: Callable[[Any], Any] | None = None
    flat: bool = False


class Scalar(Node):
    """A string, a number, a boolean or null; `json` is str, int, float, bool or NoneType, `kind` may be derived."""

    kind: type
    json: type


class Text(Node):
    """A class whose values are one string each."""

    kind: type
    format: Format


class Choice(Node):
    """The values of a Literal or an Enum by their JSON; `make` converts any other value, and may raise.

    `kind` is the Enum.
    """

    kind: Any
    options: list[tuple[Any, Any]]
    make: Callable[[Any], Any] | None = None


class Items(Node):
    """An array of any length; `make` takes a list."""

    make: Callable[[list[Any]], Any]
    item: Node
    unique: bool = False


class Field(Struct):
    """An item of a row or a member of a record: `name` is its name in the class, None for a tag."""

    name: str | None
    node: Node
    required: bool = True
    default: Any = MISSING
    fill: Fill | None = None  # makes the default of a member that a dict lacks


class Row(Node):
    """An array with a type for each item; `kind` is its class if it is not a plain tuple.

    `make` takes the items by the names of their fields, or a list where they have none.
    """

    kind: Any
    make: Callable[..., Any]
    items: list[Field] = field(default_factory=list)
    closed: bool = True

    @property
    def least(self) -> int:
        """How many items there must be; optional ones at the end may be left out."""
        return max((at for at, one in enumerate(self.items, 1) if one.required), default=0)


class Members(Node):
    """An object with any keys; `make` takes a dict."""

    make: Callable[[dict[Any, Any]], Any]
    key: Node
    value: Node


class Record(Node):
    """An object with fields, by their names in JSON; `make` takes the fields by their names in the class.

    It may have other members, which are of the type `rest` and dropped without one, unless it is `closed`.
    """

    kind: Any
    make: Callable[..., Any]
    fields: dict[str, Field] = field(default_factory=dict)
    closed: bool = False
    rest: Node | None = None


class Union(Node):
    """One of several types."""

    members: list[Node]


class Foreign(Node):
    """A type that pydantic reads; its schema is set where it is a choice of a union.

    In a tree of values it is a type with a serializer of pydantic, and `inner` is the type without it.
    """

    hint: Any
    schema: dict[str, Any] = field(default_factory=dict)
    inner: Node = field(default_factory=Anything)


class Opaque(Node):
    """A type in a tree of values that is not taken apart: `kind`, or with its metadata `hint`."""

    kind: Any
    hint: Any


class Alias(Node):
    """A named type, which may contain itself; in a tree of values also a RootModel."""

    kind: Any
    inner: Node = field(default_factory=Anything)


def nodes_of(node: Node) -> list[Node]:
    """A node and all nodes inside it, each once."""
    nodes: dict[int, Node] = {}
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if id(here) in nodes:
            continue
        nodes[id(here)] = here
        waiting += parts_of(here)
    return list(nodes.values())


def parts_of(node: Node) -> list[Node]:
    """The nodes directly inside a node."""
    match node:
        case Items():
            return [node.item]
        case Row():
            return [one.node for one in node.items]
        case Members():
            return [node.key, node.value]
        case Record():
            return [one.node for one in node.fields.values()] + ([] if node.rest is None else [node.rest])
        case Union():
            return node.members
        case Alias():
            return [node.inner]
    return []


# Limits --------------------------------------------------------------------------------------------

_SIZES = ("max_length", "min_length")
_RANGE = ("ge", "gt", "le", "lt", "multiple_of")
_LIMITS = (*_SIZES, *_RANGE, "pattern", "tz")
_NOTES = ("title", "description", "examples")


def with_limits(node: Node, hint: Any) -> Node:
    """A node with the limits and notes in an Annotated; raises AuthorError for one that its type does not have."""
    metas = [metadata for metadata in hint.__metadata__ if isinstance(metadata, msgspec.Meta)]
    if not metas:
        return node
    node = copy.copy(node)
    limits, notes = dict(node.limits), dict(node.notes)
    for meta in metas:
        limits |= {name: getattr(meta, name) for name in _LIMITS if getattr(meta, name) is not None}
        notes |= {name: getattr(meta, name) for name in _NOTES if getattr(meta, name) is not None}
        notes |= meta.extra_json_schema or {}
    node.notes = notes
    if isinstance(node, Union):
        node.members = [copy.copy(one) for one in node.members]
    targets = node.members if isinstance(node, Union) else [node]
    for name, value in limits.items():
        limited = [one for one in targets if name in _limits_of(one)]
        if not limited:
            raise AuthorError(f"Meta({name}={value!r}) does not apply to this type")
        for one in limited:
            one.limits = {**one.limits, name: value}
    return node


def _limits_of(node: Node) -> tuple[str, ...]:
    """The limits that a type may have."""
    if isinstance(node, Scalar):
        return (*_SIZES, "pattern") if node.json is str else _RANGE if node.json in (int, float) else ()
    if isinstance(node, Text):
        return {"base64": _SIZES, "date-time": ("tz",), "time": ("tz",)}.get(node.format.name or "", ())
    return _SIZES if isinstance(node, (Items, Members)) else ()


# Schemas ------------------------------------------------------------------------------------------

_NUMBERS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_UNITS: dict[type, str] = {Scalar: "Length", Text: "Length", Items: "Items", Members: "Properties"}


def limit_keywords_of(node: Node) -> dict[str, Any]:
    """The limits of a type as keywords of JSON Schema.

    >>> from typing import Annotated
    >>> limit_keywords_of(with_limits(Scalar(int, int), Annotated[int, msgspec.Meta(ge=0, lt=10)]))
    {'minimum': 0, 'exclusiveMaximum': 10}
    """
    keywords: dict[str, Any] = {_NUMBERS[name]: node.limits[name] for name in _NUMBERS if name in node.limits}
    for name in _SIZES:
        if name in node.limits:
            size = node.limits[name]
            # In base64 three bytes are four characters.
            keywords[name[:3] + _UNITS[type(node)]] = 4 * ((size + 2) // 3) if isinstance(node, Text) else size
    if "pattern" in node.limits:
        keywords["pattern"] = node.limits["pattern"]
    return keywords


# Values -------------------------------------------------------------------------------------------

_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "multiple_of": lambda value, unit: value % unit == 0,
    "min_length": lambda value, size: len(value) >= size,
    "max_length": lambda value, size: len(value) <= size,
    "pattern": has_match,
    "tz": lambda value, required: _has_time_zone(value) is required,
}


def is_within_limits(limits: dict[str, Any], value: Any) -> bool:
    """Whether a Python value is within all limits."""
    return all(_CHECKS[name](value, bound) for name, bound in limits.items())


def describe_unlisted(node: Text) -> str | None:
    """What a text must be by limits without a keyword in JSON Schema: a number of bytes, no time zone."""
    sizes = [f"{word} {node.limits[name]}" for name, word in _SIZE_WORDS.items() if name in node.limits]
    if sizes:
        return f"expected base64 of {' and '.join(sizes)} bytes in a string"
    return "expected a moment without a time zone" if node.limits.get("tz") is False else None


_SIZE_WORDS = {"min_length": "at least", "max_length": "at most"}


def _has_time_zone(value: datetime.datetime | datetime.time) -> bool:
    return value.tzinfo is not None
