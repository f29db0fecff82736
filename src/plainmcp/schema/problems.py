"""The words for data and its places: the kind of a value, the allowed values, the path to a part.

Never repeats a value that came from outside, which may be a secret; only its kind is told.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

__all__ = ["Keys", "Misfit", "Name", "choice", "kind_of", "nearest", "options", "place"]

Keys = tuple[Any, ...]


class Name(str):
    """The last of the keys where the name of a member is wrong, and not what it holds."""

    __slots__ = ()


class Misfit(Exception):
    """A value does not fit its type: the keys that lead to each wrong place, and what an author's class said of it.

    Where nobody said anything, the schema knows what was expected.
    """

    def __init__(self, places: list[tuple[Keys, str | None]]) -> None:
        super().__init__(places)
        self.places = places


_MANY = 20  # how many allowed values are worth naming
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


def kind_of(value: Any) -> str:
    """What sort of JSON a value is, without the value.

    >>> kind_of("hunter2")
    'a string'
    """
    return _KINDS.get(type(value), "something that is not JSON")


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
