"""What msgspec.Meta says of a type: put on its node, written as JSON Schema, and held against a value."""

import copy
import datetime
import operator
from collections.abc import Callable
from typing import Any

import msgspec

from ..errors import AuthorError
from .keywords import matches
from .nodes import Items, Members, Node, Scalar, Text, Union

__all__ = ["are_kept", "describe_unlisted", "keywords", "limit"]

_SIZES = ("max_length", "min_length")
_RANGE = ("ge", "gt", "le", "lt", "multiple_of")
_LIMITS = (*_SIZES, *_RANGE, "pattern", "tz")
_NOTES = ("title", "description", "examples")


def limit(node: Node, metas: list[msgspec.Meta]) -> Node:
    """A node with what is said of it; raises AuthorError for what cannot be said of such a type."""
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
    told = node.members if isinstance(node, Union) else [node]
    for name, value in limits.items():
        takers = [one for one in told if name in _takes(one)]
        if not takers:
            raise AuthorError(f"Meta({name}={value!r}) does not apply to this type")
        for one in takers:
            one.limits = {**one.limits, name: value}
    return node


def _takes(node: Node) -> tuple[str, ...]:
    """The limits there are for a type."""
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


def keywords(node: Node) -> dict[str, Any]:
    """The limits of a type in JSON Schema's words.

    >>> keywords(limit(Scalar(int, int), [msgspec.Meta(ge=0, lt=10)]))
    {'minimum': 0, 'exclusiveMaximum': 10}
    """
    found: dict[str, Any] = {_NUMBERS[name]: node.limits[name] for name in _NUMBERS if name in node.limits}
    for name in _SIZES:
        if name in node.limits:
            size = node.limits[name]
            # In base64 three bytes are four characters.
            found[name[:3] + _UNITS[type(node)]] = 4 * ((size + 2) // 3) if isinstance(node, Text) else size
    if "pattern" in node.limits:
        found["pattern"] = node.limits["pattern"]
    return found


# Values -------------------------------------------------------------------------------------------

_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "multiple_of": lambda value, unit: value % unit == 0,
    "min_length": lambda value, size: len(value) >= size,
    "max_length": lambda value, size: len(value) <= size,
    "pattern": matches,
    "tz": lambda value, wanted: _has_zone(value) is wanted,
}


def are_kept(limits: dict[str, Any], value: Any) -> bool:
    """Whether a value, as its class has it, keeps all limits."""
    return all(_CHECKS[name](value, bound) for name, bound in limits.items())


def describe_unlisted(node: Text) -> str | None:
    """What is expected of a text by limits for which JSON Schema has no words: a number of bytes, no time zone."""
    sizes = [f"{word} {node.limits[name]}" for name, word in _SIZE_WORDS.items() if name in node.limits]
    if sizes:
        return f"expected base64 of {' and '.join(sizes)} bytes in a string"
    return "expected a moment without a time zone" if node.limits.get("tz") is False else None


_SIZE_WORDS = {"min_length": "at least", "max_length": "at most"}


def _has_zone(value: datetime.datetime | datetime.time) -> bool:
    return value.tzinfo is not None
