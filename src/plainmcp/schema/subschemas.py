"""A JSON Schema as a tree of schemas: walk, inline and wrap it. Knows the keywords that hold other schemas.

Values under `enum`, `const`, `default` or `examples` are data and are never changed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from ..errors import AuthorError
from ..values.payload import key_to_camel

__all__ = [
    "FLAT",
    "INTEGER_NAME",
    "JSON_TYPES",
    "NUMBER_NAME",
    "Definitions",
    "Keys",
    "Schema",
    "as_object",
    "inline",
    "is_object",
    "join_definitions",
    "map_schemas",
    "order_keywords",
    "target_of",
    "to_camel",
    "walk",
    "with_definitions",
    "wrap",
]

Keys: TypeAlias = tuple[Any, ...]
Schema: TypeAlias = dict[str, Any]
Definitions: TypeAlias = dict[str, Schema]

_ONE = frozenset(
    {
        "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties", "additionalItems", "contentSchema",
    }
)  # fmt: skip
_LIST = frozenset({"anyOf", "allOf", "oneOf", "prefixItems", "items"})
_NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_DEFINITIONS = "#/$defs/"

JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
"""The types of JSON Schema, by Python type."""

FLAT: Schema = {"type": ["string", "number", "boolean", "null"]}
"""The schema of the items of a set without a type for them."""

INTEGER_NAME = "^(0|-?[1-9][0-9]*)$"
NUMBER_NAME = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
"""The patterns of member names that stand for numbers."""

SMALL = 1_000
"""How many bytes of JSON a definition may have to be repeated wherever it is used."""


# Walking ------------------------------------------------------------------------------------------


def map_schemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A schema with each schema directly inside it changed; booleans stay."""
    return {keyword: _map_keyword(keyword, value, change) for keyword, value in schema.items()}


def _map_keyword(keyword: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    if isinstance(value, dict):
        if keyword in _ONE:
            return change(value)
        if keyword in _NAMED:
            return {name: change(one) if isinstance(one, dict) else one for name, one in value.items()}
    elif isinstance(value, list) and keyword in _LIST:
        return [change(one) if isinstance(one, dict) else one for one in value]
    return value


def walk(schema: Schema) -> Iterator[tuple[Schema, int]]:
    """A schema and every schema inside it, each with its depth."""
    waiting = [(schema, 0)]
    while waiting:
        here, depth = waiting.pop()
        yield here, depth
        waiting += [(one, depth + 1) for one in _schemas_in(here)]


def _schemas_in(schema: Schema) -> list[Schema]:
    """The schemas directly inside a schema."""
    inside: list[Schema] = []

    def note(one: Schema) -> Schema:
        inside.append(one)
        return one

    map_schemas(schema, note)
    return inside


# Definitions --------------------------------------------------------------------------------------


def inline(schema: Schema, definitions: dict[str, Schema], *, root: bool = False) -> tuple[Schema, dict[str, Schema]]:
    """A schema with its definitions written where they are used, and the definitions that have to stay.

    A recursive definition stays, and so does a large one that is used more than once. With `root` the root is written
    out even then, so that it shows its type.
    """
    uses = Counter(_references_in(schema))
    for definition in definitions.values():
        uses.update(_references_in(definition))
    stay: set[str] = {name for name in definitions if _is_recursive(name, definitions)}

    def write_out(here: Schema) -> Schema:
        name = _reference_of(here)
        if name is None or name in stay:
            return map_schemas(here, write_out)
        inner = write_out(definitions[name])
        if uses[name] > 1 and len(msgspec.json.encode(inner)) > SMALL:
            stay.add(name)
            return map_schemas(here, write_out)
        return {**inner, **{key: value for key, value in here.items() if key != "$ref"}}

    if root:
        schema = _inline_root(schema, definitions)
    write_out(schema)
    # Again, since a definition may prove to be large after it was first written out.
    schema = write_out(schema)
    return schema, _select_needed(schema, {name: map_schemas(definitions[name], write_out) for name in stay})


def with_definitions(schema: Schema, definitions: Definitions) -> Schema:
    """A schema that holds the definitions it refers to."""
    return {**schema, "$defs": definitions} if definitions else schema


def _inline_root(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    name = _reference_of(schema)
    if name is None:
        return schema
    rest = {key: value for key, value in schema.items() if key != "$ref"}
    return _inline_root({**definitions[name], **rest}, definitions)


def _select_needed(root: Schema, definitions: dict[str, Schema]) -> dict[str, Schema]:
    needed: dict[str, Schema] = {}
    waiting = list(_references_in(root))
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = definitions[name]
            waiting.extend(_references_in(definitions[name]))
    return {name: needed[name] for name in sorted(needed)}


def _references_in(schema: Schema) -> Iterator[str]:
    return (name for here, _ in walk(schema) if (name := _reference_of(here)) is not None)


def _reference_of(schema: Schema) -> str | None:
    reference = schema.get("$ref")
    return reference.removeprefix(_DEFINITIONS) if isinstance(reference, str) else None


def _is_recursive(name: str, definitions: dict[str, Schema]) -> bool:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for reference in _references_in(definitions[waiting.pop()]):
            if reference == name:
                return True
            if reference not in seen:
                seen.add(reference)
                waiting.append(reference)
    return False


def join_definitions(schema: Schema, more: Definitions, definitions: Definitions) -> Schema:
    """Add one schema's definitions to those of others; the schema, with new names where two definitions differ."""
    renamed: dict[str, str] = {}
    for name, definition in more.items():
        new, number = name, 1
        while definitions.get(new, definition) != definition:
            number += 1
            new = f"{name}_{number}"
        renamed[name] = new

    def follow(here: Schema) -> Schema:
        name = str(here.get("$ref", "")).removeprefix("#/$defs/")
        return map_schemas({**here, "$ref": f"#/$defs/{renamed[name]}"} if name in renamed else here, follow)

    definitions |= {renamed[name]: follow(definition) for name, definition in more.items()}
    return follow(schema)


# Roots --------------------------------------------------------------------------------------------

_FIRST = ("$schema", "type", "description", "properties", "required")


def order_keywords(schema: Schema) -> Schema:
    """A schema with its keywords in the usual order: type and description first (S003-53)."""
    head = {keyword: schema[keyword] for keyword in _FIRST if keyword in schema}
    return {**head, **{keyword: value for keyword, value in schema.items() if keyword not in head}}


def is_object(schema: Schema) -> bool:
    """Whether a schema allows objects only, by its root or by the schema that the root refers to.

    >>> is_object({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}})
    True
    """
    if "type" in schema:
        return bool(schema["type"] == "object")
    if isinstance(schema.get("$ref"), str):
        target = target_of(schema, schema["$ref"])
        return target is not None and target.get("type") == "object"
    if any(isinstance(one, dict) and one.get("type") == "object" for one in schema.get("allOf", ())):
        return True
    choices = schema.get("anyOf") or schema.get("oneOf") or []
    return bool(choices) and all(_is_object_within(one, schema) for one in choices)


def _is_object_within(choice: Any, root: Schema) -> bool:
    definitions = {keyword: root[keyword] for keyword in _HOISTED if keyword in root}
    return isinstance(choice, dict) and is_object({**definitions, **choice})


def target_of(schema: Schema, reference: str) -> Schema | None:
    """The schema that a pointer within the schema leads to."""
    here: Any = schema
    for step in reference.removeprefix("#").split("/")[1:]:
        if isinstance(here, list):
            here = here[int(step)] if step.isdecimal() and int(step) < len(here) else None
        else:
            here = here.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(here, dict) else None
    return here if isinstance(here, dict) and (reference == "#" or reference.startswith("#/")) else None


def as_object(schema: Schema) -> Schema:
    """A schema of objects that has this type at its root.

    >>> as_object({"$ref": "#/$defs/A"})
    {'type': 'object', '$ref': '#/$defs/A'}
    """
    return schema if schema.get("type") == "object" else order_keywords({**schema, "type": "object"})


_HOISTED = ("$schema", "$defs", "definitions")


def wrap(schema: Schema, key: str = "result") -> Schema:
    """The schema of an object with one member, which has this schema.

    >>> wrap({"type": "array"})
    {'type': 'object', 'properties': {'result': {'type': 'array'}}, 'required': ['result']}
    """
    # A schema with an $id keeps its definitions: its references are relative to the $id.
    moving = _HOISTED[:1] if "$id" in schema else _HOISTED
    inner = {keyword: value for keyword, value in schema.items() if keyword not in moving}
    root = {"type": "object", "properties": {key: inner}, "required": [key]}
    root |= {keyword: schema[keyword] for keyword in moving if keyword in schema}
    step = key.replace("~", "~0").replace("/", "~1")

    def move(here: Schema) -> Schema:
        reference = here.get("$ref")
        if "$id" in here:
            return here
        if isinstance(reference, str) and _is_pointer(reference):
            here = {**here, "$ref": f"#/properties/{step}{reference[1:]}"}
        return map_schemas(here, move)

    return order_keywords(map_schemas(root, move))


def _is_pointer(reference: str) -> bool:
    """Whether a reference starts at the root, and does not lead into definitions, which move along with it."""
    hoisted = reference.startswith(("#/$defs/", "#/definitions/"))
    return reference == "#" or (reference.startswith("#/") and not hoisted)


def to_camel(schema: Schema, root: Schema | None = None) -> Schema:
    """A schema with its top-level properties, those of each choice of a union, in camelCase (S001-23).

    Raises AuthorError if two of them are the same then.

    >>> to_camel({"properties": {"default_context": {}}, "required": ["default_context"]})
    {'properties': {'defaultContext': {}}, 'required': ['defaultContext']}
    """
    root = root or schema
    target = target_of(root, schema["$ref"]) if "$ref" in schema else None
    if target:
        return to_camel(target | {key: one for key, one in schema.items() if key != "$ref"}, root)
    changed = dict(schema)
    if isinstance(changed.get("properties"), dict):
        changed["properties"] = _names_to_camel(changed["properties"])
    if isinstance(changed.get("required"), list):
        changed["required"] = [key_to_camel(name) for name in changed["required"]]
    for union in changed.keys() & {"anyOf", "oneOf"}:
        changed[union] = [to_camel(one, root) for one in changed[union]]
    return changed


def _names_to_camel(properties: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, str] = {}
    for name in properties:
        camel = key_to_camel(name)
        other = names.setdefault(camel, name)
        if other != name:
            raise AuthorError(f"{other!r} and {name!r} are both {camel!r} in camelCase; rename one of them")
    return {camel: properties[name] for camel, name in names.items()}
