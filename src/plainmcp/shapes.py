"""One type hint -> JSON Schema 2020-12, tidied as a model should read it.

pydantic speaks for every hint that mentions one of its own types. What comes out has no generated titles, its small
definitions inlined, its keywords in one order.
"""

import re
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from . import adapters, foreign, hints, records, schemapaths, treeschema, typetree
from .subschemas import Schema, inlined, mapped, ordered

__all__ = ["Schema", "given", "joined", "returned", "without_null"]

Definitions = dict[str, Schema]
Orders = dict[frozenset[str], list[Any]]


def given(hint: Any, *, show_defaults: bool = True, root: bool = False) -> tuple[Schema, Definitions]:
    """The schema of a value that is taken, and the definitions it needs; raises AuthorError.

    >>> given(Literal["f", "c"])
    ({'type': 'string', 'enum': ['f', 'c']}, {})
    """
    if hints.is_atom(hint):
        return _atom(hint), {}
    found, definitions = _compiled(hint, "validation", root)
    orders = _orders(hint)

    def tidied(here: Schema) -> Schema:
        here = mapped(_tidied(here, orders), tidied)
        if "default" in here:
            here = without_null(here)
            if here["default"] is None or not show_defaults:
                del here["default"]
        return ordered(here)

    return tidied(found), {name: tidied(one) for name, one in definitions.items()}


def returned(hint: Any, *, drop_none: bool = False) -> tuple[Schema, Definitions]:
    """The schema of a value that is sent, perhaps without its nulls, and the definitions it needs."""
    found, definitions = _compiled(hint, "serialization", True)
    orders, sent = _orders(hint), _always_sent(hint)

    def tidied(here: Schema) -> Schema:
        here = mapped(_tidied(here, orders), tidied)
        here.pop("default", None)  # of no use to whoever reads what was sent
        if here.get("format") in _UNSURE:
            del here["format"]
        names = here.get("properties", {})
        if tuple(names) in sent:
            here["required"] = [name for name in names if name in sent[tuple(names)]]
        return ordered(_nullable_left_out(here) if drop_none else here)

    return tidied(found), {name: tidied(one) for name, one in definitions.items()}


_UNSURE = frozenset({"date-time", "time", "duration"})
"""Formats that values of a type may lack: a moment without a time zone, a span of half a second or less than none."""


def _always_sent(hint: Any) -> dict[tuple[str, ...], set[str]]:
    """What records in a hint always send, by the names of all their fields; msgspec omits those with defaults."""
    found: dict[tuple[str, ...], set[str]] = {}
    for part in hints.parts(hint):
        if hints.is_record(part) and not foreign.is_pydantic(part):
            fields = records.sent_fields(part)
            names, always = tuple(one.name for one in fields), {one.name for one in fields if one.always}
            found[names] = always & found.get(names, always)
    return {names: always for names, always in found.items() if always}


def _nullable_left_out(schema: Schema) -> Schema:
    properties = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if not _takes_null(properties.get(name, {}))]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return {**rest, "required": required} if required else rest


def _takes_null(schema: Schema) -> bool:
    # Where a reference hides the answer, the field may be missing for all this schema knows.
    plain = "type" in schema or "enum" in schema or "anyOf" in schema
    choices = [one.get("type") for one in (schema, *schema.get("anyOf", ()))]
    return not plain or "null" in choices or None in schema.get("enum", ()) or "$ref" in schema


def _atom(hint: Any) -> Schema:
    return {} if hint is Any else {"type": _TYPES[hint]}


def joined(found: Schema, more: Definitions, definitions: Definitions) -> Schema:
    """Add one schema's definitions to those of others, under other names where two are at odds."""
    renamed: dict[str, str] = {}
    for name, definition in more.items():
        new, number = name, 1
        while definitions.get(new, definition) != definition:
            number += 1
            new = f"{name}_{number}"
        renamed[name] = new

    def follow(here: Schema) -> Schema:
        name = str(here.get("$ref", "")).removeprefix("#/$defs/")
        return mapped({**here, "$ref": f"#/$defs/{renamed[name]}"} if name in renamed else here, follow)

    definitions |= {renamed[name]: follow(definition) for name, definition in more.items()}
    return follow(found)


# Compiling ----------------------------------------------------------------------------------------


def _compiled(hint: Any, mode: str, root: bool) -> tuple[Schema, Definitions]:
    if hints.speaks_pydantic(hint):
        found, definitions = adapters.schema(hint, mode)
    else:
        given = mode == "validation"
        found, definitions = treeschema.schema_of(typetree.tree_of(hint, given=given), given=given)
    found, definitions = (
        _with_names(found, definitions),
        {name: _with_names(_untitled(name, one), definitions) for name, one in definitions.items()},
    )
    return inlined(found, definitions, root=root)


def _with_names(schema: Schema, definitions: Definitions) -> Schema:
    """A schema in which the names of an object's members are strings, whatever they stand for."""
    schema = mapped(schema, lambda one: _with_names(one, definitions))
    rule = schemapaths.follow({"$defs": definitions}, schema.get("propertyNames"))
    if not isinstance(rule, dict):
        return schema
    names = {key: value for key, value in rule.items() if key not in ("type", "title", "description")}
    for keyword in ("enum", "const"):
        if keyword in rule:
            values = [rule["const"]] if keyword == "const" else rule["enum"]
            names = {"enum": [treeschema.as_key(value) for value in values]}
    return {**schema, "propertyNames": names}


def _untitled(name: str, definition: Schema) -> Schema:
    """A definition without the title that only repeats the name of its class."""
    title = re.sub(r"[^\w.\-]", "_", str(definition.get("title", "")))
    return {key: value for key, value in definition.items() if key != "title" or title not in name}


# Tidying ------------------------------------------------------------------------------------------

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def _tidied(schema: Schema, orders: Orders) -> Schema:
    """A schema without OpenAPI's discriminator; an enum in the order it was written in, with its type."""
    schema = {key: value for key, value in schema.items() if key != "discriminator"}
    if "enum" in schema:
        values: list[Any] = orders.get(frozenset(map(repr, schema["enum"]))) or schema["enum"]
        types = {_TYPES.get(type(value)) for value in values}
        shared = {"type": types.pop()} if len(types) == 1 else {}
        schema = {**shared, **schema, "enum": values}
    return schema


def _orders(hint: Any) -> Orders:
    """The values of every Literal and Enum in a hint, as they were written; msgspec sorts them."""
    found: list[list[Any]] = []
    for part in hints.parts(hint):
        if get_origin(part) is Literal:
            found.append(list(get_args(part)))
        elif isinstance(part, type) and issubclass(part, Enum):
            found.append([member.value for member in part])
    return {frozenset(map(repr, values)): values for values in found}


def without_null(schema: Schema) -> Schema:
    """What there is to say of a value that may be left out: that it may be null as well is not worth a word.

    >>> without_null({"anyOf": [{"type": "integer"}, {"type": "null"}]})
    {'type': 'integer'}
    """
    if None in schema.get("enum", ()):
        rest = [value for value in schema["enum"] if value is not None]
        return _tidied({**schema, "enum": rest}, {})
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if not choices or len(choices) == len(schema["anyOf"]):
        return schema
    rest_of_it = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**choices[0], **rest_of_it} if len(choices) == 1 else {"anyOf": choices, **rest_of_it}
