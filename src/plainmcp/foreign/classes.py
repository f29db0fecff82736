"""Other packages' objects, told by module and name so that none of those packages is imported for anyone.

Knows how pydantic and attrs take their own values apart, and which classes, ours, the official SDK's and FastMCP's,
stand for which word of the protocol. Arrays and tables are told in frames, pictures in pictures. Knows nothing of
policies or results.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from .frames import OPENERS
from .pictures import PAINTERS, Painter

__all__ = [
    "allows_extra",
    "arranges_field",
    "attrs_default",
    "attrs_fields",
    "dump_model",
    "dumper",
    "excludes",
    "has_core_schema",
    "holds_data",
    "is_closed_model",
    "is_field",
    "is_pydantic",
    "is_serializer",
    "is_sketched",
    "is_table",
    "is_unknown_to_pydantic",
    "model_hints",
    "of_pydantic",
    "opener",
    "painter",
    "plain_fields",
    "rows_to_json",
    "word",
]

T = TypeVar("T")

_WORDS = frozenset(
    {
        "TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource",
        "TextResourceContents", "BlobResourceContents",
        "CallToolResult", "ReadResourceResult", "GetPromptResult", "PromptMessage",
        "Image", "Audio", "File", "ToolResult", "ResourceResult", "ResourceContent", "PromptResult", "Message",
    }
)  # fmt: skip
_SPEAKERS = frozenset({"plainmcp", "mcp", "mcp_types", "fastmcp"})


@lru_cache(maxsize=4096)
def _word(kind: type) -> str:
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] in _SPEAKERS and base.__name__ in _WORDS:
            return base.__name__
    return "" if painter(kind) is None else "Image"


word: Callable[[type], str] = _word
"""The protocol's word for what instances of a class are, ours or another package's; "" for all else."""


# pydantic ---------------------------------------------------------------------------------------

# What a core schema may consist of for pydantic's own encoder to write exactly what we would:
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


def of_pydantic(part: Any) -> bool:
    """Whether a type in a hint, or something said beside it in Annotated, is for pydantic to understand."""
    kind = part if isinstance(part, type) else type(part)
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    # annotated_types holds pydantic's constraints: PositiveInt is Annotated[int, annotated_types.Gt(0)].
    own = hasattr(part, "__get_pydantic_core_schema__") or is_pydantic(kind)
    return own or not packages.isdisjoint(_PYDANTIC)


_PYDANTIC = frozenset({"pydantic", "pydantic_core", "annotated_types"})


def is_field(value: Any) -> bool:
    """Whether this is what pydantic's `Field(...)` gives."""
    return type(value).__name__ == "FieldInfo" and type(value).__module__.partition(".")[0] == "pydantic"


def arranges_field(said: Any) -> bool:
    """Whether this is a `Field(...)` that gives a field another name or a default."""
    return is_field(said) and bool(said.alias or said.validation_alias or not said.is_required())


def is_closed_model(kind: type) -> bool:
    """Whether a pydantic model is made of such parts only that its own encoder can be trusted as it is."""
    schema: Any = getattr(kind, "__pydantic_core_schema__", None)
    return is_pydantic(kind) and hasattr(kind, "model_fields") and _closed(schema)


def _closed(node: Any) -> bool:
    if isinstance(node, (list, tuple)):
        return all(map(_closed, node))
    if not isinstance(node, dict):
        return True
    kind = node.get("type")
    if kind not in _CLOSED or "serialization" in node or node.get("computed_fields") or node.get("root_model"):
        return False
    config = node.get("config") or {}
    if config.get("extra_fields_behavior") == "allow" or any(key.startswith("ser_json") for key in config):
        return False
    if kind == "dict" and node.get("keys_schema", {}).get("type") != "str":
        return False
    parts = [node[key] for key in _INNER if key in node]
    fields = node.get("fields")
    if isinstance(fields, dict):
        parts.extend(fields.values())
    choices = node.get("choices")
    if isinstance(choices, dict):
        parts.extend(choices.values())
    elif choices is not None:
        parts.extend(choice[0] if isinstance(choice, tuple) else choice for choice in choices)
    return all(map(_closed, parts))


_INNER = ("schema", "items_schema", "values_schema", "definitions")


def excludes(kind: type) -> bool:
    """Whether a pydantic class keeps some of its fields to itself."""
    fields: Any = getattr(kind, "model_fields", {})
    return any(getattr(field, "exclude", None) or getattr(field, "exclude_if", None) for field in fields.values())


def plain_fields(kind: type) -> dict[str, tuple[str, Any]] | None:
    """The fields of a closed model, each with its name in JSON and its hint; None where that is not all there is."""
    if not is_closed_model(kind) or excludes(kind) or _extends_schema(kind):
        return None
    fields: Any = getattr(kind, "model_fields", {})
    if any(field.metadata or field.json_schema_extra for field in fields.values()):
        return None
    return {
        name: (field.serialization_alias or field.alias or name, field.annotation) for name, field in fields.items()
    }


def _extends_schema(kind: Any) -> bool:
    own = (base for base in kind.__mro__ if base.__module__.partition(".")[0] != "pydantic")
    written = any("__get_pydantic_json_schema__" in vars(base) for base in own)
    config = {key: value for key, value in kind.model_config.items() if (key, value) != ("extra", "ignore")}
    return written or not _SAYS_NOTHING.issuperset(config)


# What of a model's configuration leaves its schema and its JSON as they are, but for names.
_SAYS_NOTHING = frozenset(
    {"frozen", "populate_by_name", "validate_by_name", "validate_by_alias", "validate_assignment", "validate_default"}
    | {"from_attributes", "alias_generator", "title", "revalidate_instances", "hide_input_in_errors"}
)


def model_hints(kind: type) -> dict[str, Any]:
    """The fields of a pydantic class and what they are annotated with."""
    fields: Any = getattr(kind, "model_fields", {})
    return {name: field.annotation for name, field in fields.items()}


def is_serializer(remark: Any) -> bool:
    """Whether something said in Annotated is a serializer of pydantic's, which says what a value becomes."""
    return type(remark).__name__ in _SERIALIZERS and type(remark).__module__.partition(".")[0] == "pydantic"


_SERIALIZERS = frozenset({"PlainSerializer", "WrapSerializer"})


def dumper(hint: Any) -> Callable[[Any], Any]:
    """What makes data of values of a hint, or of a class, that only pydantic understands."""
    from pydantic import TypeAdapter  # the user's own package: the hint is of its making

    dump = TypeAdapter(hint).dump_python
    return lambda value: dump(value, mode="json", by_alias=True, warnings=False)


def has_core_schema(kind: type) -> bool:
    """Whether pydantic says what values of a class are in JSON: a URL, a secret, or a class made for pydantic."""
    return hasattr(kind, "__get_pydantic_core_schema__") or kind.__module__.partition(".")[0] == "pydantic_core"


def rows_to_json(kind: type) -> Callable[[Any], bytes]:
    """An encoder, at pydantic's own speed, for a list of models of one closed class."""
    from pydantic import TypeAdapter  # the user's own package: a model of it was just returned

    to_json = TypeAdapter(list[kind]).serializer.to_json  # type: ignore[valid-type]
    return lambda rows: to_json(rows, by_alias=True, warnings="error")


def dump_model(value: Any, kind: Any = None) -> Any:
    """One pydantic value as data, with the fields of a class it inherits from, or of its own.

    It is what JSON mode says, but sets as themselves: JSON mode has aliases, computed fields and JSON-only
    serializers right; Python mode still shows which lists were sets.
    """
    kind = kind or type(value)
    to_python = kind.__pydantic_serializer__.to_python
    try:
        shown = to_python(value, by_alias=True, warnings=False)
    except ValueError as error:
        if not str(error).startswith(("Circular reference", "Maximum serialization depth")):
            raise
        return _one_level(value)  # so that the caller finds out where it goes round, or on and on
    try:
        spoken = to_python(value, mode="json", by_alias=True, warnings=False)
    except Exception:  # bytes that are no text, keys that collide: Python mode lets the caller say where
        return shown
    return _reconcile(spoken, shown, _has_plain_bytes(kind))


@lru_cache(maxsize=1024)
def _plain_bytes(kind: type) -> bool:
    schema = repr(getattr(kind, "__pydantic_core_schema__", ""))
    return "'serialization'" not in schema and "ser_json_bytes" not in schema


# Whether nobody said how bytes in a class look in JSON; then they look as bytes do everywhere else.
_has_plain_bytes: Callable[[type], bool] = _plain_bytes


def _one_level(value: Any) -> dict[str, Any]:
    fields = getattr(type(value), "model_fields", {})
    return {
        (fields[name].serialization_alias or name) if name in fields else name: item
        for name, item in vars(value).items()
        if name not in fields or not fields[name].exclude
    }


def _reconcile(spoken: Any, shown: Any, plain_bytes: bool) -> Any:
    """What pydantic says in JSON, except that a list which was a set has no order, and null may be NaN."""
    if plain_bytes and isinstance(shown, bytes):
        return shown
    if isinstance(shown, (set, frozenset)) and isinstance(spoken, list):
        try:
            return frozenset(spoken)
        except TypeError:
            return shown
    if isinstance(shown, float) and (spoken is None or isinstance(spoken, float)):
        return shown
    if isinstance(shown, Mapping) and isinstance(spoken, dict):
        if len(shown) != len(spoken):
            return shown
        return {
            key: _reconcile(spoken[key], item, plain_bytes) for key, item in zip(spoken, shown.values(), strict=True)
        }
    if isinstance(shown, (list, tuple)) and isinstance(spoken, list) and len(shown) == len(spoken):
        return [_reconcile(one, other, plain_bytes) for one, other in zip(spoken, shown, strict=True)]
    return spoken


# attrs, arrays, tables and pictures -------------------------------------------------------------


def attrs_fields(kind: type) -> tuple[str, ...] | None:
    """The public field names of an attrs class; None for any other class."""
    fields = getattr(kind, "__attrs_attrs__", None)
    if fields is None:
        return None
    return tuple(field.name for field in fields if not field.name.startswith("_"))


def attrs_default(field: Any) -> Callable[[], Any] | None:
    """What makes the default of an attrs field; None where there is none, or where it takes the object to make it."""
    default = field.default
    if type(default).__name__ == "_Nothing":
        return None
    if type(default).__name__ == "Factory":
        return None if default.takes_self else default.factory
    return lambda: default


def is_unknown_to_pydantic(kind: Any) -> bool:
    """Whether this is a class of records that pydantic takes as they are, and never looks into."""
    return hasattr(kind, "__struct_fields__") or (hasattr(kind, "__attrs_attrs__") and not is_pydantic(kind))


def allows_extra(kind: type) -> bool:
    """Whether a pydantic class keeps fields that it does not declare."""
    config: Any = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
    return bool(config.get("extra") == "allow")


def opener(kind: type) -> Callable[[Any], Any] | None:
    """How an array, a table or one of their scalars becomes plain lists, dicts and numbers."""
    # Arrays that have numbers and nothing else, no labels say, can be lent to others by DLPack.
    bare = callable(getattr(kind, "__dlpack__", None)) and callable(getattr(kind, "tolist", None))
    return _lookup(kind, OPENERS) or ((lambda array: array.tolist()) if bare else None)


def painter(kind: type) -> Painter | None:
    """How a picture that another package drew becomes the bytes of an image file."""
    return _lookup(kind, PAINTERS)


# What tables and arrays of other packages offer each other, and what a notebook shows instead of a repr.
_TABLES = ("__arrow_c_array__", "__arrow_c_stream__", "__dataframe__")
_SHOWN = ("__array__", "_repr_html_", "_repr_mimebundle_")


def is_table(kind: type) -> bool:
    """Whether a class says that its values hold columns; its text shows some of their rows, or none."""
    return any(callable(getattr(kind, name, None)) for name in _TABLES)


def holds_data(kind: type) -> bool:
    """Whether a class says that its values hold columns or numbers: what iterating gives may be names alone."""
    return is_table(kind) or callable(getattr(kind, "__array__", None))


def is_sketched(kind: type) -> bool:
    """Whether a class has a better form of its values than their repr, which is for a console."""
    return is_table(kind) or any(callable(getattr(kind, name, None)) for name in _SHOWN)


def _lookup(kind: type, table: dict[tuple[str, str], T]) -> T | None:
    """What a table has for a class or one of its bases."""
    for base in kind.__mro__:
        found = table.get((base.__module__.partition(".")[0], base.__name__))
        if found is not None:
            return found
    return None
