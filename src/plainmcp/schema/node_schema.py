"""A tree of nodes -> JSON Schema 2020-12, with a definition for each class and alias in it.

Knows nodes only. What comes out is tidied in shapes.
"""

import re
import textwrap
from enum import Enum
from typing import Any

import msgspec

from . import pydantic
from .matching import branches_of
from .nodes import (
    MISSING,
    Alias,
    Anything,
    Choice,
    Field,
    Foreign,
    Items,
    Members,
    Node,
    Record,
    Row,
    Scalar,
    Text,
    Union,
    limit_keywords_of,
)
from .subschemas import FLAT, INTEGER_NAME, NUMBER_NAME, Schema, join_definitions

__all__ = ["schema_of"]

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
# Formats that a returned value is not sure to keep: a moment may lack its time zone, which RFC 3339 asks for.
_SENT_FORMATS = frozenset({"date", "duration", "uuid", "decimal", "ipv4", "ipv6"})
_KEYS: dict[type, Schema] = {
    int: {"pattern": INTEGER_NAME},
    float: {"pattern": NUMBER_NAME},
    bool: {"enum": ["true", "false"]},
    type(None): {"enum": ["null"]},
}


def schema_of(node: Node, *, is_input: bool, outline: bool = False) -> tuple[Schema, dict[str, Schema]]:
    """The schema of what is given, or else of what is sent, and the definitions it refers to.

    An `outline` says of what pydantic reads only whether it is an array or an object.

    >>> from plainmcp.schema.type_tree import tree_of
    >>> schema_of(tree_of(list[int]), is_input=True)
    ({'type': 'array', 'items': {'type': 'integer'}}, {})
    """
    writer = _Writer(is_input, outline)
    schema = writer.write(node)
    return schema, writer.definitions


class _Writer:
    """One schema in the making."""

    def __init__(self, is_input: bool, outline: bool) -> None:
        self._is_input = is_input
        self._outline = outline
        self._names: dict[Any, str] = {}
        self.definitions: dict[str, Schema] = {}

    def write(self, node: Node) -> Schema:
        match node:
            case Record() | Alias():
                return {**node.notes, **self._reference(node)}
            case Row() | Choice() if node.kind is not None:
                return {**node.notes, **self._reference(node)}
        return {**node.notes, **self._write_out(node)}

    def _reference(self, node: Record | Alias | Row | Choice) -> Schema:
        """A reference to the definition of a class, which is written when it is first met."""
        if node.kind not in self._names:
            name = _free_name(node.kind, self.definitions)
            self._names[node.kind] = name
            self.definitions[name] = {}
            self.definitions[name] = {**_describe(node), **self._write_out(node)}
        return {"$ref": f"#/$defs/{self._names[node.kind]}"}

    def _write_out(self, node: Node) -> Schema:
        match node:
            case Anything():
                return FLAT if node.flat else {}
            case Foreign():
                schema, definitions = pydantic.json_schema_of(
                    node.hint, "validation" if self._is_input else "serialization"
                )
                if self._outline:
                    return _outline({**schema, "$defs": definitions})
                return join_definitions(schema, definitions, self.definitions)
            case Scalar():
                return {"type": _TYPES[node.json], **limit_keywords_of(node)}
            case Text():
                return {"type": "string", **self._format(node), **limit_keywords_of(node)}
            case Choice():
                return {"enum": [value for value, _ in node.options]}
            case Items():
                return self._items(node)
            case Row():
                return self._row(node)
            case Members():
                return self._members(node)
            case Record():
                return self._record(node)
            case Union():
                return {"anyOf": [self.write(one) for one in sorted(node.members, key=_is_null)]}
            case Alias():
                return self.write(node.inner)
        raise AssertionError(node)

    def _format(self, node: Text) -> Schema:
        name = node.format.name
        if name == "base64":
            return {"contentEncoding": "base64"}
        zoned = node.limits.get("tz")
        if zoned is False and name == "time":
            return {"format": "partial-time"}
        sure = self._is_input or name in _SENT_FORMATS or zoned
        return {"format": name} if name and sure and zoned is not False else {}

    def _items(self, node: Items) -> Schema:
        items = {} if isinstance(node.item, Anything) and not node.item.flat else {"items": self.write(node.item)}
        unique = {"uniqueItems": True} if node.unique else {}
        return {"type": "array", **items, **limit_keywords_of(node), **unique}

    def _row(self, node: Row) -> Schema:
        items = [self._field(one) for one in node.items]
        if node.kind is None:
            rest = {"prefixItems": items, "items": False} if items else {}
            return {"type": "array", "minItems": node.least, "maxItems": len(items), **rest}
        most = {"maxItems": len(items)} if node.closed else {}
        return {"type": "array", "prefixItems": items, "minItems": node.least, **most}

    def _members(self, node: Members) -> Schema:
        names = self._names_of(node.key)
        values = {} if isinstance(node.value, Anything) else {"additionalProperties": self.write(node.value)}
        return {
            "type": "object",
            **({"propertyNames": names} if names else {}),
            **values,
            **limit_keywords_of(node),
        }

    def _names_of(self, key: Node) -> Schema:
        """What the names of an object's members are like: always strings, so that need not be said."""
        match key:
            case Alias():
                return self._names_of(key.inner)
            case Scalar() if key.json is str:
                return {name: value for name, value in self.write(key).items() if name != "type"}
            case _ if not self._is_input:
                return {}
            case Scalar():
                return _KEYS[key.json]
            case Choice():
                return {"enum": [as_key(value) for value, _ in key.options]}
            case Text():
                return {name: value for name, value in self.write(key).items() if name != "type"}
            case Union():
                choices = [self._names_of(one) for one in key.members]
                return {"anyOf": choices} if all(choices) else {}
        return {}

    def _record(self, node: Record) -> Schema:
        properties = {wire: self._field(one) for wire, one in node.fields.items()}
        required = [wire for wire, one in node.fields.items() if one.required]
        closed = {"additionalProperties": False} if node.closed else {}
        return {"type": "object", "properties": properties, "required": required, **closed}

    def _field(self, field: Field) -> Schema:
        found = self.write(field.node)
        if field.default is MISSING:
            return found
        try:
            return {**found, "default": msgspec.to_builtins(field.default, str_keys=True)}
        except (TypeError, ValueError, RecursionError):
            return found


def _outline(schema: Schema) -> Schema:
    """Whether values are arrays or objects, which a string may hold; else nothing is said that could change one."""
    kinds = [one.get("type") for one in branches_of(schema, schema) if isinstance(one, dict)]
    if not set(kinds) <= {"array", "object", "null"}:
        return {"type": ["integer", "string"]} if kinds == ["integer"] else {}
    return {"anyOf": [{"type": kind} for kind in kinds]}


def as_key(value: Any) -> str:
    """A JSON value as the name of an object's member.

    >>> as_key("red"), as_key(1), as_key(True)
    ('red', '1', 'true')
    """
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.json is type(None)


# Names --------------------------------------------------------------------------------------------


def _free_name(kind: Any, taken: dict[str, Schema]) -> str:
    name = re.sub(r"[^a-zA-Z0-9.\-_]", "_", _title(kind))
    if name in taken:
        name = re.sub(r"[^a-zA-Z0-9.\-_]", "_", f"{kind.__module__}.{getattr(kind, '__qualname__', name)}")
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    return new


def _title(kind: Any) -> str:
    """The name of a class or an alias, with the types a generic one was given."""
    origin = getattr(kind, "__origin__", None)
    if origin is None:
        return str(kind.__name__)
    args = ", ".join(one.__name__ if isinstance(one, type) else repr(one) for one in kind.__args__)
    return f"{origin.__name__}[{args}]"


def _describe(node: Record | Alias | Row | Choice) -> Schema:
    """The title and the docstring of a class; not the one Python makes up."""
    if isinstance(node, Alias):
        return {}
    kind = getattr(node.kind, "__origin__", node.kind)
    doc = textwrap.dedent(kind.__doc__ or "").strip("\r\n")
    made_up = doc.startswith(f"{kind.__name__}(") and doc.endswith(")") and not issubclass(kind, msgspec.Struct)
    if issubclass(kind, Enum) and doc == "An enumeration.":
        made_up = True
    return {"title": _title(node.kind), **({"description": doc} if doc and not made_up else {})}
