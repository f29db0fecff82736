"""The families of classes with fields, and how a class of each is recognised. Knows neither values nor hints."""

import dataclasses
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from ..foreign import classes

__all__ = ["Family", "family_of", "is_array"]

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
