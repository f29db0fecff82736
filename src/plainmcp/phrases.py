"""What is wrong with data, in words a model or an author can act on: its kind, its place, what was expected.

Never repeats a value that came from outside, which may be a secret; only its kind is told.
"""

import datetime
import inspect
import re
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import msgspec

from . import hints

__all__ = [
    "Keys",
    "Misfit",
    "allowed_values",
    "choice",
    "expected",
    "kind_of",
    "named",
    "nearest",
    "options",
    "place",
    "refused",
    "unless_told",
]

Keys = tuple[Any, ...]


class Misfit(Exception):
    """A value does not fit its hint; `problems` are the keys that lead to what is wrong, and what is."""

    def __init__(self, problems: list[tuple[Keys, str]]) -> None:
        super().__init__(problems)
        self.problems = problems


_MANY = 20  # how many allowed values, or fields, are worth naming
_LONG = 64  # how long a name may be that somebody else chose

_KINDS: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
    list: "an array",
    dict: "an object",
}
_WORDS: dict[Any, str] = {
    **_KINDS,
    Any: "any value",
    inspect.Parameter.empty: "any value",
    bool: "true or false",
    datetime.datetime: "a date and time such as 2026-07-28T12:00:00Z",
    datetime.date: "a date such as 2026-07-28",
    datetime.time: "a time such as 12:00:00",
    datetime.timedelta: "a duration such as PT1H30M",
    UUID: "a UUID",
    Decimal: "a decimal number in a string",
    bytes: "base64 in a string",
    bytearray: "base64 in a string",
}
_PLURALS = {str: "strings", int: "integers", float: "numbers", bool: "booleans", dict: "objects"}
_JSON_NAMES = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
    "array": "an array",
    "object": "an object",
}


def kind_of(value: Any) -> str:
    """What sort of JSON a value is, without the value.

    >>> kind_of("hunter2")
    'a string'
    """
    return _KINDS.get(type(value), "something that is not JSON")


def named(types: Iterable[str]) -> str:
    """JSON Schema's names for types, in words."""
    return choice(_JSON_NAMES.get(name, name) for name in types)


def choice(phrases: Iterable[str]) -> str:
    """Several things that would do.

    >>> choice(["a string", "null"])
    'a string or null'
    """
    return " or ".join(dict.fromkeys(phrases))


def options(values: Iterable[Any]) -> str:
    """The allowed values.

    >>> options(["c", "f"])
    'one of "c", "f"'
    """
    allowed = list(values)
    shown = ", ".join(msgspec.json.encode(value, enc_hook=repr).decode() for value in allowed[:_MANY])
    more = f" and {len(allowed) - _MANY} more" if len(allowed) > _MANY else ""
    return f"one of {shown}{more}" if len(allowed) > 1 else shown


def nearest(value: Any, allowed: Iterable[Any]) -> str | None:
    """The allowed text that looks most like a given one, if any does."""
    if not isinstance(value, str) or len(value) > _LONG:
        return None
    from difflib import get_close_matches

    texts = {text.lower(): text for text in allowed if isinstance(text, str)}
    found = get_close_matches(value.lower(), texts, 1)
    return texts[found[0]] if found else None


def place(keys: Iterable[Any], root: str = "") -> str:
    """Where in some data: `user.tags[0]`, or `$.user.tags[0]` from a root that has no name.

    >>> place(["user", "tags", 0])
    'user.tags[0]'
    """
    parts = [root]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        elif len(str(key)) > _LONG:
            parts.append(f".(a name of {len(str(key))} characters)")
        else:
            parts.append(f".{key}" if re.fullmatch(r"[\w-]+", str(key), re.ASCII) else f"[{key!a}]")
    return "".join(parts).removeprefix("." if not root else "")


# Hints --------------------------------------------------------------------------------------------


def expected(hint: Any) -> str:
    """What a hint takes.

    >>> expected(list[int] | None)
    'an array of integers or null'
    """
    if hints.is_union(hint):
        return choice(map(expected, hints.members(hint)))
    inner = hints.bare(hint)
    allowed = allowed_values(inner)
    if allowed:
        return options(allowed)
    if inner in _WORDS:
        return _WORDS[inner]
    if hints.is_record(inner):
        return _record(inner)
    return _collection(inner)


def allowed_values(hint: Any) -> list[Any]:
    """The values of a Literal or an Enum, or of those among the choices of a union; else nothing."""
    found: list[Any] = []
    for member in map(hints.bare, hints.members(hint)):
        if get_origin(member) is Literal:
            found += get_args(member)
        elif isinstance(member, type) and issubclass(member, Enum):
            found += [one.value for one in member]
    return found


def _record(kind: Any) -> str:
    names = [name for name, (_, required) in hints.fields(kind, given=True).items() if required]
    return f"an object with {', '.join(names[:_MANY])}" if names else "an object"


def _collection(hint: Any) -> str:
    kind = get_origin(hint) or hint
    if not isinstance(kind, type):
        return "any value"
    text = hints.text_type(kind)
    if text is not None:
        return f"a string in {text['format']} format" if "format" in text else "a string"
    if issubclass(kind, Mapping):
        return "an object"
    if not issubclass(kind, (Collection, msgspec.Struct)):
        return "a value of another shape"
    args = get_args(hint)
    plural = _PLURALS.get(hints.bare(args[0])) if args else None
    return f"an array of {plural}" if plural and args[1:] in ((), (...,)) else "an array"


# Other people's words -----------------------------------------------------------------------------

_LIMIT = re.compile(r"Expected `(\w+)` (.+)")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_NAMES = {"int": "an integer", "str": "a string", "float": "a number", "array": "an array", "object": "an object"}


def refused(hint: Any, value: Any, said: str) -> str:
    """What msgspec said of a value that is no such thing as the hint; its own words may repeat the value."""
    said = said.partition(" - at ")[0]
    if limit := _LIMIT.fullmatch(said):
        return f"expected {_NAMES.get(limit[1], limit[1])} {limit[2]}"
    if unknown := _UNKNOWN.fullmatch(said):
        return f"there is no field {place([unknown[1]])}"
    wanted = f"expected {expected(hint)}"
    if said.startswith("Invalid"):
        near = nearest(value, allowed_values(hint))
        return wanted if near is None else f"{wanted}; did you mean {options([near])}?"
    if said.startswith(("Expected", "Object", "Integer", "Number", "'utf-8'")):
        return f"{wanted}, got {kind_of(value)}"
    return unless_told(said, value) or wanted  # a class of the author's own spoke


def unless_told(text: str, value: Any) -> str | None:
    """The first line of what somebody said of a value, if nothing of the value is in it; else None."""
    line = text.partition("\n")[0][:200]
    waiting = [value]
    for _ in range(1_000):
        if not waiting:
            return line
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        elif len(str(part)) > 2 and str(part) in line:
            return None
    return None
