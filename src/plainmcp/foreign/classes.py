"""Classes of other packages, recognised by module and name, so that none of these packages is imported.

Knows how pydantic and attrs dump their own values, and which classes, ours, those of the official SDK and of FastMCP,
are which type of the protocol. Arrays and tables are in frames, other objects in objects, pictures in pictures. Knows
no policies or results.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from types import NoneType
from typing import Any, TypeVar, get_args

from ..types import BLOCKS, ResourceContents
from . import frames, mapped, objects
from .pictures import PAINTERS, Painter

__all__ = [
    "CONTENT",
    "CONTENTS",
    "MEDIA",
    "RESULTS",
    "attrs_default_of",
    "dump_model",
    "dumper_of",
    "has_core_schema",
    "has_data",
    "has_excluded_fields",
    "has_extra_fields",
    "has_name_or_default",
    "has_notebook_form",
    "is_closed_model",
    "is_field",
    "is_for_pydantic",
    "is_pydantic",
    "is_serializer",
    "is_table",
    "is_unknown_to_pydantic",
    "is_wire_class",
    "model_hints_of",
    "opener_of",
    "painter_of",
    "rows_encoder_of",
    "wire_type_of",
]

T = TypeVar("T")

CONTENTS = frozenset(kind.__name__ for kind in get_args(ResourceContents))
MEDIA = {"Image": "to_image_content", "Audio": "to_audio_content", "File": "to_resource_content"}
"""Classes of media, and the method by which those of other packages make a block."""
CONTENT = frozenset({*(kind.__name__ for kind in BLOCKS.values()), *CONTENTS, *MEDIA})
"""The types of the protocol, and the classes of media, whose instances are content."""
RESULTS = frozenset(
    {"CallToolResult", "ReadResourceResult", "GetPromptResult", "ToolResult", "ResourceResult", "PromptResult"}
)
"""The types of the protocol, and the classes of FastMCP and ours, whose instances are whole results."""
_WIRE_TYPES = CONTENT | RESULTS | {"PromptMessage", "ResourceContent", "Message"}
_PACKAGES = frozenset({"plainmcp", "mcp", "mcp_types", "fastmcp"})


def is_wire_class(kind: type) -> bool:
    """Whether a class itself, not a base of it, is a type of the protocol."""
    return kind.__name__ in _WIRE_TYPES and kind.__module__.partition(".")[0] in _PACKAGES


@lru_cache(maxsize=4096)
def _find_wire_type(kind: type) -> str:
    for base in kind.__mro__:
        if is_wire_class(base):
            return base.__name__
    return "" if painter_of(kind) is None else "Image"


wire_type_of: Callable[[type], str] = _find_wire_type
"""The name of the protocol's type that instances of a class are, ours or another package's; "" for other classes."""


# pydantic ---------------------------------------------------------------------------------------

# The parts of core schemas for which pydantic's own encoder writes exactly what we would:
# no sets (their order), no bytes (their encoding), no keys but strings, nothing open-ended.
_CLOSED = frozenset(
    {
        "model", "model-fields", "model-field", "definitions", "definition-ref", "default", "nullable",
        "none", "bool", "int", "float", "str", "literal", "enum", "list", "tuple", "dict", "union",
        "tagged-union", "datetime", "date", "time", "timedelta", "decimal", "uuid", "typed-dict",
        "typed-dict-field",
    }
)  # fmt: skip


def is_pydantic(kind: type) -> bool:
    """Whether instances are pydantic models or pydantic dataclasses."""
    return hasattr(kind, "__pydantic_serializer__") and hasattr(kind, "__pydantic_core_schema__")


def is_for_pydantic(part: Any) -> bool:
    """Whether a type in a hint, or its metadata in Annotated, is one that only pydantic understands."""
    kind = part if isinstance(part, type) else type(part)
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    # annotated_types holds pydantic's constraints: PositiveInt is Annotated[int, annotated_types.Gt(0)].
    own = hasattr(part, "__get_pydantic_core_schema__") or is_pydantic(kind)
    return own or not packages.isdisjoint(_PYDANTIC)


_PYDANTIC = frozenset({"pydantic", "pydantic_core", "annotated_types"})


def is_field(value: Any) -> bool:
    """Whether a value is a `Field(...)` of pydantic."""
    return type(value).__name__ == "FieldInfo" and type(value).__module__.partition(".")[0] == "pydantic"


def has_name_or_default(value: Any) -> bool:
    """Whether a value is a `Field(...)` that gives a field another name or a default."""
    return is_field(value) and bool(value.alias or value.validation_alias or not value.is_required())


def is_closed_model(kind: type) -> bool:
    """Whether a pydantic model consists only of parts that its own encoder writes exactly as we do."""
    schema: Any = getattr(kind, "__pydantic_core_schema__", None)
    is_model = is_pydantic(kind) and hasattr(kind, "model_fields")
    return is_model and _is_closed(schema) and not mapped.can_hold_mapped(kind)


def _is_closed(node: Any) -> bool:
    if isinstance(node, (list, tuple)):
        return all(map(_is_closed, node))
    if not isinstance(node, dict):
        return True
    kind = node.get("type")
    if kind not in _CLOSED or "serialization" in node or node.get("computed_fields") or node.get("root_model"):
        return False
    if kind == "dict" and node.get("keys_schema", {}).get("type") != "str":
        return False
    return not _has_own_encoding(node.get("config") or {}) and all(map(_is_closed, _parts_of(node)))


def _has_own_encoding(config: dict[str, Any]) -> bool:
    return config.get("extra_fields_behavior") == "allow" or any(key.startswith("ser_json") for key in config)


def _parts_of(node: dict[str, Any]) -> Iterator[Any]:
    """The schemas inside a core schema."""
    yield from (node[key] for key in _INNER if key in node)
    fields = node.get("fields")
    if isinstance(fields, dict):
        yield from fields.values()
    choices = node.get("choices") or ()
    for choice in choices.values() if isinstance(choices, dict) else choices:
        yield choice[0] if isinstance(choice, tuple) else choice


_INNER = ("schema", "items_schema", "values_schema", "extras_schema", "definitions")


def has_excluded_fields(kind: type) -> bool:
    """Whether a pydantic class leaves some of its fields out of its JSON."""
    fields: Any = getattr(kind, "model_fields", {})
    return any(getattr(field, "exclude", None) or getattr(field, "exclude_if", None) for field in fields.values())


def model_hints_of(kind: type) -> dict[str, Any]:
    """The fields of a pydantic class with their hints."""
    fields: Any = getattr(kind, "model_fields", {})
    return {name: field.annotation for name, field in fields.items()}


def is_serializer(metadata: Any) -> bool:
    """Whether metadata in Annotated is a serializer of pydantic, which decides what a value becomes."""
    return type(metadata).__name__ in _SERIALIZERS and type(metadata).__module__.partition(".")[0] == "pydantic"


_SERIALIZERS = frozenset({"PlainSerializer", "WrapSerializer"})


def dumper_of(hint: Any) -> Callable[[Any], Any]:
    """A function that dumps values of a hint, or of a class, that only pydantic understands."""
    from pydantic import TypeAdapter  # imported already: the hint is one of its own

    dump = TypeAdapter(hint).dump_python
    return lambda value: dump(value, mode="json", by_alias=True, warnings=False)


def has_core_schema(kind: type) -> bool:
    """Whether pydantic decides the JSON of a class: a URL, a secret, or a class written for pydantic."""
    return hasattr(kind, "__get_pydantic_core_schema__") or kind.__module__.partition(".")[0] == "pydantic_core"


def rows_encoder_of(kind: type) -> Callable[[Any], bytes]:
    """An encoder, as fast as pydantic, for a list of models of one closed class."""
    from pydantic import TypeAdapter  # imported already: a handler returned one of its models

    to_json = TypeAdapter(list[kind]).serializer.to_json  # type: ignore[valid-type]
    return lambda rows: to_json(rows, by_alias=True, warnings=False)


def dump_model(value: Any, kind: Any = None) -> Any:
    """A pydantic value as data, with the fields of a class it inherits from, or of its own.

    This is the dump in JSON mode, except for sets: JSON mode has aliases, computed fields and JSON-only serializers
    right; Python mode still shows which lists were sets.
    """
    kind = kind or type(value)
    if mapped.has_table(type(value)) or mapped.can_hold_mapped(kind):
        mapped.load_inside(value)
    to_python = kind.__pydantic_serializer__.to_python
    try:
        as_python = to_python(value, by_alias=True, warnings=False)
    except ValueError as error:
        if not str(error).startswith(("Circular reference", "Maximum serialization depth")):
            raise
        return _open_one_level(value)  # so that the caller finds where the cycle is, or that it nests too deep
    except TypeError:  # a set of models, whose dicts cannot be in a set
        as_python = _open_one_level(value)
    try:
        as_json = to_python(value, mode="json", by_alias=True, warnings=False)
    except Exception:  # bytes that are not text, keys that collide: Python mode lets the caller find where
        return as_python
    return _reconcile(as_json, as_python, _has_plain_bytes(kind))


@lru_cache(maxsize=1024)
def _plain_bytes(kind: type) -> bool:
    schema = repr(getattr(kind, "__pydantic_core_schema__", ""))
    return "'serialization'" not in schema and "ser_json_bytes" not in schema


# Whether a class does not define the JSON of its bytes; they are then encoded as bytes are everywhere else.
_has_plain_bytes: Callable[[type], bool] = _plain_bytes


def _open_one_level(value: Any) -> dict[str, Any]:
    fields = getattr(type(value), "model_fields", {})
    return {
        (fields[name].serialization_alias or name) if name in fields else name: item
        for name, item in vars(value).items()
        if name not in fields or not fields[name].exclude
    }


def _reconcile(as_json: Any, as_python: Any, plain_bytes: bool) -> Any:
    """The dump in JSON mode, except that a list which was a set has no order, and null may be NaN."""
    if isinstance(as_python, Mapping) and isinstance(as_json, dict):
        if len(as_python) != len(as_json):
            return as_python
        pairs = zip(as_json.items(), as_python.values(), strict=True)
        return {key: _reconcile(item, other, plain_bytes) for (key, item), other in pairs}
    if isinstance(as_python, (list, tuple)) and isinstance(as_json, list) and len(as_python) == len(as_json):
        return [_reconcile(one, other, plain_bytes) for one, other in zip(as_json, as_python, strict=True)]
    if isinstance(as_python, (set, frozenset)) and isinstance(as_json, list):
        return _to_set(as_json, as_python)
    return _reconcile_scalar(as_json, as_python, plain_bytes)


def _reconcile_scalar(as_json: Any, as_python: Any, plain_bytes: bool) -> Any:
    if plain_bytes and isinstance(as_python, bytes):
        return as_python
    if isinstance(as_python, float) and isinstance(as_json, (float, NoneType)):
        return as_python
    if isinstance(as_python, str) and isinstance(as_python, Enum) and as_json == str(as_python):
        return as_python.value  # in a union pydantic writes it as it writes a Path or an address that comes first
    return as_json


def _to_set(items: list[Any], original: Any) -> Any:
    try:
        return frozenset(items)
    except TypeError:
        return original


# attrs, arrays, tables and pictures -------------------------------------------------------------


def attrs_default_of(field: Any) -> Callable[[], Any] | None:
    """A function that makes the default of an attrs field; None without a default, or if it needs the object."""
    default = field.default
    if type(default).__name__ == "_Nothing":
        return None
    if type(default).__name__ == "Factory":
        return None if default.takes_self else default.factory
    return lambda: default


def is_unknown_to_pydantic(kind: Any) -> bool:
    """Whether this is a class of records that pydantic does not look into."""
    return hasattr(kind, "__struct_fields__") or (hasattr(kind, "__attrs_attrs__") and not is_pydantic(kind))


def has_extra_fields(kind: type) -> bool:
    """Whether a pydantic class keeps fields that it does not declare."""
    config: Any = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
    return bool(config.get("extra") == "allow")


_OPENERS = frames.OPENERS | objects.OPENERS


def opener_of(kind: type) -> Callable[[Any], Any] | None:
    """A function that turns a value of another package, such as a table, into plain lists, dicts and numbers."""
    # An array of numbers alone, without labels for example, supports DLPack.
    bare = callable(getattr(kind, "__dlpack__", None)) and callable(getattr(kind, "tolist", None))
    return _lookup(kind, _OPENERS) or ((lambda array: array.tolist()) if bare else None)


def painter_of(kind: type) -> Painter | None:
    """A function that turns a picture of another package into the bytes of an image file."""
    return _lookup(kind, PAINTERS)


# The interfaces of tables, and the methods that a notebook calls instead of repr.
_TABLES = ("__arrow_c_array__", "__arrow_c_stream__", "__dataframe__")
_NOTEBOOK_FORMS = ("__array__", "_repr_html_", "_repr_mimebundle_")


def is_table(kind: type) -> bool:
    """Whether values of a class hold columns; their text shows some of the rows, or none."""
    return any(callable(getattr(kind, name, None)) for name in _TABLES)


def has_data(kind: type) -> bool:
    """Whether values of a class hold columns or numbers: iterating over one may give names alone."""
    return is_table(kind) or callable(getattr(kind, "__array__", None))


def has_notebook_form(kind: type) -> bool:
    """Whether a class has a better form for its values than their repr, which is for a console."""
    return is_table(kind) or any(callable(getattr(kind, name, None)) for name in _NOTEBOOK_FORMS)


def _lookup(kind: type, table: dict[tuple[str, str], T]) -> T | None:
    """The entry of a class, or of one of its bases, in a table."""
    for base in kind.__mro__:
        entry = table.get((base.__module__.partition(".")[0], base.__name__))
        if entry is not None:
            return entry
    return None
