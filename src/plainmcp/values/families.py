"""The families of classes with fields: how a class of each is recognised, and how the fields of a value are read.

Knows neither hints nor policies.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from ..foreign import classes

__all__ = ["Family", "family_of", "is_array", "open_fields", "open_struct"]

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


# One level of a value ---------------------------------------------------------------------------


def open_fields(value: Any, *, tags: Mapping[str, str]) -> dict[str, Any]:
    """The fields of an object by their names in JSON, which `tags` has by their names in the class."""
    # A field that was never set (init=False without a default) is absent, as for the encoder.
    members = {tag: getattr(value, name, msgspec.UNSET) for name, tag in tags.items() if tag != "-"}
    return {tag: item for tag, item in members.items() if item is not msgspec.UNSET}


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
