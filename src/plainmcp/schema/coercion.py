"""One JSON value -> the Python value a hint asks for, or everything that is wrong with it, in words.

At once where msgspec reads the hint just as we do; else with care: as it is, then as it was probably meant. Its
schema says what was expected where it does not fit.
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
from .records import constructor_of
from .subschemas import Keys, Schema
from .validator import Validator

__all__ = ["Coercer", "coercer_of", "nodes_of", "reads_exactly"]


def coercer_of(hint: Any, lenient: bool) -> "Coercer":
    """What reads values of a hint; raises AuthorError for a hint that nothing reads.

    `lenient` takes JSON that is slightly off, such as a list in a string, where there is no doubt what was meant.

    >>> coercer_of(list[int], lenient=True)("[1, 2]")
    [1, 2]
    """
    return _atom_coercer_of(hint, lenient) if hints.is_atom(hint) else Coercer(hint, lenient)


class Coercer:
    """What reads values of one hint."""

    def __init__(self, hint: Any, lenient: bool) -> None:
        self._hint = hint
        self._lenient = lenient
        self._node = type_tree.tree_of(hint)
        parts = [part for part in nodes_of(self._node) if isinstance(part, Foreign)]
        self._foreign: dict[int, Callable[[Any], Any]] = {
            id(part): pydantic.converter_of(part.hint, lenient=lenient) for part in parts
        }
        self.is_native = reads_exactly(hint, self._node, lenient)

    @cached_property
    def _schema(self) -> Schema:
        found, definitions = hint_schema.for_input(self._hint)
        return {**found, "$defs": definitions} if definitions else found

    @cached_property
    def _outline(self) -> Schema:
        """What values are repaired by; inside of its types pydantic is as lenient as their authors want it to be."""
        found, definitions = node_schema.schema_of(self._node, is_input=True, outline=True)
        return {**found, "$defs": definitions}

    @cached_property
    def _validator(self) -> Validator | None:
        """What makes sure that pydantic takes only what is listed, where nothing else is to be taken."""
        if self._lenient or not self._foreign:
            return None
        found, definitions = hint_schema.for_input(self._hint, keep_null=True)
        return Validator({**found, "$defs": definitions}, formats=False)

    @property
    def expected(self) -> str:
        """What the hint takes, in words."""
        return wording.describe(self._schema, self._schema)

    def __call__(self, value: Any) -> Any:
        """What a value stands for; raises Misfit, which has words for every place."""
        if self.is_native:
            try:
                return msgspec.convert(value, self._hint)
            except Exception:  # whatever it was: those who read with care find out, and say it better
                pass
        try:
            return self._convert(value)
        except Exception as error:
            refusal = error
        meant = repair.repair(self._outline, value, lenient=self._lenient)
        if meant is not value:
            try:
                return self._convert(meant)
            except Exception as error:
                refusal = error
        raise self._explain(refusal, meant)

    def _convert(self, value: Any) -> Any:
        if self._validator is not None:
            broken = self._validator.find_problems(value)
            if broken:
                raise CoercionError([(one.keys, one.text) for one in broken])
        return conversion.convert(self._node, value, self._foreign)

    def _explain(self, refusal: Exception, value: Any) -> Exception:
        """A refusal with words for every place.

        Code of the author's that fails may have been given what it could not expect; else it is the author's to know.
        """
        if not isinstance(refusal, CoercionError):
            broken = explain(self._schema, value, check_format=has_our_format)
            return CoercionError([(one.keys, one.text) for one in broken]) if broken else refusal
        told = [(keys, said) for keys, said in refusal.places if said is not None]
        # What an author's class said of a part is reason enough for the whole not to fit.
        silent = [
            keys for keys, said in refusal.places if said is None and not any(_is_below(one, keys) for one, _ in told)
        ]
        found = explain(self._schema, value, silent, check_format=has_our_format) if silent else []
        places = told + [(one.keys, one.text) for one in found] or [((), f"expected {self.expected}")]
        return CoercionError(sorted(dict.fromkeys(places), key=lambda place: _position_of(place[0], value)))


@cache
def _atom_coercer_of(hint: Any, lenient: bool) -> Coercer:
    """One for all parameters of a hint: there may be thousands."""
    return Coercer(hint, lenient)


def _is_below(keys: Keys, whole: Keys) -> bool:
    return keys[: len(whole)] == whole


def _position_of(keys: Keys, value: Any) -> list[int]:
    """Where a place stands in a value; what is missing stands first."""
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
