"""Words for models to act on: what a schema expects, the type of a value, the allowed values, the path of a place.

Never repeats a value that came from outside, which may be a secret; only its type is named.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from .matching import allowed_values_of, follow
from .subschemas import INTEGER_NAME, NUMBER_NAME, Schema

__all__ = ["describe", "describe_kind", "describe_values", "find_nearest", "format_path", "join_choices"]

_MANY = 20  # how many fields or allowed values are named
_TYPES = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
    "array": "an array",
    "object": "an object",
}
_PLURALS = {
    "string": "strings",
    "boolean": "booleans",
    "integer": "integers",
    "number": "numbers",
    "object": "objects",
    "array": "arrays",
}
_PATTERNS = {INTEGER_NAME: "an integer", NUMBER_NAME: "a number"}
_FORMATS = {
    "date-time": "a date and time such as 2026-07-28T12:00:00Z",
    "date": "a date such as 2026-07-28",
    "time": "a time such as 12:00:00",
    "partial-time": "a time such as 12:00:00",
    "duration": "a duration such as PT1H30M",
    "uuid": "a UUID",
    "decimal": "a decimal number in a string",
    "fraction": "a fraction such as 1/3 in a string",
    "regex": "a regular expression",
    "zoneinfo": "a time zone such as Europe/Oslo",
    "complex": "a complex number such as 1+2j in a string",
    "uri": "a URL such as https://example.com",
    "email": "an email address",
    "path": "a path",
    "file-path": "the path of a file",
    "directory-path": "the path of a directory",
    "json-string": "JSON in a string",
    "password": "a string",
    "binary": "a string",
}


def describe(root: Schema, schema: Any) -> str:
    """The values that a schema allows, in words; `root` holds the schemas it refers to.

    >>> describe({}, {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'an integer >= 1 or null'
    """
    here = follow(root, schema)
    if not isinstance(here, dict):
        return "any value" if here else "nothing"
    for union in ("anyOf", "oneOf"):
        if isinstance(here.get(union), list) and "type" not in here:
            return join_choices(describe(root, one) for one in here[union])
    allowed = allowed_values_of(here)
    if allowed is not None:
        return describe_values(allowed)
    types = here.get("type", _implied_type_of(here))
    if types is None:
        parts = [one for one in here.get("allOf", ()) if isinstance(one, dict)]
        return describe(root, parts[0]) if parts else "any value"
    return join_choices(_describe_type(root, here, one) for one in ([types] if isinstance(types, str) else types))


def _implied_type_of(schema: Schema) -> str | None:
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else None


def _describe_type(root: Schema, schema: Schema, kind: str) -> str:
    match kind:
        case "integer" | "number":
            return _TYPES[kind] + _describe_range(schema)
        case "string":
            return _describe_string(schema)
        case "array":
            return _describe_array(root, schema)
        case "object":
            return _describe_object(schema)
    return _TYPES.get(kind, kind)


_COMPARED = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


def _describe_range(schema: Schema) -> str:
    limits = [f"{sign} {schema[name]}" for name, sign in _COMPARED.items() if name in schema]
    if "multipleOf" in schema:
        limits.append(f"a multiple of {schema['multipleOf']}")
    joined = " and ".join(limits)
    return f" {joined}" if limits and limits[0][0] in "<>" else f", {joined}" if limits else ""


def _describe_string(schema: Schema) -> str:
    if schema.get("pattern") in _PATTERNS:
        return _PATTERNS[schema["pattern"]]
    if schema.get("contentEncoding") == "base64":
        words = "base64 in a string"
    elif "format" in schema:
        words = _FORMATS.get(schema["format"], f"a string in {schema['format']} format")
    else:
        words = "a string"
    size = _describe_size(schema.get("minLength"), schema.get("maxLength"), "characters")
    words += f" of {size}" if size and words == "a string" else ""
    return f"{words} matching {schema['pattern']}" if "pattern" in schema else words


def _describe_array(root: Schema, schema: Schema) -> str:
    items = follow(root, schema.get("items"))
    kind = items.get("type") if isinstance(items, dict) else None
    simple = isinstance(kind, str) and not {"enum", "const", "format", "contentEncoding"} & set(items)  # type: ignore[arg-type]
    unit = _PLURALS.get(kind, "items") if simple and isinstance(kind, str) else "items"
    size = _describe_size(schema.get("minItems"), schema.get("maxItems"), unit)
    return f"an array of {size}" if size else "an array" if unit == "items" else f"an array of {unit}"


def _describe_object(schema: Schema) -> str:
    names = schema.get("required", [])
    size = _describe_size(schema.get("minProperties"), schema.get("maxProperties"), "properties")
    if size:
        return f"an object of {size}"
    return f"an object with {', '.join(names[:_MANY])}" if names else "an object"


def _describe_size(least: int | None, most: int | None, unit: str) -> str | None:
    if least == most:
        return None if least is None else f"{least} {_to_singular(unit) if least == 1 else unit}"
    if least and most is not None:
        return f"{least} to {most} {unit}"
    if most is not None:
        return f"{most} or fewer {unit}"
    return f"{least} or more {unit}" if least else None


def _to_singular(unit: str) -> str:
    return "property" if unit == "properties" else unit.removesuffix("s")


# Values and paths ----------------------------------------------------------------------------------

_LONG = 64  # the length up to which a name from outside is shown

_KINDS: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    type(None): "null",
    list: "an array",
    dict: "an object",
}


def describe_kind(value: Any) -> str:
    """The JSON type of a value, in words.

    >>> describe_kind("hunter2")
    'a string'
    """
    return _KINDS.get(type(value), "something that is not JSON")


def join_choices(texts: Iterable[str]) -> str:
    """Several choices in one text.

    >>> join_choices(["a string", "null"])
    'a string or null'
    """
    return " or ".join(dict.fromkeys(texts))


def describe_values(values: Iterable[Any]) -> str:
    """The allowed values in one text.

    >>> describe_values(["c", "f"])
    'one of "c", "f"'
    """
    allowed = list(values)
    listed = ", ".join(msgspec.json.encode(value, enc_hook=repr).decode() for value in allowed[:_MANY])
    more = f" and {len(allowed) - _MANY} more" if len(allowed) > _MANY else ""
    return f"one of {listed}{more}" if len(allowed) > 1 else listed


def find_nearest(value: Any, allowed: Iterable[Any]) -> str | None:
    """The allowed text that is most similar to a value, if any is."""
    if not isinstance(value, str) or len(value) > _LONG:
        return None
    from difflib import get_close_matches

    texts = {text.lower(): text for text in allowed if isinstance(text, str)}
    matches = get_close_matches(value.lower(), texts, 1)
    return texts[matches[0]] if matches else None


def format_path(keys: Iterable[Any], root: str = "") -> str:
    """The path of a place in data: `user.tags[0]`, or `$.user.tags[0]` with "$" for the root.

    >>> format_path(["user", "tags", 0])
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
