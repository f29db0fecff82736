"""The hints that msgspec alone reads as we do. Knows nodes; the values of all other hints are converted by us."""

from enum import Flag
from typing import Any

from ..wire import codec
from .nodes import Alias, Anything, Choice, Items, Members, Node, Record, Row, Scalar, Text, Union, nodes_of
from .records import record_of

__all__ = ["is_read_exactly"]


def is_read_exactly(hint: Any, node: Node, lenient: bool) -> bool:
    """Whether msgspec accepts the same values of a hint as we do and gives the same results; `node` is its tree.

    >>> from plainmcp.schema.type_tree import tree_of
    >>> is_read_exactly(list[int], tree_of(list[int]), lenient=True)
    True
    """
    for part in nodes_of(node):
        # It accepts a set with the same item twice, as we do where we are lenient.
        if not _is_exact(part) or (isinstance(part, Items) and part.unique and not lenient):
            return False
    try:
        codec.decoder_of(hint)
    except TypeError:
        return False
    return True


# msgspec 0.22 corrupts its memory for some unions: one that holds a fixed tuple beside a type with limits, or a
# pattern beside an array or an object. No union of several types with limits is given to it.
def _is_dangerous(node: Node) -> bool:
    if not isinstance(node, Union):
        return False
    several = [one for one in node.members if not (isinstance(one, Scalar) and one.json is type(None))]
    return len(several) > 1 and any(one.limits for one in several)


_EXACT_FORMATS = frozenset({"date-time", "date", "time", "duration", "uuid", "base64"})


def _is_exact(node: Node) -> bool:
    match node:
        case Scalar():
            return node.kind is node.json and "pattern" not in node.limits  # Python needs minutes for some patterns
        case Text():
            return node.format.name in _EXACT_FORMATS
        case Choice():
            return not (isinstance(node.kind, type) and issubclass(node.kind, Flag))
        case Items():
            return node.make in (list, tuple, set, frozenset)
        case Row():
            return node.kind is None or _is_plain(node.kind)
        case Members():
            return node.make is dict and _is_text(node.key)
        case Record():
            return _is_plain(node.kind)
        case Anything():
            return True
        case Alias():
            return not _contains_itself(node)
        case Union():
            return not _is_dangerous(node)
    return False


def _contains_itself(node: Alias) -> bool:
    """Whether an alias contains itself: msgspec would unfold it without an end."""
    return any(part is node for part in nodes_of(node.inner))


def _is_text(key: Node) -> bool:
    return isinstance(key, Anything) or (isinstance(key, Scalar) and key.json is str)


def _is_plain(hint: Any) -> bool:
    record = record_of(hint)
    return record is not None and record.is_plain
