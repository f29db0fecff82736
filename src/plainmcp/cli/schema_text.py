"""Says in a few words what a JSON Schema accepts: the kind of value, its limits, and the fields of an object."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .show import escape_controls, to_json

__all__ = ["FieldLine", "definitions_of", "fields_of", "hint_of", "kind_of", "limits_of", "resolve", "summary_of"]

_DEPTH = 6  # of nested fields that are shown
_BOUNDS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "pattern {}"),
    ("format", "{}"),
    ("contentEncoding", "{}"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("minProperties", "at least {} keys"),
    ("maxProperties", "at most {} keys"),
)

_RANGES = (
    ("minimum", "maximum", "{} to {}"),
    ("minLength", "maxLength", "{} to {} characters"),
    ("minItems", "maxItems", "{} to {} items"),
    ("minProperties", "maxProperties", "{} to {} keys"),
)


class FieldLine(NamedTuple):
    """One field of an object, as deep as it is in it."""

    depth: int
    name: str
    kind: str
    summary: str


def fields_of(schema: dict[str, Any]) -> Iterator[FieldLine]:
    """The fields of an object, each followed by its own; a definition inside itself is not shown again."""
    return _fields_of(schema, definitions_of(schema), 0, ())


def definitions_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The definitions that a schema and its parts refer to, by name."""
    return schema.get("$defs") or schema.get("definitions") or {}


def _fields_of(schema: Any, definitions: Any, depth: int, path: tuple[int, ...]) -> Iterator[FieldLine]:
    required = schema.get("required") or []
    for name, field in (schema.get("properties") or {}).items():
        inner = [one for one in _objects_in(field, definitions) if id(one) not in path]
        resolved = resolve(field, definitions)
        whole = {**resolved, **field} if isinstance(field, dict) else {}
        yield FieldLine(depth, str(name), hint_of(whole, name in required), summary_of(whole))
        for one in inner if depth < _DEPTH else ():
            yield from _fields_of(one, definitions, depth + 1, (*path, id(one)))


def _objects_in(schema: Any, definitions: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The objects with fields that a schema consists of: itself, its items, its branches."""
    schema = resolve(schema, definitions)
    if depth > _DEPTH:
        return
    if schema.get("properties"):
        yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(key) or ():
            yield from _objects_in(one, definitions, depth + 1)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _objects_in(schema[key], definitions, depth + 1)


def resolve(schema: Any, definitions: Any) -> dict[str, Any]:
    """A schema, or the definition that it refers to."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if isinstance(reference, str):
        schema = definitions.get(reference.rpartition("/")[2])
    return schema if isinstance(schema, dict) else {}


def hint_of(field: Any, is_required: bool) -> str:
    """The kind of a field, its limits, and whether it may be left out."""
    field = field if isinstance(field, dict) else {}
    limits = "".join(f", {limit}" for limit in limits_of(field))
    default = f" = {to_json(field['default'])}" if "default" in field else ", optional"
    return f"{kind_of(field)}{limits}{', required' if is_required else default}"


def limits_of(schema: dict[str, Any]) -> list[str]:
    """What a schema demands of a value besides its kind.

    >>> limits_of({"type": "integer", "minimum": 1, "maximum": 7})
    ['1 to 7']
    """
    bounds = dict(_BOUNDS)
    limits: list[str] = []
    for least, most, text in _RANGES:
        if least in schema and most in schema:
            limits.append(text.format(to_json(schema[least]), to_json(schema[most])))
            del bounds[least], bounds[most]
    for key, text in bounds.items():
        if key in schema:
            value = schema[key]
            said = text.format(value if isinstance(value, str) else to_json(value))
            limits.append(said.removesuffix("s") if value == 1 and said.endswith("s") else said)
    return [*limits, *(["no two equal"] if schema.get("uniqueItems") else [])]


def kind_of(schema: Any) -> str:
    """The kind of value a schema accepts, in a few words.

    >>> kind_of({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    'array of string or null'
    """
    if not isinstance(schema, dict):
        return "anything"
    if "enum" in schema:
        return " or ".join(to_json(one) for one in schema["enum"])
    if "const" in schema:
        return to_json(schema["const"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2] or "anything"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(kind_of(one) for one in schema[key]))
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    return f"array of {kind_of(schema['items'])}" if kind == "array" and "items" in schema else str(kind)


def summary_of(definition: Any) -> str:
    """The first line of a description, or the title."""
    if not isinstance(definition, dict):
        return ""
    text = str(definition.get("description") or definition.get("title") or "").strip()
    return escape_controls(text).splitlines()[0] if text else ""
