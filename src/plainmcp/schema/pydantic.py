"""Hints with types of pydantic: their JSON Schema, and converters for their values.

The only module, with core_schemas, that uses pydantic for hints. pydantic is imported when the first such hint is
seen. foreign/ dumps values of pydantic.
"""

from collections.abc import Callable, Collection
from enum import Flag
from functools import cache, lru_cache
from inspect import cleandoc
from typing import Any

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import core_schemas, formats, hints, records, repair
from .coercion_errors import CoercionError, Name, read_pydantic_error
from .docstring import prose_of_class
from .generics import class_of
from .matching import branches_of, choices_inside
from .subschemas import FLAT, INTEGER_NAME, NUMBER_NAME, Keys, with_definitions

__all__ = ["check_hash", "check_without", "converter_of", "json_schema_of", "refusal_of", "test_of"]


def json_schema_of(
    hint: Any, mode: Any, *, split_docs: bool = True
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The JSON Schema of a hint, for "validation" or "serialization", and its definitions; raises AuthorError.

    With `split_docs` the docstring of a class describes its fields, too.
    """
    from pydantic import TypeAdapter

    try:
        entry: Any = ("it", mode, TypeAdapter(hint))
        schemas, rest = TypeAdapter.json_schemas([entry], by_alias=True, schema_generator=_make_generator(split_docs))
    except Exception as error:  # errors of several families, and those of the user's own hooks
        raise AuthorError(str(error).partition("\n")[0]) from error
    return schemas["it", mode], rest.get("$defs", {})


@lru_cache
def _make_generator(split_docs: bool) -> Any:
    """pydantic's generator without titles made of field names, and without the pattern that 1E+5 does not match.

    It lists what pydantic accepts and does not list: combined flags, and names that stand for numbers.
    """
    from pydantic.json_schema import GenerateJsonSchema

    def decimal_schema(self: Any, schema: Any) -> dict[str, Any]:
        listed = GenerateJsonSchema.decimal_schema(self, schema)
        if self.mode == "serialization":
            return {"type": "string"}
        choices = [one for one in listed.get("anyOf", ()) if one.get("type") != "string"]
        return {"anyOf": [*choices, {"type": "string", "format": "decimal"}]}

    def complex_schema(self: Any, schema: Any) -> dict[str, Any]:
        return {"type": "string", **({"format": "complex"} if self.mode == "validation" else {})}

    def enum_schema(self: Any, schema: Any) -> dict[str, Any]:
        listed = GenerateJsonSchema.enum_schema(self, schema)
        if not issubclass(schema["cls"], Flag):
            return listed
        rest = {key: value for key, value in listed.items() if key != "enum"}
        if self.mode == "serialization":
            return {**rest, "type": "integer"}
        values = hints.flag_values_of(schema["cls"])
        return rest | ({"minimum": 0, "maximum": values[-1]} if isinstance(values, range) else {"enum": values})

    def with_names(make: Callable[[Any, Any], dict[str, Any]]) -> Callable[[Any, Any], dict[str, Any]]:
        def dict_schema(self: Any, schema: Any) -> dict[str, Any]:
            listed = make(self, schema)
            kind = schema.get("keys_schema", {}).get("type")
            names = _NAMES.get(kind) if self.mode == "validation" else None
            return listed if names is None else {"propertyNames": names, **listed}

        return dict_schema

    def with_all_items(make: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        """An item of a named tuple with a default may be absent from input; output always has it."""

        def tuple_schema(self: Any, *schemas: Any) -> dict[str, Any]:
            listed = make(self, *schemas)
            return listed if self.mode == "validation" else {**listed, "minItems": len(listed.get("prefixItems", ()))}

        return tuple_schema

    def set_schema(self: Any, schema: Any) -> dict[str, Any]:
        return _with_flat_items(GenerateJsonSchema.set_schema(self, schema), self.mode)

    def frozenset_schema(self: Any, schema: Any) -> dict[str, Any]:
        return _with_flat_items(GenerateJsonSchema.frozenset_schema(self, schema), self.mode)

    def ser_schema(self: Any, schema: Any) -> dict[str, Any] | None:
        """Any value, where a serializer function of the author has no return type."""
        is_untyped = schema["type"] in ("function-plain", "function-wrap") and schema.get("return_schema") is None
        package = str(getattr(schema.get("function"), "__module__", "")).partition(".")[0]
        return {} if is_untyped and package != "pydantic" else GenerateJsonSchema.ser_schema(self, schema)

    def field_is_required(self: Any, field: Any, total: bool) -> bool:
        """A field with a default may be absent from input; output always has it."""
        if self.mode != "serialization" or field["type"] == "typed-dict-field":
            return bool(GenerateJsonSchema.field_is_required(self, field, total))
        return not (field.get("serialization_exclude") or field.get("serialization_exclude_if"))

    def field_is_present(self: Any, field: Any) -> bool:
        """An InitVar of a dataclass is only read, and a field that its __init__ does not take is only sent."""
        is_other_way = field.get("init_only") if self.mode == "serialization" else field.get("init") is False
        return not is_other_way and bool(GenerateJsonSchema.field_is_present(self, field))

    def with_docs(make: Callable[[Any, Any], dict[str, Any]]) -> Callable[[Any, Any], dict[str, Any]]:
        def record_schema(self: Any, schema: Any) -> dict[str, Any]:
            listed, kind = make(self, schema), schema.get("cls")
            return listed if kind is None else _with_split_docs(listed, kind, self.mode == "validation")

        return record_schema

    def field_title_should_be_set(self: Any, schema: Any) -> bool:
        return False

    methods: tuple[Any, ...] = (decimal_schema, complex_schema, enum_schema, set_schema, frozenset_schema, ser_schema)
    methods += (field_is_required, field_is_present, field_title_should_be_set)
    changes: dict[str, Any] = {method.__name__: method for method in methods}
    dict_methods = [name for name in _DICTS if hasattr(GenerateJsonSchema, name)]  # pydantic 2.12 has only the first
    changes |= {name: with_names(getattr(GenerateJsonSchema, name)) for name in dict_methods}
    tuple_method = next(name for name in _NAMED_TUPLES if hasattr(GenerateJsonSchema, name))
    changes |= {tuple_method: with_all_items(getattr(GenerateJsonSchema, tuple_method))}
    if split_docs:
        changes |= {name: with_docs(getattr(GenerateJsonSchema, name)) for name in _RECORDS}
    return type("Plain", (GenerateJsonSchema,), changes)


def _with_split_docs(schema: dict[str, Any], kind: type, is_input: bool) -> dict[str, Any]:
    """The schema of a record with the parts of its docstring where they belong."""
    prose = prose_of_class(kind)
    if schema.get("description") == cleandoc(kind.__doc__ or ""):
        schema = {key: value for key, value in schema.items() if key != "description"}
        schema |= {"description": prose.whole} if prose.whole else {}
    properties = dict(schema.get("properties", {}))
    for field in records.fields_of(kind):
        wire = field.read_as if is_input else field.sent_as
        if wire in properties and field.name in prose.parameters:
            properties[wire] = {"description": prose.parameters[field.name], **properties[wire]}
    return {**schema, "properties": properties} if properties else schema


def _with_flat_items(schema: dict[str, Any], mode: str) -> dict[str, Any]:
    """The schema of a set; without a type for its items, of any item with a hash."""
    return {**schema, "items": FLAT} if mode == "validation" and not schema.get("items") else schema


_DICTS = ("dict_schema", "frozendict_schema", "ordered_dict_schema", "counter_schema")
_NAMED_TUPLES = ("named_tuple_schema", "p_arguments_schema")  # pydantic 2.12 reads one as the arguments of a function
_RECORDS = ("model_schema", "dataclass_schema", "typed_dict_schema")
_NAMES = {
    "int": {"pattern": INTEGER_NAME},
    "float": {"pattern": NUMBER_NAME},
    "bool": {"enum": ["true", "false"]},
    "fraction": {"format": "fraction"},
    "decimal": {"format": "decimal"},
}


def refusal_of(hint: Any) -> str | None:
    """Why pydantic does not read a hint; None if it does."""
    from pydantic import TypeAdapter

    try:
        TypeAdapter(hint)
    except Exception as error:  # errors of several families, and those of the user's own hooks
        return str(error).partition("\n")[0]
    return None


def check_hash(hint: Any, holder: Any) -> None:
    """Raise AuthorError for a hint whose values have no hash."""
    core_schemas.check_item(core_schemas.adapter_of(hint).core_schema, holder)


def check_without(hint: Any, refusal: str) -> None:
    """Raise AuthorError if a hint that pydantic refuses cannot be read without pydantic either."""
    kind = class_of(hint)
    if isinstance(kind, type) and classes.is_for_pydantic(kind):
        raise AuthorError(refusal)
    for metadata in getattr(hint, "__metadata__", ()):
        if classes.is_for_pydantic(metadata) and not _has_no_constraint(metadata):
            raise AuthorError(f"{metadata!r} is for pydantic to understand, which does not take it here: {refusal}")


def _has_no_constraint(field: Any) -> bool:
    """Whether a `Field(...)` has no constraint: only a description or a default."""
    constraints = ("metadata", "alias", "discriminator", "validation_alias")
    return classes.is_field(field) and not any(getattr(field, name) for name in constraints)


# Values -------------------------------------------------------------------------------------------


def converter_of(hint: Any, *, lenient: bool) -> Callable[[Any], Any]:
    """A function that converts JSON to values of a hint and raises CoercionError; raises AuthorError itself."""
    from pydantic import ValidationError

    try:
        adapter = core_schemas.adapter_of(hint)
        core_schemas.check_hashes(adapter.core_schema)
        validate = core_schemas.validator_of(adapter).validate_json
        is_slow = _is_slow(adapter)
        bounded = core_schemas.bounded_formats_of(adapter.core_schema)
        unlisted = {"format": "fraction"} if core_schemas.has_hidden_numbers(adapter.core_schema) else {}
    except Exception as error:
        raise AuthorError(str(error).partition("\n")[0]) from error
    strict = None if lenient else True  # None leaves the choice to the models

    @cache
    def listed_schema() -> dict[str, Any]:
        return with_definitions(*json_schema_of(hint, "validation"))

    def convert(value: Any) -> Any:
        try:
            raw = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError):
            raise CoercionError([((), "this is not JSON")]) from None
        if is_slow:
            _check_bounds(listed_schema(), value, unlisted, bounded)
        try:
            return validate(raw, strict=strict)
        except ValidationError as error:
            refusal = error
        repaired = repair.repair(listed_schema(), value, lenient=False)
        if repaired is not value:  # 3.0 is an integer to JSON Schema, but not to a strict model
            try:
                return validate(msgspec.json.encode(repaired), strict=strict)
            except ValidationError as error:
                refusal = error
        errors = refusal.errors(include_url=False, include_input=False)
        raise CoercionError([read_pydantic_error(error, value) for error in errors])

    return convert


def test_of(hint: Any) -> Callable[[Any], bool]:
    """A test whether pydantic could make a value for a hint; the hint need not be the class of its values."""
    validate = core_schemas.adapter_of(hint).validate_python

    def test(value: Any) -> bool:
        try:
            return type(validate(value, strict=True)) is type(value)
        except ValueError:
            return False

    return test


# Bounds -------------------------------------------------------------------------------------------


def _is_slow(adapter: Any) -> bool:
    """Whether pydantic parses texts that may take very long: numbers or regular expressions."""
    parts = repr(adapter.core_schema)
    return any(word in parts for word in ("fraction", "decimal", "pattern_"))


def _check_bounds(root: dict[str, Any], value: Any, unlisted: dict[str, Any], bounded: Collection[str]) -> None:
    """Raise CoercionError for texts that take very long to parse.

    `unlisted` is the schema of names without one. A text in a `bounded` format may also be read as a plain text.
    """
    waiting: list[tuple[list[Any], Any, Keys]] = [(branches_of(root, root), value, ())]
    while waiting:
        choices, part, keys = waiting.pop()
        if isinstance(part, str):
            _check_text(choices, part, keys, bounded if any(map(_is_any_text, choices)) else ())
        if isinstance(part, dict):
            rules = [one["propertyNames"] for one in choices if isinstance(one, dict) and "propertyNames" in one]
            names = [choice for rule in rules or [unlisted] for choice in branches_of(root, rule)]
            for name in part:
                _check_text(names, name, (*keys, Name(name)))
        parts = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        waiting += [(choices_inside(root, choices, key), item, (*keys, key)) for key, item in parts]


def _is_any_text(schema: Any) -> bool:
    is_text = isinstance(schema, dict) and schema.get("type", "string") == "string"
    return is_text and schema.keys().isdisjoint(("format", "enum", "const"))


def _check_text(choices: list[Any], text: str, keys: Keys, bounded: Collection[str] = ()) -> None:
    listed = [choice.get("format") for choice in choices if isinstance(choice, dict)]
    try:
        for format in listed:
            if format not in bounded:
                formats.check_bounds(format, text)
    except formats.OutOfBoundsError as error:
        raise CoercionError([(keys, str(error))]) from None
