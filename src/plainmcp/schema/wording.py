"""What a schema asks for, in words that a model can act on: kinds, choices, limits and formats."""

from typing import Any

from . import problems
from .paths import allowed_values, follow
from .subschemas import INTEGER_NAME, NUMBER_NAME, Schema

__all__ = ["describe"]

_MANY = 20  # how many fields are worth naming
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
    """What a schema takes; `root` holds what it refers to.

    >>> describe({}, {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'an integer >= 1 or null'
    """
    here = follow(root, schema)
    if not isinstance(here, dict):
        return "any value" if here else "nothing"
    for union in ("anyOf", "oneOf"):
        if isinstance(here.get(union), list) and "type" not in here:
            return problems.choice(describe(root, one) for one in here[union])
    allowed = allowed_values(here)
    if allowed is not None:
        return problems.options(allowed)
    types = here.get("type", _implied_type(here))
    if types is None:
        parts = [one for one in here.get("allOf", ()) if isinstance(one, dict)]
        return describe(root, parts[0]) if parts else "any value"
    return problems.choice(_describe_type(root, here, one) for one in ([types] if isinstance(types, str) else types))


def _implied_type(schema: Schema) -> str | None:
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else None


def _describe_type(root: Schema, schema: Schema, kind: str) -> str:
    match kind:
        case "integer" | "number":
            return _TYPES[kind] + _range(schema)
        case "string":
            return _string(schema)
        case "array":
            return _array(root, schema)
        case "object":
            return _object(schema)
    return _TYPES.get(kind, kind)


_COMPARED = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


def _range(schema: Schema) -> str:
    limits = [f"{sign} {schema[name]}" for name, sign in _COMPARED.items() if name in schema]
    if "multipleOf" in schema:
        limits.append(f"a multiple of {schema['multipleOf']}")
    joined = " and ".join(limits)
    return f" {joined}" if limits and limits[0][0] in "<>" else f", {joined}" if limits else ""


def _string(schema: Schema) -> str:
    if schema.get("pattern") in _PATTERNS:
        return _PATTERNS[schema["pattern"]]
    if schema.get("contentEncoding") == "base64":
        words = "base64 in a string"
    elif "format" in schema:
        words = _FORMATS.get(schema["format"], f"a string in {schema['format']} format")
    else:
        words = "a string"
    size = _size(schema.get("minLength"), schema.get("maxLength"), "characters")
    words += f" of {size}" if size and words == "a string" else ""
    return f"{words} matching {schema['pattern']}" if "pattern" in schema else words


def _array(root: Schema, schema: Schema) -> str:
    items = follow(root, schema.get("items"))
    kind = items.get("type") if isinstance(items, dict) else None
    simple = isinstance(kind, str) and not {"enum", "const", "format", "contentEncoding"} & set(items)  # type: ignore[arg-type]
    unit = _PLURALS.get(kind, "items") if simple and isinstance(kind, str) else "items"
    size = _size(schema.get("minItems"), schema.get("maxItems"), unit)
    return f"an array of {size}" if size else "an array" if unit == "items" else f"an array of {unit}"


def _object(schema: Schema) -> str:
    names = schema.get("required", [])
    size = _size(schema.get("minProperties"), schema.get("maxProperties"), "properties")
    if size:
        return f"an object of {size}"
    return f"an object with {', '.join(names[:_MANY])}" if names else "an object"


def _size(least: int | None, most: int | None, unit: str) -> str | None:
    if least == most:
        return None if least is None else f"{least} {_singular(unit) if least == 1 else unit}"
    if least and most is not None:
        return f"{least} to {most} {unit}"
    if most is not None:
        return f"{most} or fewer {unit}"
    return f"{least} or more {unit}" if least else None


def _singular(unit: str) -> str:
    return "property" if unit == "properties" else unit.removesuffix("s")
