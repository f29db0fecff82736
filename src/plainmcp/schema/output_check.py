"""The check of a returned value's JSON by the output schema that is listed for it.

Decoding JSON as a type of msgspec that accepts nothing the schema forbids is the fastest check. A schema with a
keyword that msgspec lacks has no type. JSON that a type does not accept may still be valid; the validator decides.
"""

import datetime
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Literal, Union

import msgspec

from ..errors import OutputError
from ..wire import codec
from . import wording
from .subschemas import Schema
from .validator import Validator

__all__ = ["OutputCheck", "type_of"]


class OutputCheck:
    """Raises OutputError for JSON that is not valid by a schema.

    >>> OutputCheck({"type": "integer"})(b'"three"')
    Traceback (most recent call last):
    plainmcp.errors.OutputError: $: expected an integer, got a string
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._validator = Validator(schema)

    def __call__(self, raw: bytes) -> None:
        try:
            self._decode(raw)
        except (msgspec.ValidationError, RecursionError):  # it may still be valid
            self._validate(raw)

    @cached_property
    def _decode(self) -> Callable[[bytes], Any]:
        """A decoder of a type that is at least as strict as the schema; compiled when first used."""
        kind = type_of(self._schema)
        try:
            return self._validate if kind is None else codec.decoder_of(kind)
        except (TypeError, ValueError, OverflowError):  # a union whose choices msgspec cannot distinguish
            return self._validate

    def _validate(self, raw: bytes) -> None:
        data = msgspec.json.decode(raw)
        if self._validator.is_valid(data):
            return
        for problem in self._validator.find_problems(data):
            raise OutputError(wording.format_path(problem.keys, "$"), problem.expected, problem.got)


# Types of schemas ----------------------------------------------------------------------------------

_ANNOTATIONS = frozenset(
    {"title", "description", "examples", "default", "deprecated", "readOnly", "writeOnly", "$schema"}
)
_LIMITS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
}
_UUID = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
_SCALARS: dict[str, Any] = {"integer": int, "number": float, "boolean": bool, "null": type(None)}
_FORMATS: dict[str | None, Any] = {None: str, "date": datetime.date, "uuid": _UUID}


class _Untypable(Exception):
    """A schema has a keyword that no type has."""


class _Object(msgspec.Struct, gc=False):
    """Any object; its members are skipped."""


def type_of(schema: Schema) -> Any:
    """The type of msgspec for a schema; None where there is none.

    >>> type_of({"type": "array", "items": {"type": "integer", "minimum": 0}})
    list[typing.Annotated[int, msgspec.Meta(ge=0)]]
    """
    try:
        return _TypeBuilder(schema.get("$defs", {})).make({key: one for key, one in schema.items() if key != "$defs"})
    except (_Untypable, KeyError, TypeError, ValueError, RecursionError):
        return None


class _TypeBuilder:
    def __init__(self, definitions: dict[str, Schema]) -> None:
        self.definitions = definitions
        self.types: dict[str, Any] = {}

    def make(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            raise _Untypable
        keywords = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
        if not keywords:
            return msgspec.Raw
        if "enum" in keywords:
            return _to_literal(keywords.pop("type", None), keywords.pop("enum"), keywords)
        if "const" in keywords:
            return _to_literal(keywords.pop("type", None), [keywords.pop("const")], keywords)
        if keywords.keys() == {"anyOf"}:
            return _to_union([self.make(choice) for choice in keywords["anyOf"]])
        if keywords.keys() == {"$ref"}:
            return self._definition_of(keywords["$ref"].removeprefix("#/$defs/"))
        return self._type_of_kind(keywords.pop("type", None), keywords)

    def _definition_of(self, name: str) -> Any:
        if name not in self.types:
            self.types[name] = None  # a recursive definition has no type
            self.types[name] = self.make(self.definitions[name])
        if self.types[name] is None:
            raise _Untypable
        return self.types[name]

    def _type_of_kind(self, kind: Any, keywords: dict[str, Any]) -> Any:
        limits = {_LIMITS[key]: keywords.pop(key) for key in list(keywords) if key in _LIMITS}
        match kind:
            case "string":
                result = _FORMATS[keywords.pop("format", None)] if keywords.get("format") in _FORMATS else None
            case "array":
                result = list[self.make(keywords.pop("items", {}))]  # type: ignore[misc]
            case "object":
                result = self._to_struct(keywords)
            case _:
                result = _SCALARS.get(kind)
        if result is None or keywords:
            raise _Untypable
        return Annotated[result, msgspec.Meta(**limits)] if limits else result

    def _to_struct(self, keywords: dict[str, Any]) -> Any:
        properties, required = keywords.pop("properties", {}), keywords.pop("required", [])
        if not properties and not required:
            values = keywords.pop("additionalProperties", True)
            return _Object if values is True else dict[str, self.make(values)]  # type: ignore[misc]
        if not properties.keys() >= set(required) or keywords.pop("additionalProperties", True) is not True:
            raise _Untypable
        names = {f"f{index}": name for index, name in enumerate(properties)}
        fields: list[Any] = []
        for field, name in names.items():
            kind = self.make(properties[name])
            fields.append((field, kind) if name in required else (field, kind, None))
        return msgspec.defstruct("Object", fields, rename=names, kw_only=True, gc=False)


def _to_union(choices: list[Any]) -> Any:
    # msgspec 0.22 corrupts memory on some unions with limits in them.
    if any(hasattr(choice, "__metadata__") for choice in choices):
        raise _Untypable
    return Union[tuple(choices)]  # noqa: UP007 - at run time


def _to_literal(kind: Any, values: list[Any], rest: dict[str, Any]) -> Any:
    """A Literal of strings or integers, which msgspec distinguishes as JSON does."""
    if rest or not all(type(value) in (str, int) for value in values) or kind not in (None, "string", "integer"):
        raise _Untypable
    return Literal[tuple(values)]
