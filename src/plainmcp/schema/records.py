"""The fields of a record as it is sent: their names on the wire, their types, whether they are always there.

A record is a dataclass, a TypedDict, a pydantic model, an attrs class or a Struct. Knows types only, no values.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import generics, hints

__all__ = ["SentField", "annotations_of", "has_extra_fields", "sent_fields"]

Default = Callable[[], Any]


class SentField(NamedTuple):
    """One field: `always` tells whether a value of the class sends it; `default` makes it where a dict lacks it."""

    name: str
    hint: Any
    always: bool = True
    default: Default | None = None


def sent_fields(hint: Any) -> list[SentField]:
    """The fields that values of a record type send.

    >>> from dataclasses import make_dataclass
    >>> sent_fields(make_dataclass("City", [("name", str)]))
    [SentField(name='name', hint=<class 'str'>, always=True, default=None)]
    """
    kind: Any = get_origin(hint) or hint
    if hasattr(kind, "model_fields"):
        return _of_model(kind)
    resolved = annotations_of(hint)
    if hints.is_typed_dict(kind):
        return [SentField(name, one, name in kind.__required_keys__) for name, one in resolved.items()]
    if issubclass(kind, msgspec.Struct):
        return _of_struct(kind, resolved)
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(kind, resolved)
    public = classes.attrs_fields(kind) or ()
    return [
        SentField(field.name, resolved.get(field.name, Any), True, classes.attrs_default(field))
        for field in kind.__attrs_attrs__
        if field.name in public
    ]


def has_extra_fields(kind: type) -> bool:
    """Whether a record type says that its values may have more fields than it declares."""
    return classes.allows_extra(kind)


def _of_model(kind: Any) -> list[SentField]:
    fields = [
        SentField(
            field.serialization_alias or field.alias or name,
            field.annotation,
            not (field.exclude or getattr(field, "exclude_if", None)),
            None if field.is_required() else _model_default(field),
        )
        for name, field in kind.model_fields.items()
    ]
    computed = [
        SentField(field.alias or name, field.return_type) for name, field in kind.model_computed_fields.items()
    ]
    return fields + computed


def _model_default(field: Any) -> Default:
    return lambda: field.get_default(call_default_factory=True, validated_data={})


def _of_struct(kind: type[msgspec.Struct], resolved: Mapping[str, Any]) -> list[SentField]:
    config = kind.__struct_config__
    fields = [] if config.tag is None else [SentField(str(config.tag_field), Any, True, lambda: config.tag)]
    for field in msgspec.structs.fields(kind):
        hint = resolved.get(field.name, field.type)
        left_out = (config.omit_defaults and not field.required) or msgspec.UnsetType in hints.members(hint)
        fields.append(SentField(field.encode_name, hint, not left_out, _default_of(field, msgspec.NODEFAULT)))
    return fields


def _of_dataclass(kind: Any, resolved: Mapping[str, Any]) -> list[SentField]:
    fields = [(field.metadata.get("json", field.name), field) for field in dataclasses.fields(kind)]
    return [
        SentField(name, resolved.get(field.name, Any), True, _default_of(field, dataclasses.MISSING))
        for name, field in fields
        if name != "-"  # S001-34: this keeps a field off the wire
    ]


def _default_of(field: Any, missing: Any) -> Default | None:
    if field.default is not missing:
        return lambda: field.default
    factory: Default | None = None if field.default_factory is missing else field.default_factory
    return factory


def annotations_of(hint: Any) -> dict[str, Any]:
    """The annotations of a class, inherited ones too, with the types a generic class was given in their places.

    Where one of them cannot be resolved, each may be anything: the names of the fields are known all the same.

    >>> from typing import Generic, TypeVar
    >>> T = TypeVar("T")
    >>> class Box(Generic[T]):
    ...     item: list[T]
    >>> annotations_of(Box[int])
    {'item': list[int]}
    """
    kind: Any = get_origin(hint) or hint
    try:
        resolved = generics.annotations_of(hint)
    except AuthorError:
        return {name: Any for base in kind.__mro__ for name in vars(base).get("__annotations__", ())}
    return {
        name: generics.substitute(one, dict.fromkeys(generics.variables_of(one), Any))
        for name, one in resolved.items()
    }
