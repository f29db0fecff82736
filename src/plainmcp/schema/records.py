"""The fields of records: those that are sent, and those that are read, with the constructor that takes them.

A record is a dataclass, a TypedDict, a pydantic model, an attrs class, a NamedTuple or a Struct. Knows no values.
"""

import dataclasses
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import generics, hints
from .generics import annotations_of
from .nodes import MISSING

__all__ = [
    "Constructor",
    "InputField",
    "SentField",
    "constructor_of",
    "has_pydantic_fields",
    "sent_annotations_of",
    "sent_fields_of",
]

Default = Callable[[], Any]


class SentField(NamedTuple):
    """A field that is sent: `always` by a value of its class, or not; `default` makes it where a dict lacks it."""

    name: str
    hint: Any
    always: bool = True
    default: Default | None = None


def sent_fields_of(hint: Any) -> list[SentField]:
    """The fields that values of a record type send.

    >>> from dataclasses import make_dataclass
    >>> sent_fields_of(make_dataclass("City", [("name", str)]))
    [SentField(name='name', hint=<class 'str'>, always=True, default=None)]
    """
    kind: Any = get_origin(hint) or hint
    if hasattr(kind, "model_fields"):
        return _fields_of_model(kind)
    annotations = sent_annotations_of(hint)
    if hints.is_typed_dict(kind):
        return [SentField(name, one, name in kind.__required_keys__) for name, one in annotations.items()]
    if issubclass(kind, msgspec.Struct):
        return _fields_of_struct(kind, annotations)
    if issubclass(kind, tuple):
        return _fields_of_named_tuple(kind, annotations)
    if dataclasses.is_dataclass(kind):
        return _fields_of_dataclass(kind, annotations)
    public = classes.attrs_fields_of(kind) or ()
    return [
        SentField(field.name, annotations.get(field.name, Any), True, classes.attrs_default_of(field))
        for field in kind.__attrs_attrs__
        if field.name in public
    ]


def _fields_of_model(kind: Any) -> list[SentField]:
    fields = [
        SentField(
            field.serialization_alias or field.alias or name,
            field.annotation,
            not (field.exclude or getattr(field, "exclude_if", None)),
            None if field.is_required() else _default_of_model(field),
        )
        for name, field in kind.model_fields.items()
    ]
    computed = [
        SentField(field.alias or name, field.return_type) for name, field in kind.model_computed_fields.items()
    ]
    return fields + computed


def _default_of_model(field: Any) -> Default:
    return lambda: field.get_default(call_default_factory=True, validated_data={})


def _fields_of_struct(kind: type[msgspec.Struct], annotations: Mapping[str, Any]) -> list[SentField]:
    config = kind.__struct_config__
    fields = [] if config.tag is None else [SentField(str(config.tag_field), Any, True, lambda: config.tag)]
    for field in msgspec.structs.fields(kind):
        hint = annotations.get(field.name, field.type)
        is_optional = (config.omit_defaults and not field.required) or msgspec.UnsetType in hints.choices_of(hint)
        fields.append(SentField(field.encode_name, hint, not is_optional, _default_of(field, msgspec.NODEFAULT)))
    return fields


def _fields_of_named_tuple(kind: Any, annotations: Mapping[str, Any]) -> list[SentField]:
    defaults = {name: partial(kind._field_defaults.get, name) for name in kind._field_defaults}
    return [SentField(name, annotations.get(name, Any), True, defaults.get(name)) for name in kind._fields]


def _fields_of_dataclass(kind: Any, annotations: Mapping[str, Any]) -> list[SentField]:
    fields = [(field.metadata.get("json", field.name), field) for field in dataclasses.fields(kind)]
    return [
        SentField(name, annotations.get(field.name, Any), True, _default_of(field, dataclasses.MISSING))
        for name, field in fields
        if name != "-"  # S001-34: such a field is never sent
    ]


def _default_of(field: Any, missing: Any) -> Default | None:
    if field.default is not missing:
        return lambda: field.default
    factory: Default | None = None if field.default_factory is missing else field.default_factory
    return factory


def sent_annotations_of(hint: Any) -> dict[str, Any]:
    """The annotations of a class, inherited ones too, with the type arguments of a generic class.

    Where one of them cannot be resolved, each is Any: the names of the fields are still known.

    >>> from typing import Generic, TypeVar
    >>> T = TypeVar("T")
    >>> class Box(Generic[T]):
    ...     item: list[T]
    >>> sent_annotations_of(Box[int])
    {'item': list[int]}
    """
    kind: Any = get_origin(hint) or hint
    try:
        annotations = generics.annotations_of(hint)
    except AuthorError:
        return {name: Any for base in kind.__mro__ for name in vars(base).get("__annotations__", ())}
    return {
        name: generics.substitute(one, dict.fromkeys(generics.variables_of(one), Any))
        for name, one in annotations.items()
    }


# Fields that are read ------------------------------------------------------------------------------


class InputField(NamedTuple):
    """A field that is read: its name in JSON, its name in the class, its hint; a tag has no name in the class."""

    wire: str
    name: str | None
    hint: Any
    required: bool
    default: Any = MISSING


class Constructor(NamedTuple):
    """How a record is made of its fields, by their names; one that is `closed` takes no others.

    With `is_array` the fields are the items of an array. With `is_plain` msgspec makes the same record of them.
    """

    fields: list[InputField]
    make: Callable[..., Any]
    closed: bool = False
    is_array: bool = False
    is_plain: bool = True


def has_pydantic_fields(hint: Any) -> bool:
    """Whether a record that is not a model has fields for pydantic: with other names or defaults by `Field`."""
    kind: Any = get_origin(hint) or hint
    if hasattr(kind, "__pydantic_config__"):
        return True
    constructor = constructor_of(hint)
    if constructor is None or issubclass(kind, msgspec.Struct):
        return False
    parts = [(field.default, *getattr(field.hint, "__metadata__", ())) for field in constructor.fields]
    return any(classes.has_name_or_default(part) for field_parts in parts for part in field_parts)


def constructor_of(hint: Any) -> Constructor | None:
    """The constructor of a record class; None for any other class. Raises AuthorError."""
    kind: Any = get_origin(hint) or hint
    if not isinstance(kind, type):
        return None
    if hints.is_typed_dict(kind):
        return _constructor_of_typed_dict(hint, kind)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _constructor_of_named_tuple(hint, kind)
    if issubclass(kind, msgspec.Struct):
        return _constructor_of_struct(hint, kind)
    if dataclasses.is_dataclass(kind):
        return _constructor_of_dataclass(hint, kind)
    return None if classes.attrs_fields_of(kind) is None else _constructor_of_attrs(hint, kind)


def _constructor_of_typed_dict(hint: Any, kind: Any) -> Constructor:
    fields = []
    # Sorted by name, as msgspec lists them.
    for name, one in sorted(annotations_of(hint).items()):
        inner, required = _split_marks(one, name in kind.__required_keys__)
        fields.append(InputField(name, name, inner, required))
    closed = bool(getattr(kind, "__closed__", False))
    return Constructor(fields, dict, closed=closed, is_plain=not closed)


def _split_marks(hint: Any, required: bool) -> tuple[Any, bool]:
    """The hint of a key without Required and the like, and whether the key is required.

    Where annotations are texts, only the resolved hint shows NotRequired.
    """
    match get_origin(hint):
        case typing.Required:
            return _split_marks(get_args(hint)[0], True)
        case typing.NotRequired:
            return _split_marks(get_args(hint)[0], False)
        case origin if hints.is_wrapper(origin):
            return _split_marks(get_args(hint)[0], required)
    if hasattr(hint, "__metadata__") and hints.is_wrapper(get_origin(hint.__origin__)):
        inner, required = _split_marks(hint.__origin__, required)
        return typing.Annotated[(inner, *hint.__metadata__)], required
    return hint, required


def _constructor_of_named_tuple(hint: Any, kind: Any) -> Constructor:
    annotations, defaults = annotations_of(hint), kind._field_defaults
    fields = [
        InputField(name, name, annotations.get(name, Any), name not in defaults, defaults.get(name, MISSING))
        for name in kind._fields
    ]
    return Constructor(fields, kind, closed=True, is_array=True)


def _constructor_of_struct(hint: Any, kind: type[msgspec.Struct]) -> Constructor:
    config = kind.__struct_config__
    annotations = annotations_of(hint)
    tag = config.tag
    tagged = [] if tag is None else [InputField(str(config.tag_field), None, Literal[tag], True)]
    fields = [
        InputField(
            one.encode_name, one.name, annotations.get(one.name, one.type), one.required, _default_of_struct(one)
        )
        for one in msgspec.structs.fields(kind)
    ]
    return Constructor(tagged + fields, kind, config.forbid_unknown_fields, config.array_like, is_plain=tag is None)


def _default_of_struct(field: Any) -> Any:
    if field.default_factory in (list, dict, set, bytearray):
        return field.default_factory()
    return MISSING if field.default in (msgspec.NODEFAULT, msgspec.UNSET) else field.default


def _constructor_of_dataclass(hint: Any, kind: Any) -> Constructor:
    annotations = annotations_of(hint)
    all_fields = kind.__dataclass_fields__.values()
    init_only = [field.name for field in all_fields if type(annotations.get(field.name)) is dataclasses.InitVar]
    if init_only:
        name = f"{kind.__name__}.{init_only[0]}"
        raise AuthorError(f"{name} is an InitVar, which has no place in JSON; make it a field")
    fields = [
        InputField(
            one.name,
            one.name,
            annotations.get(one.name, Any),
            hints.is_required_field(one),
            _default_of_dataclass(one),
        )
        for one in dataclasses.fields(kind)
        if one.init
    ]
    plain = len(fields) == len(dataclasses.fields(kind)) and kind.__dataclass_params__.init
    return Constructor(fields, kind, is_plain=plain)


def _default_of_dataclass(field: "dataclasses.Field[Any]") -> Any:
    return MISSING if field.default is dataclasses.MISSING else field.default


def _constructor_of_attrs(hint: Any, kind: Any) -> Constructor:
    annotations = annotations_of(hint)
    attributes = [one for one in kind.__attrs_attrs__ if one.init]
    fields = [
        InputField(one.name, one.alias, annotations.get(one.name, Any), *_default_of_attrs(one.default))
        for one in attributes
    ]
    plain = len(attributes) == len(kind.__attrs_attrs__) and all(one.converter is None for one in attributes)
    return Constructor(fields, kind, is_plain=plain)


def _default_of_attrs(default: Any) -> tuple[bool, Any]:
    """Whether an attribute is required, and its default; recognised without importing attrs."""
    name = type(default).__name__
    return name == "_Nothing", MISSING if name in ("_Nothing", "Factory") else default
