"""The input schema and the output schema of a tool, the schema of a form, and checks of schemas written by hand.

Decides which return hints become an output schema. hint_schema makes the schema of one hint. Knows neither functions
nor revisions.
"""

import enum
import inspect
from collections.abc import Collection, Iterable, Mapping
from typing import Any, get_args, get_origin

import msgspec

from ..errors import AuthorError, NormalizeError
from ..foreign import classes
from ..policy import Policy
from ..types import Wire
from ..values.encode import RULES
from ..values.families import family_of
from ..values.rules import has_own_form
from . import hint_schema, hints, records
from .generics import class_of
from .hints import Parameter
from .subschemas import (
    Schema,
    as_object,
    is_object,
    join_definitions,
    order_keywords,
    to_camel,
    walk,
    with_definitions,
    wrap,
)
from .validator import Validator

__all__ = [
    "as_object",
    "check_handwritten",
    "form_schema",
    "input_schema",
    "is_object",
    "output_schema",
    "to_camel",
    "wrap",
]

MAX_DEPTH = 64
MAX_PARTS = 10_000
"""How deep and how large a schema written by hand may be (R26-SCHEMA-06)."""

_STRICT = Policy(unserializable="error")
_BYTES = (bytes, bytearray, memoryview)


# Input --------------------------------------------------------------------------------------------


def input_schema(
    parameters: Iterable[Parameter],
    *,
    show_defaults: bool = True,
    as_pydantic: bool = False,
    open: bool = False,
    closed: bool = False,
) -> Schema:
    """The schema of a function's arguments; with `open` it takes others too. Raises AuthorError.

    With `as_pydantic` null and its default are listed where the hint of an optional parameter has them. With `closed`
    the schema says that there are no others.

    >>> input_schema([Parameter("days", int, False, 3, "How many")])["properties"]
    {'days': {'type': 'integer', 'description': 'How many', 'default': 3}}
    """
    properties: dict[str, Schema] = {}
    required: list[str] = []
    definitions: dict[str, Schema] = {}
    for parameter in parameters:
        try:
            inner, more = hint_schema.for_input(
                parameter.annotation, show_defaults=show_defaults, as_pydantic=as_pydantic
            )
        except AuthorError as error:
            raise AuthorError(f"parameter {parameter.name}: {error}") from error
        inner = join_definitions(inner, more, definitions)
        properties[parameter.name] = _property_of(parameter, inner, show_defaults, as_pydantic)
        required += [parameter.name] if parameter.required else []
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if open or closed:
        schema["additionalProperties"] = open
    return with_definitions(schema, definitions)


def _property_of(parameter: Parameter, schema: Schema, show_defaults: bool, as_pydantic: bool) -> Schema:
    if parameter.description is not None:
        schema = {**schema, "description": parameter.description}
    if not parameter.required:
        schema = schema if as_pydantic else hint_schema.without_null(schema)
        if show_defaults and (as_pydantic or parameter.default is not None):
            schema = {**schema, **_default_of(parameter.default)}
    return order_keywords(schema)


def _default_of(value: Any) -> Schema:
    """A default as JSON, if it has a JSON form."""
    if value is inspect.Parameter.empty:
        return {}
    try:
        return {"default": msgspec.json.decode(RULES.encode(value, _STRICT))}
    except NormalizeError:
        return {}


def form_schema(kind: type) -> Schema:
    """The schema of a record as a form for people: flat, its fields are single values or choices."""
    schema, definitions = hint_schema.for_input(kind, root=True)
    if definitions or not is_object(schema):
        raise AuthorError(f"{kind.__name__} is not a form: a form has fields with names, and none holds a form")
    for name, field in schema.get("properties", {}).items():
        if not _is_choice(field) and field.get("type") not in ("string", "integer", "number", "boolean"):
            raise AuthorError(f"{kind.__name__}.{name} is neither a single value nor a choice, so it fits no form")
        if field.get("format") not in _FORM_FORMATS:
            field.pop("format", None)
    return schema


def _is_choice(field: Schema) -> bool:
    """Whether a field of a form takes several of its choices, which may have titles."""
    items = field.get("items", {})
    titled = [isinstance(one.get("const"), str) for one in items.get("anyOf", ())]
    has_choices = (items.get("type") == "string" and "enum" in items) or (bool(titled) and all(titled))
    return field.get("type") == "array" and has_choices


_FORM_FORMATS = ("email", "uri", "date", "date-time")


# Output -------------------------------------------------------------------------------------------


def output_schema(
    annotation: Any,
    *,
    which: str,
    description: str | None = None,
    opaque: Collection[type] = (),
    drop_none: bool = False,
    show_defaults: bool = False,
) -> Schema | None:
    """The schema of a return hint; None if the policy wants none, or if the hint does not determine the JSON.

    `which` is the policy's `output_schema`; `opaque` are classes with a serializer of the author; with `drop_none`
    null is left out; with `show_defaults` a field with a default is optional, although it is always sent.

    >>> output_schema(list[int], which="all")
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    try:
        if not _is_wanted(annotation, which) or not _is_data(annotation, opaque):
            return None
        _refuse_renamed(annotation)
        hint = hints.with_lists(annotation)
        make = hint_schema.for_output_with_defaults if show_defaults else hint_schema.for_output
        schema, definitions = make(hint, drop_none=drop_none)
    except AuthorError:  # a hint that cannot be read gives no schema
        return None
    if which in ("model", "named") and not is_object(schema):
        return None
    if not schema and hints.is_record(annotation):
        return None  # a model whose serializer has no return type
    if description is not None:
        schema = order_keywords({**schema, "description": description})
    return with_definitions(schema, definitions)


def _is_wanted(hint: Any, which: str) -> bool:
    inner = hints.unwrap_all(hint)
    match which:
        case "model":
            return isinstance(inner, type) and classes.is_pydantic(inner) and hasattr(inner, "model_fields")
        case "named":
            return hints.is_record(inner)
        case "typed":
            return any(map(hints.is_record, hints.parts_of(inner, inside=False)))
        case "all":
            # A list of anything may hold content (S004-21), so it has no schema.
            anything = inner in (list, tuple, set, frozenset) or get_args(inner)[:1] in ((Any,), (object,))
            return not anything and inner not in (None, type(None), Any, object, inspect.Signature.empty)
        case "every":
            return inner not in (dict, list, tuple, set, frozenset, Any, object, inspect.Signature.empty)
    return False


def _is_data(hint: Any, opaque: Collection[type]) -> bool:
    """Whether a value of this type is data, and the type alone determines its JSON."""
    inner = hints.unwrap_all(hint)
    if get_origin(inner) is tuple and _is_pair(get_args(inner)):
        return False
    if _can_be_bytes(hint):
        return False
    # Combined flags are none of the members.
    others = (Wire, enum.Flag, *opaque)
    return not any(
        classes.wire_type_of(kind) or issubclass(kind, others) or has_own_form(kind)
        for kind in hints.parts_of(hint)
        if isinstance(kind, type)
    )


def _can_be_bytes(hint: Any) -> bool:
    """Whether a value may be bytes, or a list of them: that is content under most policies."""
    for choice in map(hints.unwrap_all, hints.choices_of(hint)):
        kind, args = class_of(choice), get_args(choice)
        if kind in _BYTES:
            return True
        is_array = isinstance(kind, type) and issubclass(kind, Iterable) and not issubclass(kind, Mapping)
        if is_array and not hints.is_record(kind) and any(_can_be_bytes(arg) for arg in args if arg is not ...):
            return True
    return False


def _is_pair(args: tuple[Any, ...]) -> bool:
    """Whether a tuple of these could be (payload, structured)."""
    if len(args) != 2 or args[1] is ...:
        return False
    seconds = [hints.unwrap_all(member) for member in hints.choices_of(args[1])]
    return any(second is Any or hints.is_record(second) or _is_mapping(second) for second in seconds)


def _is_mapping(hint: Any) -> bool:
    kind = class_of(hint)
    return isinstance(kind, type) and issubclass(kind, Mapping)


def _refuse_renamed(hint: Any) -> None:
    """Raise AuthorError for names of the author's own (S001-34) in a class that refers to itself, or is a tuple.

    And in one that is for pydantic, which does not know these names.
    """
    kinds = [kind for kind in hints.parts_of(hint) if family_of(kind) is not None]
    renamed = [kind for kind in kinds if family_of(kind) in _RENAMED and records.is_renamed(kind)]
    for kind in kinds if renamed else ():
        is_plain = hints.is_record(kind) and not hints.needs_pydantic(kind) and not _is_recursive(kind)
        if not is_plain and any(part in renamed for part in hints.parts_of(kind)):
            raise AuthorError(f"{kind.__name__} has names of its own in JSON where they cannot be followed")


_RENAMED = ("dataclass", "attrs")


def _is_recursive(kind: type) -> bool:
    return any(part is kind for field in records.fields_sent_by(kind) for part in hints.parts_of(field.hint))


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
