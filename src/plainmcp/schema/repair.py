"""Repairs of JSON that is slightly wrong: a list in a string, 3.0 for an integer, a number for a Decimal.

Works by schemas, so it is the same for every type. Changes a value only where it cannot be meant as it is.
"""

from typing import Any

from .keywords import has_our_format, identity_of
from .matching import allowed_values_of, branches_of, can_hold, choices_inside, decode_text, likely_choices
from .subschemas import Schema

__all__ = ["repair"]

MAX_STEPS = 10_000
"""How many parts of one value are checked."""

_NUMBERS_IN_TEXT = ("decimal",)


def repair(schema: Schema, value: Any, *, lenient: bool) -> Any:
    """A value as it was probably meant; the value itself where nothing has to change.

    Without `lenient` only 3.0 becomes 3, which is the same number in JSON Schema.

    >>> repair({"type": "array", "items": {"type": "integer"}}, '[1, "2", 3.0]', lenient=True)
    [1, 2, 3]
    """
    return _Repair(schema, lenient).repair_part(branches_of(schema, schema), value)


class _Repair:
    """The repair of one value."""

    def __init__(self, root: Schema, lenient: bool) -> None:
        self._root = root
        self._lenient = lenient
        self._steps = 0

    def repair_part(self, choices: list[Any], value: Any) -> Any:
        """A part of the value, repaired; any of these schemas may be for it."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            return value
        if self._lenient and isinstance(value, str) and not any(_can_be_text(one, value) for one in choices):
            value = self._decode_text(choices, value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._repair_number(choices, value)
        if isinstance(value, list):
            repaired = self._repair_parts(choices, value, enumerate(value))
            return _drop_duplicates(repaired) if self._lenient and any(map(_is_for_sets, choices)) else repaired
        if isinstance(value, dict):
            return self._repair_parts(likely_choices(self._root, choices, value) or choices, value, value.items())
        return value

    def _repair_parts(self, choices: list[Any], value: Any, parts: Any) -> Any:
        repaired = {key: self.repair_part(choices_inside(self._root, choices, key), item) for key, item in parts}
        if all(repaired[key] is value[key] for key in repaired):
            return value
        return repaired if isinstance(value, dict) else list(repaired.values())

    def _decode_text(self, choices: list[Any], value: str) -> Any:
        """The JSON in a string; a list or an object even if it does not fit, so that its problems are reported."""
        decoded = decode_text(value)
        if isinstance(decoded, (int, float)) and not isinstance(decoded, bool):
            decoded = self._repair_number(choices, decoded)
        fits = type(decoded) is not str and any(can_hold(one, decoded) for one in choices)
        return decoded if fits or isinstance(decoded, (list, dict)) else value

    def _repair_number(self, choices: list[Any], value: int | float) -> Any:
        """A number as an integer, or as a string, if that was meant."""
        if isinstance(value, float) and value.is_integer() and _is_for_integers(choices):
            return int(value)
        formats = [one.get("format") for one in choices if isinstance(one, dict)] if self._lenient else []
        if any(name in _NUMBERS_IN_TEXT for name in formats) and not any(can_hold(one, value) for one in choices):
            return str(value)
        return value


def _is_for_sets(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get("uniqueItems"))


def _drop_duplicates(items: list[Any]) -> list[Any]:
    """A list without repeated items."""
    items_by_identity = {identity_of(item): item for item in reversed(items)}
    return items if len(items_by_identity) == len(items) else list(reversed(items_by_identity.values()))


def _is_for_integers(choices: list[Any]) -> bool:
    """Whether the schemas allow integers, and no other numbers."""
    return any(can_hold(one, 1) for one in choices) and not any(can_hold(one, 1.5) for one in choices)


def _can_be_text(schema: Any, text: str) -> bool:
    """Whether a string may be meant as a string."""
    if not isinstance(schema, dict) or not can_hold(schema, ""):
        return schema is True
    if allowed_values_of(schema) is not None:
        return True
    return "contentEncoding" not in schema and ("format" not in schema or has_our_format(schema["format"], text))
