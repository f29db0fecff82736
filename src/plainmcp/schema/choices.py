"""Which of several types a value was probably meant for, by its kind, its tag and its names."""

from typing import Any

from . import paths
from .nodes import Alias, Choice, Foreign, Items, Members, Node, Record, Row, Scalar

__all__ = ["distance", "is_meant"]


def distance(node: Node, value: Any) -> tuple[bool, int]:
    """How far a value is from a type that may fit it: whether it has to change, how many names are unknown."""
    node = node.inner if isinstance(node, Alias) else node
    changes = isinstance(node, Scalar) and {type(value), node.json} == {int, float}
    unknown = 0
    if isinstance(value, dict) and isinstance(node, Record):
        unknown = len(value.keys() - node.fields)
    elif isinstance(value, dict) and isinstance(node, Foreign):
        unknown = min(paths.count_unknown(one, value) for one in paths.branches(node.schema, node.schema))
    return changes, unknown


def is_meant(node: Node, value: Any) -> bool:
    """Whether a value could have been meant as this type: of its kind, and not tagged as another."""
    node = node.inner if isinstance(node, Alias) else node
    if isinstance(node, Foreign):
        choices = paths.branches(node.schema, node.schema)
        return any(paths.could_be_meant(node.schema, one, value) for one in choices)
    if isinstance(value, dict):
        return isinstance(node, Members) or (isinstance(node, Record) and not _is_tagged_otherwise(node, value))
    if isinstance(value, list):
        return isinstance(node, (Items, Row))
    return isinstance(node, Scalar) and isinstance(value, node.json)


def _is_tagged_otherwise(node: Record, value: dict[str, Any]) -> bool:
    chosen = [(field.node, value[wire]) for wire, field in node.fields.items() if wire in value]
    return any(isinstance(one, Choice) and all(given != json for json, _ in one.options) for one, given in chosen)
