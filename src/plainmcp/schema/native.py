"""Which types msgspec reads just as we do, so that it may read them at once.

msgspec 0.22 mixes up its own memory for some unions: one that holds a fixed tuple beside a type with limits, or a
pattern beside an array or an object. No union of several types with limits is given to it.
"""

from enum import Flag
from typing import Any

from ..wire import codec
from .constructors import constructor_of
from .nodes import Alias, Anything, Choice, Items, Members, Node, Record, Row, Scalar, Text, Union

__all__ = ["nodes_of", "reads_exactly"]


def reads_exactly(hint: Any, node: Node, lenient: bool) -> bool:
    """Whether msgspec takes nothing of a hint, given with its tree, that we would not, and makes the same of it.

    >>> from plainmcp.schema.type_tree import tree_of
    >>> reads_exactly(list[int], tree_of(list[int]), lenient=True)
    True
    """
    for part in nodes_of(node):
        # It takes an item of a set twice, as we do where we are lenient.
        if not _is_exact(part) or (isinstance(part, Items) and part.unique and not lenient):
            return False
    try:
        codec.decoder_of(hint)
    except TypeError:
        return False
    return True


def nodes_of(node: Node) -> list[Node]:
    """A node and all that it holds, each once."""
    found: dict[int, Node] = {}
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if id(here) in found:
            continue
        found[id(here)] = here
        waiting += _inside(here)
    return list(found.values())


def _inside(node: Node) -> list[Node]:
    match node:
        case Items():
            return [node.item]
        case Row():
            return [one.node for one in node.items]
        case Members():
            return [node.key, node.value]
        case Record():
            return [one.node for one in node.fields.values()]
        case Union():
            return node.members
        case Alias():
            return [node.inner]
    return []


def _is_dangerous(node: Node) -> bool:
    if not isinstance(node, Union):
        return False
    several = [one for one in node.members if not (isinstance(one, Scalar) and one.json is type(None))]
    return len(several) > 1 and any(one.limits for one in several)


_EXACT_FORMATS = frozenset({"date-time", "date", "time", "duration", "uuid", "base64"})


def _is_exact(node: Node) -> bool:
    match node:
        case Scalar():
            return node.kind is node.json and "pattern" not in node.limits  # some patterns take Python minutes
        case Text():
            return node.format.name in _EXACT_FORMATS
        case Choice():
            return not (isinstance(node.kind, type) and issubclass(node.kind, Flag))
        case Items():
            return node.make in (list, tuple, set, frozenset)
        case Row():
            return node.kind is None or _is_plain(node.kind)
        case Members():
            return node.make is dict and isinstance(node.key, (Anything, Scalar)) and _is_text(node.key)
        case Record():
            return _is_plain(node.kind)
        case Anything() | Alias():
            return True
        case Union():
            return not _is_dangerous(node)
    return False


def _is_text(key: Anything | Scalar) -> bool:
    return isinstance(key, Anything) or key.json is str


def _is_plain(hint: Any) -> bool:
    how = constructor_of(hint)
    return how is not None and how.is_plain
