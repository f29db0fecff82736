"""JSON values as Python values of a hint, or an error with a text for every place that does not fit.

msgspec converts a value directly where it agrees with us about the hint. Otherwise the value is converted as it is,
then as it was probably meant. The schema of the hint gives the text for places that do not fit.
"""

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import msgspec

from . import conversion, hint_schema, hints, node_schema, pydantic, repair, type_tree, wording
from .coercion_errors import CoercionError
from .explain import explain
from .keywords import has_our_format
from .native import is_read_exactly
from .nodes import Foreign, nodes_of
from .subschemas import Keys, Schema, with_definitions
from .validator import Validator

__all__ = ["Coercer", "coercer_of"]


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
