"""Whether one value, without what it holds, keeps the keywords of a JSON Schema: limits, allowed values, formats."""

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
    """The keywords that set a limit which a value does not keep; `check_format` tells of formats.

    >>> find_broken({"type": "integer", "minimum": 1, "maximum": 9}, 12, None)
    ['maximum']
    """
    found = [keyword for keyword, check in _CHECKS.items() if keyword in schema and not check(value, schema[keyword])]
    if check_format and "format" in schema and isinstance(value, str) and not check_format(schema["format"], value):
        found.append("format")
    return found


def is_among(value: Any, allowed: list[Any]) -> bool:
    """Whether a value is one of those allowed; to JSON true is no number."""
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed)


def identity_of(item: Any) -> bytes:
    """What an item has in common with those that are the same in JSON: 2.0 is 2, and names have no order."""
    same = int(item) if isinstance(item, float) and item.is_integer() else item
    return msgspec.json.encode(same, order="sorted")


def has_format(name: str, text: str) -> bool:
    """Whether a text is in a format, as JSON Schema has it; one that nobody knows is always kept."""
    import jsonschema_rs

    return bool(jsonschema_rs.is_valid({"format": name}, text, validate_formats=True))


def has_our_format(name: str, text: str) -> bool:
    """Whether a text is in a format, as we read it: a moment may lack its time zone."""
    return formats.is_in_format(name, text) if name in formats.NAMES else has_format(name, text)


def has_match(text: str, pattern: str) -> bool:
    """Whether a text has a pattern in it, as JSON Schema has it: in a moment, unless only Python knows the pattern.

    >>> has_match("a" * 100 + "!", "^(a+)+$")
    False
    """
    return _matcher(pattern)(text)


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Callable[[str], bool]:
    import jsonschema_rs

    try:
        found: Callable[[str], bool] = jsonschema_rs.validator_for({"pattern": pattern}).is_valid
    except ValueError:  # one with what only Python has, such as \Z: it may take long
        compiled = re.compile(pattern)
        return lambda text: compiled.search(text) is not None
    return found


def _are_different(value: Any, wanted: bool) -> bool:
    if not wanted or not isinstance(value, list):
        return True
    return len(set(map(identity_of, value))) == len(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(check_format: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A check of numbers; before draft 6 a limit could be true or false, which limits nothing by itself."""
    return lambda value, limit: not (_is_number(value) and _is_number(limit)) or check_format(value, limit)


def _size(kind: Any, check_format: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, size: not isinstance(value, kind) or check_format(len(value), size)


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": _number(operator.ge),
    "exclusiveMinimum": _number(operator.gt),
    "maximum": _number(operator.le),
    "exclusiveMaximum": _number(operator.lt),
    "multipleOf": _number(lambda value, unit: value % unit == 0),
    "minLength": _size(str, operator.ge),
    "maxLength": _size(str, operator.le),
    "pattern": lambda value, pattern: not isinstance(value, str) or has_match(value, pattern),
    "minItems": _size(list, operator.ge),
    "maxItems": _size(list, operator.le),
    "minProperties": _size(dict, operator.ge),
    "maxProperties": _size(dict, operator.le),
    "uniqueItems": _are_different,
}
