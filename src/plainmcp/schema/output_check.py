"""The check of a returned value's JSON by the output schema that is listed for it.

Decoding JSON as a type of msgspec that accepts nothing the schema forbids takes a third of the validator's time. JSON
that the type does not accept may still be valid; then, and where there is no type, the validator decides. The type is
made of the schema and not of the hint: pydantic makes the schemas of its types, so no hint says the same.
"""

import datetime
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Literal, Union

import msgspec

from ..errors import OutputError
from ..wire import codec
from . import wording
from .validator import Validator

__all__ = ["OutputCheck"]


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
        try:
            return codec.decoder_of(_type_of(self._schema))
        except (TypeError, ValueError, KeyError, OverflowError, RecursionError):  # there is no such type
            return self._validate

    def _validate(self, raw: bytes) -> None:
        data = msgspec.json.decode(raw)
        for problem in self._validator.find_problems(data):
            raise OutputError(wording.format_path(problem.keys, "$"), problem.expected, problem.got)


# Types of schemas ----------------------------------------------------------------------------------

_ANNOTATIONS = frozenset(
    {"title", "description", "examples", "default", "deprecated", "readOnly", "writeOnly", "$schema"}
)
_SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": type(None)}
_UUID = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
_FORMATS: dict[str, Any] = {"date": datetime.date, "uuid": _UUID}
_LIMITS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
}


def _type_of(schema: Any) -> Any:
    """The type of msgspec for a schema; raises TypeError, or another error, for keywords that no type has."""
    if not isinstance(schema, dict):
        raise TypeError(schema)
    keywords = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    names = keywords.keys() - {"type"}
    match keywords.get("type"):
        case None if not names:
            return msgspec.Raw
        case None if names == {"anyOf"}:
            return _to_union(list(map(_type_of, keywords["anyOf"])))
        case "array" if names <= {"items"}:
            return list[_type_of(keywords.get("items", {}))]  # type: ignore[misc]
        case "object" if names <= {"additionalProperties"}:
            return dict[str, _type_of(keywords.get("additionalProperties", {}))]  # type: ignore[misc]
        case "object" if names <= {"properties", "required"}:
            return _to_struct(keywords.get("properties", {}), keywords.get("required", []))
        case "string" if names == {"format"}:
            return _FORMATS[keywords["format"]]
        case "string" | "integer" as kind if names == {"enum"} or names == {"const"}:
            return _to_literal(_SCALARS[kind], keywords.get("enum", [keywords.get("const")]))
        case str(kind) if names <= _LIMITS.keys():
            limits = {_LIMITS[name]: keywords[name] for name in names}
            return Annotated[_SCALARS[kind], msgspec.Meta(**limits)] if limits else _SCALARS[kind]
    raise TypeError(schema)


def _to_union(choices: list[Any]) -> Any:
    # msgspec 0.22 corrupts memory on some unions with limits in them.
    if any(hasattr(choice, "__metadata__") for choice in choices):
        raise TypeError(choices)
    return Union[tuple(choices)]  # noqa: UP007 - at run time


def _to_literal(kind: type, values: list[Any]) -> Any:
    if {type(value) for value in values} != {kind}:
        raise TypeError(values)
    return Literal[tuple(values)]


def _to_struct(properties: dict[str, Any], required: list[str]) -> Any:
    if not properties.keys() >= set(required):
        raise TypeError(required)
    names = {f"f{index}": name for index, name in enumerate(properties)}
    fields: list[Any] = []
    for field, name in names.items():
        kind = _type_of(properties[name])
        fields.append((field, kind) if name in required else (field, kind, None))
    return msgspec.defstruct("Object", fields, rename=names, kw_only=True, gc=False)
