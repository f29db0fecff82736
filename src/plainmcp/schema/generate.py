"""The schema of a function's arguments, and checks of schemas written by hand.

The schema of a return value is made in returns, and that of one hint in hint_schema. Knows neither functions nor
revisions.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from ..errors import AuthorError
from . import hint_schema
from .node_schema import default_of
from .parameters import Parameter, naming
from .subschemas import Schema, join_definitions, order_keywords, walk, with_definitions
from .validator import Validator

__all__ = ["check_handwritten", "input_schema"]

MAX_DEPTH = 64
MAX_PARTS = 10_000
"""How deep and how large a schema written by hand may be (R26-SCHEMA-06)."""


# Input --------------------------------------------------------------------------------------------


def input_schema(
    parameters: Iterable[Parameter],
    *,
    show_defaults: bool = True,
    as_pydantic: bool = False,
    others: Parameter | None = None,
    closed: bool = False,
) -> Schema:
    """The schema of a function's arguments, and of `others` if it takes them. Raises AuthorError.

    With `as_pydantic` null and its default are listed where the hint of an optional parameter has them. With `closed`
    the schema says that there are no others.

    >>> input_schema([Parameter("days", int, False, 3, "How many")])["properties"]
    {'days': {'type': 'integer', 'description': 'How many', 'default': 3}}
    """
    definitions: dict[str, Schema] = {}

    def property_of(parameter: Parameter) -> Schema:
        with naming(parameter):
            inner, more = hint_schema.for_input(
                parameter.annotation, show_defaults=show_defaults, as_pydantic=as_pydantic
            )
        return _property_of(parameter, join_definitions(inner, more, definitions), show_defaults, as_pydantic)

    parameters = list(parameters)
    schema: Schema = {"type": "object", "properties": {one.name: property_of(one) for one in parameters}}
    required = [one.name for one in parameters if one.required]
    if required:
        schema["required"] = required
    if others is not None:
        schema["additionalProperties"] = True if others.annotation is Any else property_of(others)
    elif closed:
        schema["additionalProperties"] = False
    return with_definitions(schema, definitions)


def _property_of(parameter: Parameter, schema: Schema, show_defaults: bool, as_pydantic: bool) -> Schema:
    if parameter.description is not None:
        schema = {**schema, "description": parameter.description}
    if parameter.default is None and not as_pydantic:
        schema = hint_schema.without_null(schema)  # to leave it out says the same
    elif not parameter.required and show_defaults:
        schema = {**schema, **default_of(parameter.default)}
    return order_keywords(schema)


# By hand ------------------------------------------------------------------------------------------


def check_handwritten(schema: Any, what: str, *, output: bool = False) -> Schema:
    """A schema that an author wrote, if it is valid: unchanged, except for properties that are booleans.

    >>> check_handwritten({"type": "object", "properties": {"x": True}}, "the input schema")["properties"]
    {'x': {}}
    """
    if not isinstance(schema, dict):
        raise AuthorError(f"{what} is to be a JSON object, not {type(schema).__name__}")
    if not output and schema.get("type") != "object":
        raise AuthorError(f'{what} needs "type": "object" at its root')  # R2511-TOOL-05
    try:
        copy: Schema = msgspec.json.decode(msgspec.json.encode(schema))
        _check_bounds(copy)
        Validator(copy).compile()
    except (TypeError, ValueError, RecursionError, AuthorError) as error:
        raise AuthorError(f"{what} cannot stand: {error}") from error
    if isinstance(copy.get("properties"), dict):
        # Revisions before 2026-07-28 do not allow booleans here.
        as_objects: dict[bool, Schema] = {True: {}, False: {"not": {}}}
        properties = copy["properties"].items()
        copy["properties"] = {name: as_objects[one] if isinstance(one, bool) else one for name, one in properties}
    return copy


def _check_bounds(schema: Schema) -> None:
    for count, (here, depth) in enumerate(walk(schema)):
        if depth > MAX_DEPTH or count > MAX_PARTS:
            raise AuthorError(f"it is deeper than {MAX_DEPTH} levels or has more than {MAX_PARTS:,} parts")
        reference = here.get("$ref", "#")
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise AuthorError(f"$ref {reference!r} leads out of it, and nothing is fetched")  # R26-SCHEMA-04
