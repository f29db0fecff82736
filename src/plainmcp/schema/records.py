"""The fields of records: their names in the class and in JSON, their hints and defaults, and the constructor.

A record is a class of one of the families in values/families; each has its function here. Knows no values.
"""

import dataclasses
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from ..foreign.annotations import all_annotations
from ..values.families import Family, family_of, has_wire_names, sent_names_of, wire_name_of
from . import generics, hints
from .generics import class_of
from .nodes import MISSING, Fill

__all__ = [
    "RecordField",
    "RecordType",
    "fields_of",
    "has_pydantic_fields",
    "lost_names_in",
    "record_of",
    "record_sent_by",
    "wire_named_in",
]

Annotations = Mapping[str, Any]


class RecordField(NamedTuple):
    """One field of a record.

    `name` is its name in the class, None for a tag. It is `read_as` one name in JSON and `sent_as` another, or not at
    all. It may be `required` in what is read, and `always` be sent by a value of its class. A schema shows its
    `default`; `fill` makes the default where a dict lacks the field.
    """

    name: str | None
    hint: Any
    read_as: str | None
    sent_as: str | None
    required: bool = True
    always: bool = True
    default: Any = MISSING
    fill: Fill | None = None


class RecordType(NamedTuple):
    """The fields of a record, and how one is made of them, by their names; one that is `closed` takes no others.

    `extra` is the hint of other members, where these are declared without their names. With `is_plain` msgspec makes
    the same record of them.
    """

    fields: list[RecordField]
    make: Callable[..., Any]
    closed: bool = False
    is_plain: bool = True
    extra: Any = None


def record_of(hint: Any) -> RecordType | None:
    """The record that a hint is; None for any other hint, and for a model of pydantic. Raises AuthorError."""
    kind = class_of(hint)
    family = family_of(kind)
    if family is None or family == "model":
        return None
    record = _FAMILIES[family](kind, generics.annotations_of(hint))
    if family == "typed_dict":
        closed, extra = _extra_of(hint)
        return record._replace(closed=closed, extra=extra, is_plain=not closed and extra is None)
    return record


def fields_of(hint: Any) -> list[RecordField]:
    """The fields of a class, which has none if it is not a record; hints that cannot be resolved are Any.

    >>> from dataclasses import make_dataclass
    >>> [field.sent_as for field in fields_of(make_dataclass("City", [("name", str)]))]
    ['name']
    """
    kind = class_of(hint)
    family = family_of(kind)
    if family is None:
        return []
    return _FAMILIES[family](kind, {} if family == "model" else _resolve_or_any(hint, kind)).fields


def record_sent_by(hint: Any) -> RecordType | None:
    """The record that values of a hint send, a model too; None for any other hint.

    A part of it whose hint cannot be resolved has the hint Any.
    """
    kind = class_of(hint)
    family = family_of(kind)
    if family is None:
        return None
    try:
        extra = _extra_of(hint)[1] if family == "typed_dict" else None
    except AuthorError:
        extra = Any
    return RecordType(fields_of(hint), kind, extra=extra)


def wire_named_in(hint: Any) -> Any:
    """A class in a hint, also in models, whose author gave names on the wire to its fields; None without any."""
    waiting, entered = [hint], set[Any]()
    while waiting:
        for kind in hints.parts_of(waiting.pop()):
            if has_wire_names(kind):
                return kind
            if isinstance(kind, type) and classes.is_pydantic(kind) and kind not in entered:
                entered.add(kind)
                waiting += [field.hint for field in fields_of(kind)]
    return None


def lost_names_in(hint: Any) -> str | None:
    """What is wrong with names on the wire in a class of pydantic, which does not know them; None without any."""
    for kind in hints.parts_of(hint):
        named = wire_named_in(kind) if isinstance(kind, type) and classes.is_pydantic(kind) else None
        if named is not None:
            inside = "" if named is kind else f" inside {kind.__name__}"
            return (
                f"{named.__name__} has names for JSON in metadata, which pydantic does not know{inside}; "
                "write Field(alias=…) there"
            )
    return None


def has_pydantic_fields(hint: Any) -> bool:
    """Whether a record that is not a model has fields for pydantic: with other names or defaults by `Field`."""
    kind = class_of(hint)
    if hasattr(kind, "__pydantic_config__"):
        return True
    record = None if family_of(kind) == "struct" else record_of(hint)
    parts = [(field.default, *getattr(field.hint, "__metadata__", ())) for field in record.fields] if record else []
    return any(classes.has_name_or_default(part) for field_parts in parts for part in field_parts)


def _resolve_or_any(hint: Any, kind: type) -> Annotations:
    """The annotations of a class; where one of them cannot be resolved, each is Any, and so is a type variable."""
    try:
        annotations = generics.annotations_of(hint)
    except AuthorError:
        return dict.fromkeys(all_annotations(kind), Any)
    return {
        name: generics.substitute(one, dict.fromkeys(generics.variables_of(one), Any)) if _is_resolved(one) else Any
        for name, one in annotations.items()
    }


def _is_resolved(hint: Any) -> bool:
    """Whether every alias in a hint can be resolved."""
    try:
        hints.check_aliases(hint)
    except AuthorError:
        return False
    return True


# Families -----------------------------------------------------------------------------------------


def _read_model(kind: Any, annotations: Annotations) -> RecordType:
    fields = [
        RecordField(
            name,
            field.annotation,
            field.validation_alias or name,
            field.serialization_alias or field.alias or name,
            field.is_required(),
            not (field.exclude or getattr(field, "exclude_if", None)),
            fill=None
            if field.is_required()
            else partial(field.get_default, call_default_factory=True, validated_data={}),
        )
        for name, field in kind.model_fields.items()
    ]
    for name, field in kind.model_computed_fields.items():
        fields.append(RecordField(name, field.return_type, None, field.alias or name))
    return RecordType(fields, kind)


def _read_typed_dict(kind: Any, annotations: Annotations) -> RecordType:
    fields = []
    for name, hint in annotations.items():
        inner, required = _split_marks(hint, name in kind.__required_keys__)
        fields.append(RecordField(name, inner, name, name, required, required))
    return RecordType(fields, dict)


def _extra_of(hint: Any) -> tuple[bool, Any]:
    """Whether a TypedDict is closed, and the hint of the keys that it does not declare by name, if it has one."""
    extra, _ = _split_marks(generics.extra_items_of(hint), False)
    closed = extra in (typing.Never, typing.NoReturn)
    return closed, None if closed else extra


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


def _read_named_tuple(kind: Any, annotations: Annotations) -> RecordType:
    defaults = kind._field_defaults
    fields = [
        RecordField(
            name,
            annotations.get(name, Any),
            name,
            name,
            required=name not in defaults,
            default=defaults.get(name, MISSING),
            fill=partial(defaults.get, name) if name in defaults else None,
        )
        for name in kind._fields
    ]
    return RecordType(fields, kind, closed=True)


def _read_struct(kind: type[msgspec.Struct], annotations: Annotations) -> RecordType:
    config = kind.__struct_config__
    fields = []
    if config.tag is not None:
        name = str(config.tag_field)
        fields.append(RecordField(None, Literal[config.tag], name, name, fill=lambda: config.tag))
    for one in msgspec.structs.fields(kind):
        hint = annotations.get(one.name, one.type)
        can_be_unset = msgspec.UnsetType in hints.choices_of(hint)
        always = not can_be_unset and (one.required or not config.omit_defaults)
        default, fill = _default_of_struct(one), _fill_of(one, msgspec.NODEFAULT)
        fields.append(
            RecordField(one.name, hint, one.encode_name, one.encode_name, one.required, always, default, fill)
        )
    return RecordType(fields, kind, config.forbid_unknown_fields, is_plain=config.tag is None)


def _default_of_struct(field: Any) -> Any:
    if field.default_factory in (list, dict, set, bytearray):
        return field.default_factory()
    return MISSING if field.default in (msgspec.NODEFAULT, msgspec.UNSET) else field.default


def _fill_of(field: Any, missing: Any) -> Fill | None:
    if field.default is not missing:
        return lambda: field.default
    fill: Fill | None = None if field.default_factory is missing else field.default_factory
    return fill


def _read_dataclass(kind: Any, annotations: Annotations) -> RecordType:
    stored = dataclasses.fields(kind)
    fields = []
    for one in kind.__dataclass_fields__.values():
        hint = annotations.get(one.name, Any)
        is_init_only = type(hint) is dataclasses.InitVar
        if one not in stored and not is_init_only:
            continue  # a ClassVar
        wire, fill = wire_name_of(one, one.name), _fill_of(one, dataclasses.MISSING)
        field = RecordField(
            one.name,
            hint.type if is_init_only else hint,
            wire if one.init else None,
            None if is_init_only else wire,
            required=one.init and fill is None,
            always=one.init or fill is not None,
            default=MISSING if one.default is dataclasses.MISSING else one.default,
            fill=fill,
        )
        fields.append(field)
    is_plain = len(fields) == len(stored) and all(one.init for one in stored)
    return _with_wire_names(kind, fields, is_plain and kind.__dataclass_params__.init)


def _with_wire_names(kind: Any, fields: list[RecordField], is_plain: bool) -> RecordType:
    """A record whose author may have given its fields names on the wire; raises AuthorError for wrong names."""
    used: set[str] = set()
    for name, wire in sent_names_of(kind).items():
        if wire == "" or wire in used:
            problem = f"another field has the name {wire!r} in JSON, too" if wire else "its name in JSON is empty"
            raise AuthorError(f"{kind.__name__}.{name}: {problem}")
        used |= {wire} if wire else set()
    return RecordType(fields, kind, is_plain=is_plain and not has_wire_names(kind))


def _read_attrs(kind: Any, annotations: Annotations) -> RecordType:
    fields, sent_names = [], sent_names_of(kind)
    for one in kind.__attrs_attrs__:
        default = type(one.default).__name__  # recognised without importing attrs
        field = RecordField(
            one.alias,
            annotations.get(one.name, Any),
            wire_name_of(one, one.name) if one.init else None,
            sent_names[one.name],
            required=one.init and default == "_Nothing",
            always=one.init or default != "_Nothing",
            default=MISSING if default in ("_Nothing", "Factory") else one.default,
            fill=classes.attrs_default_of(one),
        )
        fields.append(field)
    return _with_wire_names(kind, fields, all(one.init and one.converter is None for one in kind.__attrs_attrs__))


_FAMILIES: dict[Family, Callable[[Any, Annotations], RecordType]] = {
    "model": _read_model,
    "typed_dict": _read_typed_dict,
    "named_tuple": _read_named_tuple,
    "struct": _read_struct,
    "dataclass": _read_dataclass,
    "attrs": _read_attrs,
}
