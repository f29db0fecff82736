"""The families of classes with fields: how a class of each is recognised, and how the fields of a value are read.

Knows neither hints nor policies.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from ..foreign import classes

__all__ = [
    "Family",
    "family_of",
    "has_wire_names",
    "is_array",
    "open_fields",
    "open_struct",
    "sent_names_of",
    "wire_name_of",
]

Family: TypeAlias = Literal["model", "typed_dict", "named_tuple", "struct", "dataclass", "attrs"]
"""A pydantic dataclass is a dataclass: only its values are for pydantic."""

_TESTS: dict[Family, Callable[[Any], bool]] = {
    "model": lambda kind: classes.is_pydantic(kind) and hasattr(kind, "model_fields"),
    "typed_dict": lambda kind: issubclass(kind, dict) and hasattr(kind, "__required_keys__"),
    "named_tuple": lambda kind: issubclass(kind, tuple) and hasattr(kind, "_fields"),
    "struct": lambda kind: issubclass(kind, msgspec.Struct),
    "dataclass": dataclasses.is_dataclass,
    "attrs": lambda kind: hasattr(kind, "__attrs_attrs__"),
}


def family_of(kind: Any) -> Family | None:
    """The family of a class; None for one without fields.

    >>> from typing import NamedTuple
    >>> family_of(NamedTuple("Point", [("x", int)])), family_of(int)
    ('named_tuple', None)
    """
    if not isinstance(kind, type):
        return None
    return next((family for family, test in _TESTS.items() if test(kind)), None)


def is_array(kind: Any) -> bool:
    """Whether values of a class with fields are arrays in JSON: named tuples, and array-like Structs."""
    match family_of(kind):
        case "named_tuple":
            return True
        case "struct":
            return bool(kind.__struct_config__.array_like)
    return False


# Names on the wire --------------------------------------------------------------------------------


def wire_name_of(field: Any, own: str | None) -> str | None:
    """The name of a field of a dataclass or an attrs class on the wire; None if it stays off it.

    It is that in metadata={"json": "wireName"}, for arguments and for results; "-" keeps a field off (S001-34).
    """
    name = _tag_of(field)
    return own if name is None else None if name == "-" else name


def sent_names_of(kind: Any) -> dict[str, str | None]:
    """The names by which the fields of a class are sent, by those in the class; None for one that is not sent.

    A private field of attrs is sent only if it has a name on the wire.

    >>> from dataclasses import field, make_dataclass
    >>> sent_names_of(make_dataclass("City", [("is_big", bool, field(metadata={"json": "isBig"}))]))
    {'is_big': 'isBig'}
    """
    is_attrs = family_of(kind) == "attrs"
    private = {field.name for field in _fields_of(kind) if is_attrs and field.name.startswith("_")}
    return {one.name: wire_name_of(one, None if one.name in private else one.name) for one in _fields_of(kind)}


def has_wire_names(kind: Any) -> bool:
    """Whether the author of a class gave one of its fields a name on the wire, or keeps it off.

    pydantic does not know these names: it gives the fields of its own classes theirs.
    """
    return any(_tag_of(field) is not None for field in _fields_of(kind))


def _tag_of(field: Any) -> str | None:
    tag = field.metadata.get("json")
    return tag if isinstance(tag, str) else None  # anything else is for another package


def _fields_of(kind: Any) -> Any:
    match family_of(kind):
        case "dataclass":
            return dataclasses.fields(kind)
        case "attrs":
            return kind.__attrs_attrs__
    return ()


# One level of a value ---------------------------------------------------------------------------


def open_fields(value: Any, *, names: Mapping[str, str | None]) -> dict[str, Any]:
    """The fields of an object by their names on the wire, which `names` has by their names in the class."""
    # A field that was never set (init=False without a default) is absent, as for the encoder.
    members = {wire: getattr(value, name, msgspec.UNSET) for name, wire in names.items() if wire is not None}
    return {wire: item for wire, item in members.items() if item is not msgspec.UNSET}


def open_struct(value: msgspec.Struct) -> Any:
    """A Struct as its encoder would write it, one level deep: renamed, tagged, defaults left out."""
    config = value.__struct_config__
    items = []
    defaults = _struct_defaults(type(value))
    for name, wire_name in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
        item = getattr(value, name)
        omitted = config.omit_defaults and name in defaults and _is_default(item, defaults[name])
        if config.array_like or (item is not msgspec.UNSET and not omitted):  # in an array every position counts
            items.append((wire_name, item))
    if config.array_like:
        return ([config.tag] if config.tag is not None else []) + [item for _, item in items]
    head = {} if config.tag is None else {str(config.tag_field): config.tag}
    return {**head, **dict(items)}


def _struct_defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    defaults = kind.__struct_defaults__
    return dict(zip(kind.__struct_fields__[-len(defaults) :], defaults, strict=True)) if defaults else {}


def _is_default(item: Any, default: Any) -> bool:
    factory = getattr(default, "factory", None)
    return item is default or (factory in (list, dict, set) and type(item) is factory and not item)
