"""The JSON Schema 2020-12 of one type hint, tidy for a model to read.

It has no generated titles, its small definitions are inlined, and its keywords have one order. pydantic makes the
schemas of its own types.
"""

import re
from collections.abc import Callable
from typing import Any

from . import hints, matching, node_schema, type_tree
from .subschemas import (
    INTEGER_NAME,
    JSON_TYPES,
    NUMBER_NAME,
    Definitions,
    Schema,
    inline,
    map_schemas,
    order_keywords,
    walk,
    with_definitions,
)

__all__ = ["Schema", "for_input", "for_output", "for_output_with_defaults", "suggestions_for", "without_null"]


def for_input(
    hint: Any, *, show_defaults: bool = True, root: bool = False, keep_null: bool = False, as_pydantic: bool = False
) -> tuple[Schema, Definitions]:
    """The schema of a value that is read, and the definitions it needs; raises AuthorError.

    A member whose default is null lists neither: to leave it out says the same. With `keep_null` it may be null, and
    with `as_pydantic` it also has the default null, and rules that pydantic enforces but does not list are left out.

    >>> for_input(list[int])
    ({'type': 'array', 'items': {'type': 'integer'}}, {})
    """
    if hints.is_atom(hint):
        return _atom_schema(hint), {}
    schema, definitions = _compile(hint, "validation", root, corrected=not as_pydantic)

    def tidy(here: Schema) -> Schema:
        here = map_schemas(_tidy(here), tidy)
        if as_pydantic and here.get("propertyNames") in _NUMBER_NAMES:
            del here["propertyNames"]
        is_unset = "default" in here and here["default"] is None and not as_pydantic
        if is_unset and not keep_null:
            here = without_null(here)
        if is_unset or not show_defaults:
            here.pop("default", None)
        return order_keywords(here)

    return _change_both(schema, definitions, tidy)


def for_output(hint: Any, *, drop_none: bool = False) -> tuple[Schema, Definitions]:
    """The schema of a value that is sent, and the definitions it needs; with `drop_none` it is sent without nulls."""
    schema, definitions = _compile(hint, "serialization", True)

    def tidy(here: Schema) -> Schema:
        here = map_schemas(_tidy(here), tidy)
        here.pop("default", None)  # of no use in output
        if here.get("format") in _UNSURE:
            del here["format"]
        here = _join_equal_choices(here)
        return order_keywords(_drop_nullable_required(here) if drop_none else here)

    return _change_both(schema, definitions, tidy)


def for_output_with_defaults(hint: Any, *, drop_none: bool = False) -> tuple[Schema, Definitions]:
    """The schema of a value that is sent, in which fields with a default are optional, as if it were read.

    If a record in it is read with members that it is not sent with, the schema is that of `for_output`.
    """
    sent, read = for_output(hint, drop_none=drop_none), for_input(hint, root=True, as_pydantic=True)
    if not all(any(names <= others for others in _names_of(*sent)) for names in _names_of(*read)):
        return sent
    schema, definitions = read

    def tidy(here: Schema) -> Schema:
        here = map_schemas(here, tidy)
        is_unsure = here.get("format") in _UNSURE
        return {key: value for key, value in here.items() if not (is_unsure and key == "format")}

    return _change_both(schema, definitions, tidy)


def _names_of(schema: Schema, definitions: Definitions) -> set[frozenset[str]]:
    """The names of the members of each object in a schema."""
    return {frozenset(here.get("properties", ())) for here, _ in walk(with_definitions(schema, definitions))}


def suggestions_for(hint: Any) -> tuple[str, ...]:
    """The texts of the values that a Literal, an Enum or bool has, also in a union; raises AuthorError.

    Beside strings there are no others: there a text stands for itself only.

    >>> suggestions_for(bool | None)
    ('true', 'false')
    """
    if hints.is_atom(hint) and hint is not bool:
        return ()
    schema = with_definitions(*for_input(hint))
    values: list[Any] = []
    for choice in matching.branches_of(schema, schema):
        is_boolean = isinstance(choice, dict) and choice.get("type") == "boolean"
        values += [True, False] if is_boolean else matching.allowed_values_of(choice) or ()
    strings = [value for value in values if isinstance(value, str)]
    return tuple(dict.fromkeys(node_schema.as_key(value) for value in strings or values if value is not None))


_NUMBER_NAMES = ({"pattern": INTEGER_NAME}, {"pattern": NUMBER_NAME})
_UNSURE = frozenset({"date-time", "time", "duration", "regex"})
"""Formats that a value may not have: a time without a time zone, a duration that is negative or has fractions, a
regular expression as only Python has it."""


def _drop_nullable_required(schema: Schema) -> Schema:
    properties = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if not _can_be_null(properties.get(name, {}))]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return {**rest, "required": required} if required else rest


def _can_be_null(schema: Schema) -> bool:
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return any(map(_can_be_null, choices))
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    types = schema.get("type", [])
    # With a reference this schema does not tell whether the field may be missing.
    is_hidden = "$ref" in schema or not (types or values)
    return is_hidden or None in values or "null" in ([types] if isinstance(types, str) else types)


def _join_equal_choices(schema: Schema) -> Schema:
    """A union without choices that are the same in JSON, such as those of `Path | str`."""
    choices = schema.get("anyOf", [])
    different = [one for place, one in enumerate(choices) if one not in choices[:place]]
    if len(different) == len(choices):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**rest, **different[0]} if len(different) == 1 else {**rest, "anyOf": different}


def _atom_schema(hint: Any) -> Schema:
    return {} if hint is Any else {"type": JSON_TYPES[hint]}


# Compiling ----------------------------------------------------------------------------------------


def _compile(hint: Any, mode: str, root: bool, corrected: bool = True) -> tuple[Schema, Definitions]:
    is_input = mode == "validation"
    tree = type_tree.tree_of(hint, is_input=is_input)
    schema, definitions = node_schema.schema_of(tree, is_input=is_input, split_docs=corrected)
    untitled = {name: _drop_title(name, one) for name, one in definitions.items()}
    if not corrected:
        return inline(schema, untitled, root=root)
    return inline(*_change_both(schema, untitled, lambda one: _correct(one, untitled, is_input)), root=root)


def _change_both(
    schema: Schema, definitions: Definitions, change: Callable[[Schema], Schema]
) -> tuple[Schema, Definitions]:
    return change(schema), {name: change(one) for name, one in definitions.items()}


def _correct(schema: Schema, definitions: Definitions, is_input: bool) -> Schema:
    """A schema with corrections of pydantic: member names are strings, and the tag of a union is required."""
    schema = map_schemas(schema, lambda one: _correct(one, definitions, is_input))
    tag = schema.get("discriminator", {}).get("propertyName")
    if is_input and tag is not None and "oneOf" in schema:
        schema = {**schema, "oneOf": [_with_tag(one, tag, definitions) for one in schema["oneOf"]]}
    return _with_names(schema, definitions)


def _with_tag(choice: Schema, tag: str, definitions: Definitions) -> Schema:
    schema = matching.follow({"$defs": definitions}, choice)
    required = schema.get("required", []) if isinstance(schema, dict) else []
    return choice if tag in required else {**choice, "required": [tag, *required]}


def _with_names(schema: Schema, definitions: Definitions) -> Schema:
    """A schema in which the names of members are strings, also where they stand for other values."""
    rule = matching.follow({"$defs": definitions}, schema.get("propertyNames"))
    if not isinstance(rule, dict):
        return schema
    names = {key: value for key, value in rule.items() if key not in ("type", "title", "description")}
    for keyword in ("enum", "const"):
        if keyword in rule:
            values = [rule["const"]] if keyword == "const" else rule["enum"]
            names = {"enum": list(dict.fromkeys(map(node_schema.as_key, values)))}
    return {**schema, "propertyNames": names}


def _drop_title(name: str, definition: Schema) -> Schema:
    """A definition without a title that only repeats the name of its class."""
    title = re.sub(r"[^\w.\-]", "_", str(definition.get("title", "")))
    return {key: value for key, value in definition.items() if key != "title" or title not in name}


# Tidying ------------------------------------------------------------------------------------------


def _tidy(schema: Schema) -> Schema:
    """A schema without OpenAPI's discriminator; an enum whose values share a type has it, and an array has items."""
    schema = {key: value for key, value in schema.items() if key != "discriminator"}
    if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
        schema["items"] = _items_of(schema)
    if "enum" in schema:
        types = {JSON_TYPES.get(type(value)) for value in schema["enum"]}
        shared = {"type": types.pop()} if len(types) == 1 and None not in types else {}
        schema = {**shared, **schema}
    return schema


def _items_of(schema: Schema) -> Schema:
    """The schema of any item of an array that lists only its first items, or none.

    VS Code refuses a tool, and Gemini a session, for an array without it; neither reads `prefixItems`.
    """
    first = schema.get("prefixItems", [])
    is_all = len(first) == schema.get("maxItems") and all(one == first[0] for one in first)
    return first[0] if first and is_all else {}


def without_null(schema: Schema) -> Schema:
    """The schema of a value without its null, for a value that may be left out instead.

    >>> without_null({"anyOf": [{"type": "integer"}, {"type": "null"}]})
    {'type': 'integer'}
    """
    if None in schema.get("enum", ()):
        rest = [value for value in schema["enum"] if value is not None]
        return _tidy({**schema, "enum": rest})
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if not choices or len(choices) == len(schema["anyOf"]):
        return schema
    rest_of_it = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**choices[0], **rest_of_it} if len(choices) == 1 else {"anyOf": choices, **rest_of_it}
