"""Values -> JSON that is certain to keep the schema of their hint, and is what jsonable would make of them.

For hints that leave nothing open: records, lists and dicts of scalars. Knows what msgspec and pydantic write alike.
Whatever is not quite what its hint says is not written here.
"""

import datetime
from collections.abc import Callable
from inspect import getattr_static
from itertools import chain, islice
from operator import attrgetter, methodcaller
from types import MemberDescriptorType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from uuid import UUID

import msgspec

from . import codec, foreign, twins
from .twins import SCALARS, TOLD_IN_TEXT, Field

__all__ = ["Flat", "Writer", "writer"]

_NOTHING = type(None)
DEEP = 25
"""How many records may hold each other: those that look closer know how deep a value may be."""


class Flat(NamedTuple):
    """A record of scalars that are never null: what the encoder writes of a value is certain, if it can be read.

    Of a model, what it holds is written, and that must be of `exact` classes: pydantic has its own way with what is
    in the wrong place, such as a timedelta in a str, or 1 in a float.
    """

    kind: type
    exact: list[type] | None
    read: Callable[[bytes], Any]


class Writer:
    """Writes values of a hint as JSON that keeps its schema and is exactly what jsonable would make of them.

    A value is copied into a twin, which takes what its fields allow and nothing else, and the copy is written: for a
    table that is half the work of writing it, looking for what else may be in it and reading it back. `written`
    gives None for a value that is not quite what the hint says. `kinds` are the classes of records in the hint, which
    must have no other form than their fields. A record that is `flat` can be written in half that time.
    """

    __slots__ = ("flat", "kinds", "written")

    def __init__(self, place: "_Place", met: set[type], read: Callable[[bytes], Any]) -> None:
        self.kinds = frozenset(met - SCALARS)
        texts = met & TOLD_IN_TEXT  # said so that a text is not taken for a date, but it takes time to say it
        options: dict[str, Any] = {"builtin_types": texts} if texts else {}
        self.written = _copied(place, options)
        self.flat: Flat | None = None
        if isinstance(place, _Record) and place.is_direct and _NOTHING not in met:
            self.flat = Flat(place.kind, place.exact, read)


_encode = msgspec.json.Encoder().encode


def _copied(place: "_Place", options: dict[str, Any]) -> Callable[[Any], bytes | None]:
    one, twin, convert = place.one, place.twin, msgspec.convert

    def written(value: Any) -> bytes | None:
        try:
            return _encode(convert(one(value), twin, from_attributes=True, **options))
        except Exception:  # whoever looks closer meets the same trouble, and knows its path
            return None

    return written


# The places in a hint -----------------------------------------------------------------------------


class _Place:
    """Where values of certain classes stand, and the twin they are copied into.

    It is `sure` where a copy is made of values of these very classes only, or of such as are written like them.
    `one` and `many` give values as they are copied, with the insides of records laid open; they raise _Stranger where
    a value is of another class. A table takes too long one by one, and a small record takes too long as a table.
    """

    def __init__(self, twin: Any, kinds: set[type], *, sure: bool = False) -> None:
        self.twin = twin
        self.kinds = frozenset(kinds)
        self.sure = sure

    def one(self, value: Any) -> Any:
        if type(value) not in self.kinds:
            raise _Stranger
        return value

    def many(self, values: list[Any]) -> list[Any]:
        if not self.kinds.issuperset(map(type, values)):
            raise _Stranger
        return values


class _Unwritable(Exception):
    """Nobody can tell from a hint alone how its values are written."""


class _Stranger(Exception):
    """A value is not of the class it should be."""


_FEW = 8


class _List(_Place):
    def __init__(self, item: _Place) -> None:
        super().__init__(list[item.twin], {list})  # type: ignore[name-defined]
        self.item = item

    def one(self, value: Any) -> Any:
        if type(value) is not list:
            raise _Stranger
        if self.item.sure:
            return value
        return list(map(self.item.one, value)) if len(value) <= _FEW else self.item.many(value)

    def many(self, values: list[Any]) -> list[Any]:
        super().many(values)
        if self.item.sure:
            return values
        items = iter(self.item.many(list(chain.from_iterable(values))))
        return [list(islice(items, len(one))) for one in values]


class _Dict(_Place):
    def __init__(self, item: _Place) -> None:
        super().__init__(dict[str, item.twin], {dict})  # type: ignore[name-defined]
        self.item = item

    def one(self, value: Any) -> Any:
        return self.many([value])[0]

    def many(self, values: list[Any]) -> list[Any]:
        super().many(values)
        _TEXT.many(list(chain.from_iterable(values)))
        if self.item.sure:
            return values
        items = iter(self.item.many(list(chain.from_iterable(map(dict.values, values)))))
        return [dict(zip(one, items, strict=False)) for one in values]


class _Optional(_Place):
    """A place for something that is looked at more closely, or for None."""

    def __init__(self, place: _Place) -> None:
        super().__init__(place.twin | None, {*place.kinds, _NOTHING})
        self.place = place

    def one(self, value: Any) -> Any:
        return None if value is None else self.place.one(value)

    def many(self, values: list[Any]) -> list[Any]:
        found = iter(self.place.many([value for value in values if value is not None]))
        return [None if value is None else next(found) for value in values]


class _Moment(_Place):
    """A place in a model: pydantic cuts an offset to minutes which msgspec rounds."""

    def one(self, value: Any) -> Any:
        super().one(value)
        if value.tzinfo is not None and value.utcoffset() % _MINUTE:
            raise _Stranger
        return value

    def many(self, values: list[Any]) -> list[Any]:
        super().many(values)
        offsets = set(map(methodcaller("utcoffset"), values)) - {None}
        if any(offset % _MINUTE for offset in offsets):
            raise _Stranger
        return values


class _Record(_Place):
    """A place for records of one class.

    What is `inside` is looked at, unless it is sure: `scalars` at a glance, `others` in their own way.
    """

    def __init__(self, kind: type, fields: list[Field], places: list[_Place]) -> None:
        given = [(field.name, place.twin) for field, place in zip(fields, places, strict=True)]
        super().__init__(twins.struct(kind, fields, given), {kind})
        self.kind = kind
        self.is_model = foreign.is_pydantic(kind)
        self.is_flat = all(place.kinds <= SCALARS for place in places)
        # In a __dict__ a field that was never set is missed; read as an attribute, it may have a default.
        self.has_dict = kind.__dictoffset__ != 0 and all(field.name == field.wire for field in fields)
        if not (self.has_dict or self.is_flat or self.is_model):
            raise _Unwritable
        self.inside = [(f.name, place) for f, place in zip(fields, places, strict=True) if not place.sure]
        self.scalars = [(name, place.kinds) for name, place in self.inside if type(place) is _Place]
        self.others = [(name, place) for name, place in self.inside if type(place) is not _Place]
        self.exact = _exact(places) if self.is_model and self.has_dict else None
        """The classes of what a model holds, where that is all there is to know of it."""
        self.is_direct = self.is_flat and (not self.is_model or self.exact is not None)

    def one(self, value: Any) -> Any:
        if type(value) is not self.kind:
            raise _Stranger
        if not self.has_dict:
            return self.many([value])[0]
        opened = value.__dict__
        for name, kinds in self.scalars:
            if type(opened[name]) not in kinds:
                raise _Stranger
        for name, place in self.others:
            opened = {**opened, name: place.one(opened[name])}
        return opened

    def many(self, values: list[Any]) -> list[Any]:
        kind = self.kind
        if not self.has_dict:
            super().many(values)
            for name, place in self.inside:
                place.many(list(map(attrgetter(name), values)))
            return values
        opened = [value.__dict__ for value in values if type(value) is kind]
        if len(opened) != len(values):
            raise _Stranger
        for name, kinds in self.scalars:
            if [name for one in opened if type(one[name]) not in kinds]:
                raise _Stranger
        for name, place in self.others:
            column = place.many([one[name] for one in opened])
            if not place.kinds <= SCALARS:
                opened = [{**one, name: inner} for one, inner in zip(opened, column, strict=True)]
        return opened


def _exact(places: list[_Place]) -> list[type] | None:
    found: list[type] = []
    for place in places:
        kinds = place.kinds - {int} if float in place.kinds else place.kinds
        if type(place) is not _Place or len(kinds) != 1:
            return None
        found += kinds
    return found


_TEXT = _Place(str, {str})
_MINUTE = datetime.timedelta(minutes=1)
_LARGEST = 1.7976931348623157e308
_FINITE: Any = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
_SHORT: Any = Annotated[float, msgspec.Meta(gt=-1e16, lt=1e16)]  # from there on pydantic writes 1e+16, msgspec 1e16


def writer(hint: Any) -> Writer | None:
    """What writes values of a hint; None for hints that leave open what is in a value."""
    met: set[type] = set()
    try:
        place = _place(hint, frozenset(), met, {}, model=False)
        read = codec.reader(place.twin)  # a twin it does not take is found out now
    except Exception:  # a hint may be anything, and reading it may raise anything
        return None
    return Writer(place, met, read)


Made = dict[type, _Place]
"""The places of records, by class: one that stands in many places is made once."""


def _place(hint: Any, above: frozenset[Any], met: set[type], made: Made, *, model: bool) -> _Place:
    """The place of a hint, in a model or not; scalars and records are added to those `met`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        met.update(map(type, parts))
        return _Place(hint, set(map(type, parts)))
    if origin is list:
        return _List(_place(parts[0], above, met, made, model=model))
    if origin is dict and parts[0] is str:
        return _Dict(_place(parts[1], above, met, made, model=model))
    if origin in (UnionType, Union):
        return _choice([_place(part, above, met, made, model=model) for part in parts], model)
    if not isinstance(hint, type) or hint in above or len(above) > DEEP:
        raise _Unwritable
    met.add(hint)
    if hint not in SCALARS:
        made[hint] = made.get(hint) or _record(hint, above, met, made)
        return made[hint]
    if hint is float:
        return _Place(_SHORT if model else int | _FINITE, {int, float})
    if model and hint in (datetime.datetime, datetime.time):
        return _Moment(hint, {hint})
    # These are made of values of classes derived from them, which may have another form, though not for pydantic.
    return _Place(hint, {hint}, sure=model or hint not in (int, UUID))


def _choice(places: list[_Place], model: bool) -> _Place:
    kinds = set[type]().union(*(place.kinds for place in places))
    others = [place for place in places if type(place) is not _Place]
    nullable = len(places) == 2 and _NOTHING in kinds
    if (model or others) and not nullable:
        raise _Unwritable  # pydantic has its own way to choose, and records cannot be told apart
    if others:
        return _Optional(others[0])
    found: Any = Union[tuple(place.twin for place in places)]  # noqa: UP007 - a hint at run time
    return _Place(found, kinds, sure=all(place.sure for place in places))


def _record(kind: type, above: frozenset[Any], met: set[type], made: Made) -> _Place:
    fields, model = twins.fields(kind), foreign.is_pydantic(kind)
    if not fields or not all(_is_stored(kind, field.name) for field in fields):
        raise _Unwritable
    return _Record(kind, fields, [_place(field.hint, above | {kind}, met, made, model=model) for field in fields])


def _is_stored(kind: type, name: str) -> bool:
    """Whether what an attribute gives is what the instance holds."""
    found = getattr_static(kind, name, None)
    own: Any = kind.__getattribute__
    stored = isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__get__")
    return stored and own is object.__getattribute__
