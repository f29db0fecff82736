"""The JSON Schema 2020-12 of a tree of nodes, with a definition for each class and alias.

Knows nodes only. hint_schema tidies the schema.
"""

import inspect
import re
from typing import Any

import msgspec

from ..errors import NormalizeError
from ..policy import Policy
from ..values.encode import RULES
from . import pydantic
from .docstring import Prose, prose_of_class
from .generics import class_of
from .matching import allowed_values_of, branches_of
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
from .subschemas import FLAT, INTEGER_NAME, JSON_TYPES, NUMBER_NAME, Schema, join_definitions, with_definitions

__all__ = ["as_key", "default_of", "schema_of"]

# Formats that every returned value has: a date-time may lack its time zone, which RFC 3339 requires.
_SENT_FORMATS = frozenset({"date", "duration", "uuid", "decimal", "ipv4", "ipv6"})
_KEYS: dict[type, Schema] = {
    int: {"pattern": INTEGER_NAME},
    float: {"pattern": NUMBER_NAME},
    bool: {"enum": ["true", "false"]},
    type(None): {"enum": ["null"]},
}


def schema_of(
    node: Node, *, is_input: bool, outline: bool = False, split_docs: bool = True
) -> tuple[Schema, dict[str, Schema]]:
    """The schema of input, or else of output, and the definitions it refers to.

    In an `outline` the types of pydantic are only arrays or objects. With `split_docs` the docstring of a class
    describes its fields, too.

    >>> from plainmcp.schema.type_tree import tree_of
    >>> schema_of(tree_of(list[int]), is_input=True)
    ({'type': 'array', 'items': {'type': 'integer'}}, {})
    """
    writer = _Writer(is_input, outline, split_docs)
    schema = writer.write(node)
    return schema, writer.definitions


class _Writer:
    """Writes one schema and its definitions."""

    def __init__(self, is_input: bool, outline: bool, split_docs: bool) -> None:
        self._is_input = is_input
        self._outline = outline
        self._split_docs = split_docs
        self._names: dict[Any, str] = {}
        self.definitions: dict[str, Schema] = {}

    def write(self, node: Node) -> Schema:
        match node:
            case Record() | Alias():
                return {**node.notes, **self._refer_to(node)}
            case Row() | Choice() if node.kind is not None:
                return {**node.notes, **self._refer_to(node)}
        return {**node.notes, **self._write_out(node)}

    def _refer_to(self, node: Record | Alias | Row | Choice) -> Schema:
        """A reference to the definition of a class, which is written when it is first needed."""
        if node.kind not in self._names:
            name = _find_free_name(node.kind, self.definitions)
            self._names[node.kind] = name
            self.definitions[name] = {}
            self.definitions[name] = {**self._describe(node), **self._write_out(node)}
        return {"$ref": f"#/$defs/{self._names[node.kind]}"}

    def _describe(self, node: Record | Alias | Row | Choice) -> Schema:
        """The title and the docstring of a class."""
        if isinstance(node, Alias):
            return {}
        prose = self._prose_of(node)
        return {"title": _title_of(node.kind), **({"description": prose.whole} if prose.whole else {})}

    def _prose_of(self, node: Record | Row | Choice) -> Prose:
        return Prose() if node.kind is None else prose_of_class(class_of(node.kind), split=self._split_docs)

    def _write_out(self, node: Node) -> Schema:
        match node:
            case Anything():
                return FLAT if node.flat else {}
            case Foreign():
                return self._write_foreign(node)
            case Scalar():
                return {"type": JSON_TYPES[node.json], **limit_keywords_of(node)}
            case Text():
                return {"type": "string", **self._format_of(node), **limit_keywords_of(node)}
            case Choice():
                return {"enum": [value for value, _ in node.options]}
            case Items():
                return self._write_items(node)
            case Row():
                return self._write_row(node)
            case Members():
                return self._write_members(node)
            case Record():
                return self._write_record(node)
            case Union():
                return {"anyOf": [self.write(one) for one in sorted(node.members, key=_is_null)]}
            case Alias():
                return self.write(node.inner)
        raise AssertionError(node)

    def _write_foreign(self, node: Foreign) -> Schema:
        mode = "validation" if self._is_input else "serialization"
        schema, definitions = pydantic.json_schema_of(node.hint, mode, split_docs=self._split_docs)
        if self._outline:
            return _outline_of(with_definitions(schema, definitions))
        return join_definitions(schema, definitions, self.definitions)

    def _format_of(self, node: Text) -> Schema:
        name = node.format.name
        if name == "base64":
            return {"contentEncoding": "base64"}
        time_zone = node.limits.get("tz")
        if time_zone is False and name == "time":
            return {"format": "partial-time"}
        is_sure = self._is_input or name in _SENT_FORMATS or time_zone
        return {"format": name} if name and is_sure and time_zone is not False else {}

    def _write_items(self, node: Items) -> Schema:
        unique = {"uniqueItems": True} if node.unique else {}
        return {"type": "array", "items": self.write(node.item), **limit_keywords_of(node), **unique}

    def _write_row(self, node: Row) -> Schema:
        words = self._prose_of(node).parameters
        items = [self._write_field(one, words) for one in node.items]
        least = node.least if self._is_input else len(items)  # an item with a default is always sent
        each = {"prefixItems": items} if items else {}
        most = {"maxItems": len(items)} if node.closed else {}
        return {"type": "array", **each, "minItems": least, **most}

    def _write_members(self, node: Members) -> Schema:
        names = self._write_names(node.key)
        values = {} if isinstance(node.value, Anything) else {"additionalProperties": self.write(node.value)}
        return {
            "type": "object",
            **({"propertyNames": names} if names else {}),
            **values,
            **limit_keywords_of(node),
        }

    def _write_names(self, key: Node) -> Schema:
        """The schema of the names of an object's members, without the type, which is always string."""
        match key:
            case Alias():
                return self._write_names(key.inner)
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
                choices = [self._write_names(one) for one in key.members]
                return {"anyOf": choices} if all(choices) else {}
        return {}

    def _write_record(self, node: Record) -> Schema:
        words = self._prose_of(node).parameters
        properties = {wire: self._write_field(one, words) for wire, one in node.fields.items()}
        required = [wire for wire, one in node.fields.items() if one.required]
        others = {} if node.rest is None else {"additionalProperties": self.write(node.rest)}
        closed = {"additionalProperties": False} if node.closed else others
        return {"type": "object", "properties": properties, "required": required, **closed}

    def _write_field(self, field: Field, words: dict[str, str]) -> Schema:
        schema = self.write(field.node)
        if field.name in words:
            schema = {"description": words[field.name], **schema}
        return {**schema, **default_of(field.default)}


def default_of(value: Any) -> Schema:
    """A default as JSON, as it would be sent; nothing if there is none, or if it has no form in JSON.

    >>> default_of({2, 1})
    {'default': [1, 2]}
    """
    if value is MISSING or value is inspect.Parameter.empty:
        return {}
    try:
        return {"default": msgspec.json.decode(RULES.encode(value, _STRICT))}
    except NormalizeError:
        return {}


_STRICT = Policy(unserializable="error")


def _outline_of(schema: Schema) -> Schema:
    """The schema of what may be sent in a string: arrays, objects, choices; else one that repairs no value."""
    branches = [one for one in branches_of(schema, schema) if isinstance(one, dict)]
    outlines = [{key: one[key] for key in ("enum", "const", "type") if key in one} for one in branches]
    if outlines == [{"type": "integer"}]:
        return {"type": ["integer", "string"]}
    is_sure = all(allowed_values_of(one) or one.get("type") in ("array", "object", "null") for one in outlines)
    return {"anyOf": outlines} if is_sure else {}


def as_key(value: Any) -> str:
    """A JSON value as the name of an object's member.

    >>> as_key("red"), as_key(1), as_key(True)
    ('red', '1', 'true')
    """
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.json is type(None)


# Names --------------------------------------------------------------------------------------------


def _find_free_name(kind: Any, used: dict[str, Schema]) -> str:
    name = re.sub(r"[^a-zA-Z0-9.\-_]", "_", _title_of(kind))
    if name in used:
        name = re.sub(r"[^a-zA-Z0-9.\-_]", "_", f"{kind.__module__}.{getattr(kind, '__qualname__', name)}")
    number, new = 1, name
    while new in used:
        number += 1
        new = f"{name}_{number}"
    return new


def _title_of(kind: Any) -> str:
    """The name of a class or an alias, with its type arguments."""
    origin = getattr(kind, "__origin__", None)
    if origin is None:
        return str(kind.__name__)
    args = ", ".join(one.__name__ if isinstance(one, type) else repr(one) for one in kind.__args__)
    return f"{origin.__name__}[{args}]"
