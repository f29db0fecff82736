"""JSON values as Python values of a hint, or an error with a text for every place that does not fit.

msgspec converts a value directly where it agrees with us about the hint. Otherwise the value is converted as it is,
then as it was probably meant. The schema of the hint gives the text for places that do not fit.
"""

from collections.abc import Callable
from enum import Flag
from functools import cache, cached_property
from typing import Any

import msgspec

from ..wire import codec
from . import conversion, hint_schema, hints, node_schema, pydantic, repair, type_tree, wording
from .coercion_errors import CoercionError
from .explain import explain
from .keywords import has_our_format
from .nodes import Alias, Anything, Choice, Foreign, Items, Members, Node, Record, Row, Scalar, Text, Union
from .records import record_of
from .subschemas import Keys, Schema, with_definitions
from .validator import Validator

__all__ = ["Coercer", "coercer_of", "is_read_exactly", "nodes_of"]


def coercer_of(hint: Any, lenient: bool) -> "Coercer":
    """The Coercer of a hint; raises AuthorError for a hint that cannot be read from JSON.

    `lenient` accepts JSON that is slightly wrong, such as a list in a string, where it is clear what was meant.

    >>> coercer_of(list[int], lenient=True)("[1, 2]")
    [1, 2]
    """
    return _atom_coercer_of(hint, lenient) if hints.is_atom(hint) else Coercer(hint, lenient)


class Coercer:
    """Converts JSON values to Python values of one hint."""

    def __init__(self, hint: Any, lenient: bool) -> None:
        self._hint = hint
        self._lenient = lenient
        self._node = type_tree.tree_of(hint)
        parts = [part for part in nodes_of(self._node) if isinstance(part, Foreign)]
        self._foreign: dict[int, Callable[[Any], Any]] = {
            id(part): pydantic.converter_of(part.hint, lenient=lenient) for part in parts
        }
        self.is_native = is_read_exactly(hint, self._node, lenient)

    @cached_property
    def _schema(self) -> Schema:
        return with_definitions(*hint_schema.for_input(self._hint))

    @cached_property
    def _outline(self) -> Schema:
        """The schema by which values are repaired; it leaves out what is inside the types of pydantic."""
        return with_definitions(*node_schema.schema_of(self._node, is_input=True, outline=True))

    @cached_property
    def _validator(self) -> Validator | None:
        """Makes sure that pydantic accepts only values that fit the listed schema, unless the coercer is lenient."""
        if self._lenient or not self._foreign:
            return None
        return Validator(with_definitions(*hint_schema.for_input(self._hint, keep_null=True)), formats=False)

    @property
    def expected(self) -> str:
        """The values of the hint, in words."""
        return wording.describe(self._schema, self._schema)

    def __call__(self, value: Any) -> Any:
        """The Python value of a JSON value; raises CoercionError, which has a text for every place."""
        if self.is_native:
            try:
                return msgspec.convert(value, self._hint)
            except Exception:  # the conversion below finds the reason and reports it better
                pass
        try:
            return self._convert(value)
        except Exception as error:
            refusal = error
        repaired = repair.repair(self._outline, value, lenient=self._lenient)
        if repaired is not value:
            try:
                return self._convert(repaired)
            except Exception as error:
                refusal = error
        raise self._explain(refusal, repaired)

    def _convert(self, value: Any) -> Any:
        problems = [] if self._validator is None else self._validator.find_problems(value)
        if problems:
            raise CoercionError([(problem.keys, problem.text) for problem in problems])
        return conversion.convert(self._node, value, self._foreign)

    def _explain(self, refusal: Exception, value: Any) -> Exception:
        """A refusal with a text for every place.

        Code of an author may have failed for a value that does not fit; if it fits, the error is the author's own.
        """
        if not isinstance(refusal, CoercionError):
            problems = explain(self._schema, value, check_format=has_our_format)
            return CoercionError([(problem.keys, problem.text) for problem in problems]) if problems else refusal
        with_text = [(keys, text) for keys, text in refusal.places if text is not None]
        # A text of an author's class about a part is reason enough for the whole not to fit.
        without_text = [
            keys
            for keys, text in refusal.places
            if text is None and not any(_is_below(other, keys) for other, _ in with_text)
        ]
        problems = explain(self._schema, value, without_text, check_format=has_our_format) if without_text else []
        places = with_text + [(problem.keys, problem.text) for problem in problems]
        places = places or [((), f"expected {self.expected}")]
        return CoercionError(sorted(dict.fromkeys(places), key=lambda place: _position_of(place[0], value)))


@cache
def _atom_coercer_of(hint: Any, lenient: bool) -> Coercer:
    """One Coercer for all parameters of a hint: there may be thousands."""
    return Coercer(hint, lenient)


def _is_below(keys: Keys, whole: Keys) -> bool:
    return keys[: len(whole)] == whole


def _position_of(keys: Keys, value: Any) -> list[int]:
    """The position of a place in a value, for sorting; missing members come first."""
    position = []
    for key in keys:
        at = -1
        if isinstance(value, dict) and key in value:
            at, value = list(value).index(key), value[key]
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            at, value = key, value[key]
        position.append(at)
    return position


# Types that msgspec reads exactly ------------------------------------------------------------------


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


def nodes_of(node: Node) -> list[Node]:
    """A node and all nodes inside it, each once."""
    nodes: dict[int, Node] = {}
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if id(here) in nodes:
            continue
        nodes[id(here)] = here
        waiting += _parts_of(here)
    return list(nodes.values())


def _parts_of(node: Node) -> list[Node]:
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
    record = record_of(hint)
    return record is not None and record.is_plain
