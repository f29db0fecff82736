"""How a record is made of JSON: which fields may be given, and what makes an instance of them.

A record is a dataclass, an attrs class, a TypedDict, a NamedTuple or a Struct. Knows classes, not values.
"""

import dataclasses
import typing
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import hints
from .generics import annotations_of
from .nodes import MISSING

__all__ = ["Constructor", "Given", "constructor_of", "is_for_pydantic"]


class Given(NamedTuple):
    """A field that may be given: its name in JSON, what the class calls it, its hint; a tag has no name."""

    wire: str
    name: str | None
    hint: Any
    required: bool
    default: Any = MISSING


class Constructor(NamedTuple):
    """What makes a record of its fields, by their names; `closed` says that it takes no others.

    `is_array` says that the fields stand in an array, in order. `is_plain` says that msgspec makes the same of them.
    """

    fields: list[Given]
    make: Callable[..., Any]
    closed: bool = False
    is_array: bool = False
    is_plain: bool = True


def is_for_pydantic(hint: Any) -> bool:
    """Whether a record of another family says what only pydantic understands: other names or defaults by `Field`."""
    kind: Any = get_origin(hint) or hint
    if hasattr(kind, "__pydantic_config__"):
        return True
    constructor = constructor_of(hint)
    if constructor is None or issubclass(kind, msgspec.Struct):
        return False
    said = [one for field in constructor.fields for one in (field.default, *getattr(field.hint, "__metadata__", ()))]
    return any(map(classes.arranges_field, said))


def constructor_of(hint: Any) -> Constructor | None:
    """How instances of a class are made; None for a class that is not a record. Raises AuthorError."""
    kind: Any = get_origin(hint) or hint
    if not isinstance(kind, type):
        return None
    if hints.is_typed_dict(kind):
        return _of_typed_dict(hint, kind)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _of_named_tuple(hint, kind)
    if issubclass(kind, msgspec.Struct):
        return _of_struct(hint, kind)
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(hint, kind)
    return None if classes.attrs_fields(kind) is None else _of_attrs(hint, kind)


def _of_typed_dict(hint: Any, kind: Any) -> Constructor:
    fields = []
    # By name, as msgspec lists them.
    for name, one in sorted(annotations_of(hint).items()):
        inner, required = _unmark(one, name in kind.__required_keys__)
        fields.append(Given(name, name, inner, required))
    closed = bool(getattr(kind, "__closed__", False))
    return Constructor(fields, dict, closed=closed, is_plain=not closed)


def _unmark(hint: Any, required: bool) -> tuple[Any, bool]:
    """The hint of a key without Required and the like, and whether the key must be there.

    Where annotations are texts, only the resolved hint knows of NotRequired.
    """
    match get_origin(hint):
        case typing.Required:
            return _unmark(get_args(hint)[0], True)
        case typing.NotRequired:
            return _unmark(get_args(hint)[0], False)
        case origin if hints.is_wrapper(origin):
            return _unmark(get_args(hint)[0], required)
    if hasattr(hint, "__metadata__") and hints.is_wrapper(get_origin(hint.__origin__)):
        inner, required = _unmark(hint.__origin__, required)
        return typing.Annotated[(inner, *hint.__metadata__)], required
    return hint, required


def _of_named_tuple(hint: Any, kind: Any) -> Constructor:
    resolved = annotations_of(hint)
    fields = [
        Given(
            name,
            name,
            resolved.get(name, Any),
            name not in kind._field_defaults,
            kind._field_defaults.get(name, MISSING),
        )
        for name in kind._fields
    ]
    return Constructor(fields, kind, closed=True, is_array=True)


def _of_struct(hint: Any, kind: type[msgspec.Struct]) -> Constructor:
    config = kind.__struct_config__
    resolved = annotations_of(hint)
    tag = config.tag
    tagged = [] if tag is None else [Given(str(config.tag_field), None, Literal[tag], True)]
    fields = [
        Given(one.encode_name, one.name, resolved.get(one.name, one.type), one.required, _struct_default(one))
        for one in msgspec.structs.fields(kind)
    ]
    return Constructor(tagged + fields, kind, config.forbid_unknown_fields, config.array_like, is_plain=tag is None)


def _struct_default(field: Any) -> Any:
    if field.default_factory in (list, dict, set, bytearray):
        return field.default_factory()
    return MISSING if field.default in (msgspec.NODEFAULT, msgspec.UNSET) else field.default


def _of_dataclass(hint: Any, kind: Any) -> Constructor:
    resolved = annotations_of(hint)
    known = kind.__dataclass_fields__.values()
    wanted = [field.name for field in known if type(resolved.get(field.name)) is dataclasses.InitVar]
    if wanted:
        raise AuthorError(f"{kind.__name__}.{wanted[0]} is an InitVar, which has no place in JSON; make it a field")
    fields = [
        Given(one.name, one.name, resolved.get(one.name, Any), _is_required(one), _dataclass_default(one))
        for one in dataclasses.fields(kind)
        if one.init
    ]
    plain = len(fields) == len(dataclasses.fields(kind)) and kind.__dataclass_params__.init
    return Constructor(fields, kind, is_plain=plain)


def _is_required(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _dataclass_default(field: "dataclasses.Field[Any]") -> Any:
    return MISSING if field.default is dataclasses.MISSING else field.default


def _of_attrs(hint: Any, kind: Any) -> Constructor:
    resolved = annotations_of(hint)
    attributes = [one for one in kind.__attrs_attrs__ if one.init]
    fields = [
        Given(one.name, one.alias, resolved.get(one.name, Any), *_attrs_default(one.default)) for one in attributes
    ]
    plain = len(attributes) == len(kind.__attrs_attrs__) and all(one.converter is None for one in attributes)
    return Constructor(fields, kind, is_plain=plain)


def _attrs_default(default: Any) -> tuple[bool, Any]:
    """Whether an attribute must be given, and its default; told without importing attrs."""
    name = type(default).__name__
    return name == "_Nothing", MISSING if name in ("_Nothing", "Factory") else default
