"""Checks of one value, without its parts, by the keywords of a JSON Schema: limits, allowed values, formats."""

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from . import formats
from .subschemas import Schema

__all__ = ["FormatCheck", "find_broken", "has_format", "has_match", "has_our_format", "identity_of", "is_among"]

FormatCheck = Callable[[str, str], bool]
"""Whether a text is in a format."""


def find_broken(schema: Schema, value: Any, check_format: FormatCheck | None) -> list[str]:
    """The keywords that a value breaks; `check_format` checks formats.

    >>> find_broken({"type": "integer", "minimum": 1, "maximum": 9}, 12, None)
    ['maximum']
    """
    broken = [
        keyword for keyword, check in _CHECKS.items() if keyword in schema and not check(value, schema[keyword])
    ]
    if check_format and "format" in schema and isinstance(value, str) and not check_format(schema["format"], value):
        broken.append("format")
    return broken


def is_among(value: Any, allowed: list[Any]) -> bool:
    """Whether a value is one of the allowed ones; in JSON true is not a number."""
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed)


def identity_of(item: Any) -> bytes:
    """Bytes that are equal for items that are equal in JSON: 2.0 is 2, and names have no order."""
    number = int(item) if isinstance(item, float) and item.is_integer() else item
    return msgspec.json.encode(number, order="sorted")


def has_format(name: str, text: str) -> bool:
    """Whether a text is in a format of JSON Schema; an unknown format allows any text."""
    import jsonschema_rs

    return bool(jsonschema_rs.is_valid({"format": name}, text, validate_formats=True))


def has_our_format(name: str, text: str) -> bool:
    """Whether a text is in a format as we read it: a date and time needs no time zone."""
    return formats.is_in_format(name, text) if name in formats.NAMES else has_format(name, text)


def has_match(text: str, pattern: str) -> bool:
    """Whether a pattern of JSON Schema matches a text; this is fast, unless only Python knows the pattern.

    >>> has_match("a" * 100 + "!", "^(a+)+$")
    False
    """
    return _matcher_of(pattern)(text)


@lru_cache(maxsize=1024)
def _matcher_of(pattern: str) -> Callable[[str], bool]:
    import jsonschema_rs

    try:
        matcher: Callable[[str], bool] = jsonschema_rs.validator_for({"pattern": pattern}).is_valid
    except ValueError:  # a pattern that only Python has, such as \Z: it may take long
        compiled = re.compile(pattern)
        return lambda text: compiled.search(text) is not None
    return matcher


def _is_unique(value: Any, required: bool) -> bool:
    if not required or not isinstance(value, list):
        return True
    return len(set(map(identity_of, value))) == len(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number_check(check_format: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A check of numbers; before draft 6 a limit could be true or false, which is not a limit by itself."""
    return lambda value, limit: not (_is_number(value) and _is_number(limit)) or check_format(value, limit)


def _size_check(kind: Any, check_format: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, size: not isinstance(value, kind) or check_format(len(value), size)


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": _number_check(operator.ge),
    "exclusiveMinimum": _number_check(operator.gt),
    "maximum": _number_check(operator.le),
    "exclusiveMaximum": _number_check(operator.lt),
    "multipleOf": _number_check(lambda value, unit: value % unit == 0),
    "minLength": _size_check(str, operator.ge),
    "maxLength": _size_check(str, operator.le),
    "pattern": lambda value, pattern: not isinstance(value, str) or has_match(value, pattern),
    "minItems": _size_check(list, operator.ge),
    "maxItems": _size_check(list, operator.le),
    "minProperties": _size_check(dict, operator.ge),
    "maxProperties": _size_check(dict, operator.le),
    "uniqueItems": _is_unique,
}
