"""What a model meant by JSON that is slightly off: the list in a string, the integer in 3.0, the number of a Decimal.

Reads schemas, so it is the same for every type. Changes a value only where it cannot be meant as it is.
"""

from typing import Any

import msgspec

from .keywords import has_our_format, identity_of
from .matching import allowed_values_of, branches_of, can_hold, choices_inside, likely_choices
from .subschemas import Schema

__all__ = ["repair"]

MAX_STEPS = 10_000
"""How many parts of one value are looked at."""

_NUMBERS_IN_TEXT = ("decimal",)


def repair(schema: Schema, value: Any, *, lenient: bool) -> Any:
    """A value as it was probably meant by a schema; the value itself where nothing is to be changed.

    Without `lenient` only 3.0 becomes 3, which to JSON Schema is the same number.

    >>> repair({"type": "array", "items": {"type": "integer"}}, '[1, "2", 3.0]', lenient=True)
    [1, 2, 3]
    """
    return _Repair(schema, lenient).part(branches_of(schema, schema), value)


class _Repair:
    """One value on its way through a schema."""

    def __init__(self, root: Schema, lenient: bool) -> None:
        self._root = root
        self._lenient = lenient
        self._steps = 0

    def part(self, choices: list[Any], value: Any) -> Any:
        """A part of the value, for which any of these schemas may speak."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            return value
        if self._lenient and isinstance(value, str) and not any(_takes_text(one, value) for one in choices):
            value = self._json_in(choices, value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._number(choices, value)
        if isinstance(value, list):
            mended = self._parts(choices, value, enumerate(value))
            return _distinct(mended) if self._lenient and any(map(_is_for_sets, choices)) else mended
        if isinstance(value, dict):
            return self._parts(likely_choices(self._root, choices, value) or choices, value, value.items())
        return value

    def _parts(self, choices: list[Any], value: Any, parts: Any) -> Any:
        mended = {key: self.part(choices_inside(self._root, choices, key), item) for key, item in parts}
        if all(mended[key] is value[key] for key in mended):
            return value
        return mended if isinstance(value, dict) else list(mended.values())

    def _json_in(self, choices: list[Any], value: str) -> Any:
        """The JSON in a string; a list or an object even if something in it is wrong, which is worth telling."""
        try:
            meant = msgspec.json.decode(value)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return value
        if isinstance(meant, (int, float)) and not isinstance(meant, bool):
            meant = self._number(choices, meant)
        fits = type(meant) is not str and any(can_hold(one, meant) for one in choices)
        return meant if fits or isinstance(meant, (list, dict)) else value

    def _number(self, choices: list[Any], value: int | float) -> Any:
        """A number as the integer, or the number in a string, that it was meant as."""
        if isinstance(value, float) and value.is_integer() and _is_for_integers(choices):
            return int(value)
        formats = [one.get("format") for one in choices if isinstance(one, dict)] if self._lenient else []
        if any(name in _NUMBERS_IN_TEXT for name in formats) and not any(can_hold(one, value) for one in choices):
            return str(value)
        return value


def _is_for_sets(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get("uniqueItems"))


def _distinct(items: list[Any]) -> list[Any]:
    """A list without what is in it again."""
    found = {identity_of(item): item for item in reversed(items)}
    return items if len(found) == len(items) else list(reversed(found.values()))


def _is_for_integers(choices: list[Any]) -> bool:
    """Whether integers are taken, and no other numbers."""
    return any(can_hold(one, 1) for one in choices) and not any(can_hold(one, 1.5) for one in choices)


def _takes_text(schema: Any, text: str) -> bool:
    """Whether a string could be meant as a string."""
    if not isinstance(schema, dict) or not can_hold(schema, ""):
        return schema is True
    if allowed_values_of(schema) is not None:
        return True
    return "contentEncoding" not in schema and ("format" not in schema or has_our_format(schema["format"], text))
