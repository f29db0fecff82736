"""Whether the JSON of a returned value keeps the output schema that is listed for it."""

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
    """Raises OutputError for JSON that does not keep a schema.

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
        except (msgspec.ValidationError, RecursionError):  # not a verdict yet
            self._validate(raw)

    @cached_property
    def _decode(self) -> Callable[[bytes], Any]:
        """Accepts JSON, by decoding it as a type that is as strict as the schema; made when first used."""
        kind = type_of(self._schema)
        try:
            return self._validate if kind is None else codec.decoder_of(kind)
        except (TypeError, ValueError, OverflowError):  # a union that msgspec cannot tell apart
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
_FORMATS: dict[str | None, Any] = {None: str, "date": datetime.date, "uuid": _UUID}


class _Untypable(Exception):
    """A schema says something that no type says."""


class _Object(msgspec.Struct, gc=False):
    """Any object; its members are passed over."""


def type_of(schema: Schema) -> Any:
    """The type of a schema; None where there is none.

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
        return self._type_for(keywords.pop("type", None), keywords)

    def _definition_of(self, name: str) -> Any:
        if name not in self.types:
            self.types[name] = None  # one that leads back to itself has no type
            self.types[name] = self.make(self.definitions[name])
        if self.types[name] is None:
            raise _Untypable
        return self.types[name]

    def _type_for(self, kind: Any, keywords: dict[str, Any]) -> Any:
        limits = {_LIMITS[key]: keywords.pop(key) for key in list(keywords) if key in _LIMITS}
        match kind:
            case "string":
                kind_of_value = _FORMATS[keywords.pop("format", None)] if keywords.get("format") in _FORMATS else None
            case "integer":
                kind_of_value = int
            case "number":
                kind_of_value = float
            case "boolean":
                kind_of_value = bool
            case "null":
                kind_of_value = type(None)
            case "array":
                kind_of_value = self._array(keywords)
            case "object":
                kind_of_value = self._object(keywords)
            case _:
                kind_of_value = None
        if kind_of_value is None or keywords:
            raise _Untypable
        return Annotated[kind_of_value, msgspec.Meta(**limits)] if limits else kind_of_value

    def _array(self, keywords: dict[str, Any]) -> Any:
        return list[self.make(keywords.pop("items", {}))]  # type: ignore[misc]

    def _object(self, keywords: dict[str, Any]) -> Any:
        properties, required = keywords.pop("properties", {}), keywords.pop("required", [])
        if not properties and not required:
            return self._mapping(keywords.pop("additionalProperties", True))
        if not properties.keys() >= set(required) or keywords.pop("additionalProperties", True) is not True:
            raise _Untypable
        names = {f"f{index}": name for index, name in enumerate(properties)}
        fields: list[Any] = []
        for field, name in names.items():
            kind = self.make(properties[name])
            fields.append((field, kind) if name in required else (field, kind, None))
        return msgspec.defstruct("Object", fields, rename=names, kw_only=True, gc=False)

    def _mapping(self, values: Any) -> Any:
        return _Object if values is True else dict[str, self.make(values)]  # type: ignore[misc]


def _to_union(choices: list[Any]) -> Any:
    # msgspec 0.22 corrupts memory on some unions with limits in them.
    if any(hasattr(choice, "__metadata__") for choice in choices):
        raise _Untypable
    return Union[tuple(choices)]  # noqa: UP007 - at run time


def _to_literal(kind: Any, values: list[Any], rest: dict[str, Any]) -> Any:
    """One of some strings or integers, which msgspec tells apart as JSON does."""
    if rest or not all(type(value) in (str, int) for value in values) or kind not in (None, "string", "integer"):
        raise _Untypable
    return Literal[tuple(values)]
