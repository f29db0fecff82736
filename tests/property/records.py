"""Records with generated fields: dataclasses, models, attrs classes, Structs, TypedDicts, named tuples, generics.

To add a kind of record, write a function that makes a class of some fields and calls `record`, and give its name to
one of the lists at the end. Those that cannot be generated are in fixed.py.
"""

import dataclasses
import itertools
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, NotRequired, Required, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import typing_extensions
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, create_model

from property.kinds import Kind, Values, anything, either, shared

__all__ = ["RECORDS", "record"]

Fields = dict[str, Kind]
T = TypeVar("T")


def record(
    family: str,
    hint: Any,
    fields: Fields,
    make: Callable[..., Any],
    *,
    lie: Callable[..., Any] | None = None,
    extended: Callable[..., Any] | None = None,
    written: Callable[[str], str] = str,
    also: dict[str, Callable[[Any], Any]] | None = None,
    optional: tuple[str, ...] = (),
    read: Callable[[Any, str], Any] = getattr,
    kind: type | None = None,
    hashable: bool = False,
    **about: Any,
) -> Kind:
    """A kind of record whose JSON is an object.

    `make` builds an instance of fields that fit, `lie` one of any, `extended` one that has more than is declared.
    `written` is the name of a field in JSON; `also` is what JSON has besides; `optional` fields may be missing.
    """
    of_class: Any = kind or typing.get_origin(hint) or hint
    if issubclass(of_class, BaseModel) or hasattr(of_class, "__pydantic_validator__"):
        about["of_pydantic"] = True
    lie = lie or (of_class.model_construct if issubclass(of_class, BaseModel) else make)
    extra = also or {}

    def told(value: Any, data: Any) -> bool:
        there = {name: one for name, one in fields.items() if name not in optional or name in value}
        names = {written(name): name for name in there}
        if not isinstance(data, dict) or data.keys() != names.keys() | extra.keys():
            return False
        if any(data[name] != get(value) for name, get in extra.items()):
            return False
        return all(fields[name].told(read(value, name), data[wire]) for wire, name in names.items())

    def holds(value: Any) -> bool:
        if not isinstance(value, of_class):
            return False
        there = [name for name in fields if name not in optional or name in value]
        return all(fields[name].holds(read(value, name)) for name in there)

    needed = {name: one for name, one in fields.items() if name not in optional}
    left_out = {name: one.fits for name, one in fields.items() if name in optional}

    def built(make: Callable[..., Any], of: Callable[[Kind], Values]) -> Values:
        whole = {name: of(one) for name, one in needed.items()}
        return st.fixed_dictionaries(whole, optional=left_out).map(lambda given: make(**given))

    fits = built(make, lambda one: one.fits)
    return Kind(
        hint=hint,
        code=f"{family}({', '.join(f'{name}: {one.code}' for name, one in fields.items())})",
        fits=fits | built(extended, lambda one: one.fits) if extended else fits,
        misses=built(lie, either) | anything | st.fixed_dictionaries({n: k.fits for n, k in fields.items()}),
        holds=holds,
        told=told,
        named=True,
        **shared(fields.values(), **about, hashable=hashable and all(one.hashable for one in fields.values())),
    )


def _unique(name: str) -> str:
    """A name for a class: two of one name in one module are nothing an author would write."""
    return f"{name}{next(_numbers)}"


_numbers = itertools.count()


def _hints(fields: Fields) -> dict[str, Any]:
    return {name: one.hint for name, one in fields.items()}


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


# Dataclasses --------------------------------------------------------------------------------------


def a_dataclass(fields: Fields) -> Kind:
    made = dataclasses.make_dataclass(_unique("Dataclass"), _hints(fields).items())
    more = dataclasses.make_dataclass(_unique("Extended"), [("password", str, "hunter2")], bases=(made,))
    return record("Dataclass", made, fields, made, extended=more)


def a_frozen_dataclass(fields: Fields) -> Kind:
    made = dataclasses.make_dataclass(_unique("Frozen"), _hints(fields).items(), frozen=True, slots=True)
    return record("Frozen", made, fields, made, hashable=True)


def a_dataclass_with_names_for_the_wire(fields: Fields) -> Kind:
    hints = [(name, hint, dataclasses.field(metadata={"json": f"{name}-x"})) for name, hint in _hints(fields).items()]
    made = dataclasses.make_dataclass(_unique("Renamed"), hints)
    # They are the names of what is sent and not of what is taken, and pydantic does not know them.
    about = {"symmetric": False, "by_pydantic": False, "open": True}
    return record("Renamed", made, fields, made, written=lambda name: f"{name}-x", **about)


def a_dataclass_of_pydantic(fields: Fields) -> Kind:
    made = dataclasses.make_dataclass(_unique("Checked"), _hints(fields).items())
    checked = pydantic.dataclasses.dataclass(made)
    return record("Checked", checked, fields, checked, lie=_unchecked(checked))


def _unchecked(kind: type) -> Callable[..., Any]:
    def make(**given: Any) -> Any:
        made = kind.__new__(kind)
        made.__dict__.update(given)
        return made

    return make


# Models -------------------------------------------------------------------------------------------


def _model(family: str, fields: Fields, base: type[BaseModel] = BaseModel, **about: Any) -> Kind:
    made = create_model(
        _unique(family), __base__=base, **{name: (hint, ...) for name, hint in _hints(fields).items()}
    )
    more = create_model(_unique("Extended"), __base__=made, password=(str, "hunter2"))
    keeps = made.model_config.get("extra") == "allow"

    def make(**given: Any) -> Any:
        return made.model_validate(given, by_name=True)

    def extended(**given: Any) -> Any:
        return more.model_validate(given, by_name=True)

    return record(family, made, fields, make, extended=None if keeps else extended, **about)


def a_model(fields: Fields) -> Kind:
    return _model("Model", fields)


class Aliased(BaseModel):
    model_config = ConfigDict(alias_generator=_camel)


def a_model_with_aliases(fields: Fields) -> Kind:
    if any("first_name" in kind.code for kind in fields.values()):
        return _model("Model", fields)  # pydantic would write dataclasses and typed dicts in it with its aliases, too
    return _model("Aliased", fields, Aliased, written=_camel)


class Computing(BaseModel):
    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def how_many(self) -> int:
        return len(type(self).model_fields)


def a_model_that_computes(fields: Fields) -> Kind:
    return _model("Computing", fields, Computing, also={"how_many": lambda value: value.how_many}, symmetric=False)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


def an_open_model(fields: Fields) -> Kind:
    found = _model("Open", fields, Open)
    made = found.hint

    def told(value: Any, data: Any) -> bool:
        extra = value.__pydantic_extra__
        return isinstance(data, dict) and extra.items() <= data.items() and found.told(value, _without(data, extra))

    fits = st.builds(
        lambda value, more: made.model_validate({**value.__dict__, **more}),
        found.fits,
        st.dictionaries(st.sampled_from(["extra", "other"]), st.integers(-9, 9), max_size=1),
    )
    return dataclasses.replace(found, fits=fits, told=told)


def _without(data: dict[str, Any], names: Any) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def a_closed_model(fields: Fields) -> Kind:
    return dataclasses.replace(
        _model("Closed", fields, Closed), hashable=all(one.hashable for one in fields.values())
    )


# attrs and msgspec --------------------------------------------------------------------------------


def an_attrs_class(fields: Fields) -> Kind:
    made = attrs.make_class(_unique("Attrs"), {name: attrs.field(type=hint) for name, hint in _hints(fields).items()})
    more = attrs.make_class(
        _unique("Extended"), {"password": attrs.field(default="hunter2", type=str)}, bases=(made,)
    )
    return record("Attrs", made, fields, made, extended=more, by_pydantic=False)


def a_struct(fields: Fields, family: str = "Struct", **config: Any) -> Kind:
    made = msgspec.defstruct(_unique(family), list(_hints(fields).items()), **config)
    more = msgspec.defstruct(_unique("Extended"), [("password", str, "hunter2")], bases=(made,))
    written = _camel if config.get("rename") else str
    tag = {config["tag_field"]: lambda value: config["tag"]} if "tag" in config else {}
    return record(
        family, made, fields, made, extended=None if tag else more, written=written, also=tag, by_pydantic=False
    )


def a_tagged_struct(fields: Fields) -> Kind:
    return a_struct(fields, "Tagged", tag="tagged", tag_field="kind")


def a_renamed_struct(fields: Fields) -> Kind:
    return a_struct(fields, "Camel", rename="camel")


def an_array_like_struct(fields: Fields) -> Kind:
    made = msgspec.defstruct(_unique("Array"), list(_hints(fields).items()), array_like=True)
    return in_order("Array", made, fields, by_pydantic=False)


# TypedDicts and named tuples ----------------------------------------------------------------------


def _typed_dict(family: str, made: Any, fields: Fields, optional: tuple[str, ...] = ()) -> Kind:
    def extended(**given: Any) -> dict[str, Any]:
        return {**given, "password": "hunter2"}

    def item(value: Any, name: str) -> Any:
        return value.get(name) if isinstance(value, Mapping) else None

    # pydantic wants those of typing_extensions before Python 3.12.
    return record(
        family, made, fields, dict, extended=extended, optional=optional, read=item, kind=dict, by_pydantic=False
    )


def a_typed_dict(fields: Fields) -> Kind:
    return _typed_dict("Typed", TypedDict(_unique("Typed"), _hints(fields)), fields)  # type: ignore[operator]


def a_partial_typed_dict(fields: Fields) -> Kind:
    first, *rest = fields
    hints = {name: Required[hint] if name == first else hint for name, hint in _hints(fields).items()}
    made = TypedDict(_unique("Partial"), hints, total=False)  # type: ignore[operator]
    return _typed_dict("Partial", made, fields, tuple(rest))


def a_typed_dict_with_keys_that_may_be_missing(fields: Fields) -> Kind:
    *_, last = fields
    hints = {name: NotRequired[hint] if name == last else hint for name, hint in _hints(fields).items()}
    made = TypedDict(_unique("Lacking"), hints)  # type: ignore[operator]
    return _typed_dict("Lacking", made, fields, (last,))


def a_typed_dict_with_other_keys(fields: Fields) -> Kind:
    """The last field is not declared by its name."""
    *_, last = fields
    hints = {name: hint for name, hint in _hints(fields).items() if name != last}
    made = typing_extensions.TypedDict(_unique("Priced"), hints, extra_items=fields[last].hint)  # type: ignore[operator]
    return dataclasses.replace(
        _typed_dict("Priced", made, fields, (last,)),
        fits=st.fixed_dictionaries({n: k.fits for n, k in fields.items()}),
    )


def in_order(family: str, made: Any, fields: Fields, **about: Any) -> Kind:
    """A kind of record whose JSON is an array."""

    def read(value: Any) -> list[tuple[Kind, Any]]:
        return [(one, getattr(value, name)) for name, one in fields.items()]

    found = record(family, made, fields, made, **about)
    return dataclasses.replace(
        found,
        named=False,
        told=lambda value, data: (
            isinstance(data, list)
            and len(data) == len(fields)
            and all(one.told(part, item) for (one, part), item in zip(read(value), data, strict=True))
        ),
    )


def a_named_tuple(fields: Fields) -> Kind:
    made = NamedTuple(_unique("Named"), list(_hints(fields).items()))  # type: ignore[misc]
    return in_order("Named", made, fields, hashable=True)


# Generic classes ----------------------------------------------------------------------------------


@dataclass
class Box(Generic[T]):
    item: T


class Envelope(BaseModel, Generic[T]):
    item: T


class Parcel(msgspec.Struct, Generic[T]):
    item: T


class Slip(TypedDict, Generic[T]):
    item: T


class Pair(NamedTuple, Generic[T]):
    left: T
    right: T


def a_box(inner: Kind) -> Kind:
    return record("Box", Box[inner.hint], {"item": inner}, Box)  # type: ignore[name-defined]


def an_envelope(inner: Kind) -> Kind:
    made = Envelope[inner.hint]  # type: ignore[name-defined]
    return record("Envelope", made, {"item": inner}, made, kind=Envelope)


def a_parcel(inner: Kind) -> Kind:
    return record("Parcel", Parcel[inner.hint], {"item": inner}, Parcel, by_pydantic=False)  # type: ignore[name-defined]


def a_slip(inner: Kind) -> Kind:
    return _typed_dict("Slip", Slip[inner.hint], {"item": inner})  # type: ignore[name-defined]


def a_pair(inner: Kind) -> Kind:
    return in_order("Pair", Pair[inner.hint], {"left": inner, "right": inner}, kind=Pair)  # type: ignore[name-defined]


# Made of fields with names ------------------------------------------------------------------------

NAMES = ("name", "value", "first_name", "items", "result", "note")

OF_FIELDS: list[Callable[[Fields], Kind]] = [
    a_dataclass,
    a_frozen_dataclass,
    a_dataclass_with_names_for_the_wire,
    an_attrs_class,
    a_struct,
    a_tagged_struct,
    a_renamed_struct,
    an_array_like_struct,
    a_typed_dict,
    a_partial_typed_dict,
    a_typed_dict_with_keys_that_may_be_missing,
    a_typed_dict_with_other_keys,
    a_named_tuple,
]
OF_FIELDS_OF_PYDANTIC: list[Callable[[Fields], Kind]] = [
    a_model,
    a_model_with_aliases,
    a_model_that_computes,
    an_open_model,
    a_closed_model,
    a_dataclass_of_pydantic,
]
OF_ONE: list[Callable[[Kind], Kind]] = [a_box, a_parcel, a_slip, a_pair]


def _fields(kinds: Values) -> Values:
    return st.dictionaries(st.sampled_from(NAMES), kinds, min_size=1, max_size=3)


def _for_pydantic(kinds: Values) -> Values:
    return kinds.filter(lambda kind: kind.by_pydantic)


RECORDS: list[Callable[[Values], Values]] = [
    lambda kinds: st.builds(lambda make, fields: make(fields), st.sampled_from(OF_FIELDS), _fields(kinds)),
    lambda kinds: st.builds(
        lambda make, fields: make(fields), st.sampled_from(OF_FIELDS_OF_PYDANTIC), _fields(_for_pydantic(kinds))
    ),
    lambda kinds: st.builds(lambda make, inner: make(inner), st.sampled_from(OF_ONE), kinds),
    lambda kinds: st.builds(an_envelope, _for_pydantic(kinds)),
]
"""What makes records, given the kinds of their fields."""
