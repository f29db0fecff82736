"""A JSON Schema -> a type that msgspec decodes, which accepts nothing that the schema forbids.

To decode JSON as such a type is the fastest way to learn that it is valid. Schemas with a keyword that msgspec has no
equal for have no type; what is not accepted may still be valid, and is for the validator to decide.
"""

import datetime
from typing import Annotated, Any, Literal, Union

import msgspec

from .subschemas import Schema

__all__ = ["type_of"]

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
        return _Maker(schema.get("$defs", {})).make({key: one for key, one in schema.items() if key != "$defs"})
    except (_Untypable, KeyError, TypeError, ValueError, RecursionError):
        return None


class _Maker:
    def __init__(self, definitions: dict[str, Schema]) -> None:
        self.definitions = definitions
        self.known: dict[str, Any] = {}

    def make(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            raise _Untypable
        said = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
        if not said:
            return msgspec.Raw
        if "enum" in said:
            return _literal(said.pop("type", None), said.pop("enum"), said)
        if "const" in said:
            return _literal(said.pop("type", None), [said.pop("const")], said)
        if said.keys() == {"anyOf"}:
            return _union([self.make(choice) for choice in said["anyOf"]])
        if said.keys() == {"$ref"}:
            return self._definition(said["$ref"].removeprefix("#/$defs/"))
        return self._typed(said.pop("type", None), said)

    def _definition(self, name: str) -> Any:
        if name not in self.known:
            self.known[name] = None  # one that leads back to itself has no type
            self.known[name] = self.make(self.definitions[name])
        if self.known[name] is None:
            raise _Untypable
        return self.known[name]

    def _typed(self, kind: Any, said: dict[str, Any]) -> Any:
        limits = {_LIMITS[key]: said.pop(key) for key in list(said) if key in _LIMITS}
        match kind:
            case "string":
                made = _FORMATS[said.pop("format", None)] if said.get("format") in _FORMATS else None
            case "integer":
                made = int
            case "number":
                made = float
            case "boolean":
                made = bool
            case "null":
                made = type(None)
            case "array":
                made = self._array(said)
            case "object":
                made = self._object(said)
            case _:
                made = None
        if made is None or said:
            raise _Untypable
        return Annotated[made, msgspec.Meta(**limits)] if limits else made

    def _array(self, said: dict[str, Any]) -> Any:
        return list[self.make(said.pop("items", {}))]  # type: ignore[misc]

    def _object(self, said: dict[str, Any]) -> Any:
        properties, required = said.pop("properties", {}), said.pop("required", [])
        if not properties and not required:
            return self._mapping(said.pop("additionalProperties", True))
        if not properties.keys() >= set(required) or said.pop("additionalProperties", True) is not True:
            raise _Untypable
        names = {f"f{index}": name for index, name in enumerate(properties)}
        fields: list[Any] = []
        for field, name in names.items():
            kind = self.make(properties[name])
            fields.append((field, kind) if name in required else (field, kind, None))
        return msgspec.defstruct("Object", fields, rename=names, kw_only=True, gc=False)

    def _mapping(self, values: Any) -> Any:
        return _Object if values is True else dict[str, self.make(values)]  # type: ignore[misc]


def _union(choices: list[Any]) -> Any:
    # msgspec 0.22 corrupts memory on some unions with limits in them.
    if any(hasattr(choice, "__metadata__") for choice in choices):
        raise _Untypable
    return Union[tuple(choices)]  # noqa: UP007 - at run time


def _literal(kind: Any, values: list[Any], rest: dict[str, Any]) -> Any:
    """One of some strings or integers, which msgspec tells apart as JSON does."""
    if rest or not all(type(value) in (str, int) for value in values) or kind not in (None, "string", "integer"):
        raise _Untypable
    return Literal[tuple(values)]
