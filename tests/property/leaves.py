"""Hints that hold no other hint: one line each in `LEAVES`, with values that fit.

A line says how a value is told in JSON where that is not the value itself, and what else `Kind` asks.
"""

import base64
import enum
import functools
import json
import re
import typing
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NewType
from uuid import UUID
from zoneinfo import ZoneInfo

import annotated_types
import msgspec
import numpy
import pandas
import polars
import pydantic
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from property.kinds import Kind, Values, anything, text

__all__ = ["LEAVES", "NOTHING", "leaf", "told_by_key"]

Told = Callable[[Any, Any], bool]


# How a value is told in JSON ----------------------------------------------------------------------


def same(value: Any, data: Any) -> bool:
    """As it is; 1.0 and 1 are the same number."""
    if isinstance(value, float | int) and isinstance(data, float | int) and not isinstance(value, bool):
        return value == data and not isinstance(data, bool)
    return type(data) in (str, bool, type(None)) and value == data


def reads(parse: Callable[[str], Any]) -> Told:
    """As a text from which it can be read again."""

    def told(value: Any, data: Any) -> bool:
        try:
            return isinstance(data, str) and bool(parse(data) == value)
        except (ValueError, ArithmeticError, LookupError, OSError):  # of decimal and, the last two, of zoneinfo
            return False

    return told


def told_by_key(kind: Kind, value: Any, key: str) -> bool:
    """As the key of an object: keys are texts, also those of numbers."""
    if kind.told(value, key):
        return True
    try:
        return kind.told(value, json.loads(key))
    except ValueError:
        return False


def by_value(value: Any, data: Any) -> bool:
    return same(value.value, data)


def by_text(value: Any, data: Any) -> bool:
    return bool(data == str(value))


def in_base64(value: Any, data: Any) -> bool:
    """As base64 or, in a model, as text: that is how pydantic writes bytes."""
    encoded = (base64.b64encode(value).decode(), base64.urlsafe_b64encode(value).decode())
    return data in (*encoded, bytes(value).decode("utf-8", "replace"))


def loosely(value: Any, data: Any) -> bool:
    """Data of which the hint says nothing: only looked at from outside."""
    if isinstance(value, Mapping):
        return isinstance(data, dict) and len(data) == len(value)
    if hasattr(value, "__len__") and not isinstance(value, str):
        return isinstance(data, list) and len(data) == len(value)
    return same(value, data)


def duration(written: str) -> timedelta:
    """The time in a text such as P1Y2M3DT4H5M6.7S, where a year has 365 days and a month 30, as pydantic has it."""
    pattern = r"(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
    found = re.fullmatch(pattern, written)
    if found is None:
        raise ValueError(f"{written} is not a duration")
    sign, *parts = found.groups(default="0")
    years, months, weeks, days, hours, minutes = map(int, parts[:6])
    microseconds = int(Decimal(parts[6]) * 10**6)
    days += 365 * years + 30 * months + 7 * weeks
    whole = timedelta(days=days, hours=hours, minutes=minutes, microseconds=microseconds)
    return -whole if sign == "-" else whole


# Makers -------------------------------------------------------------------------------------------


def leaf(hint: Any, fits: Values, told: Told = same, **about: Any) -> Kind:
    """A hint that holds no other."""
    about.setdefault("code", getattr(hint, "__name__", str(hint)))
    about.setdefault("holds", functools.partial(is_a, hint))
    about.setdefault("hashable", True)
    return Kind(hint=hint, fits=fits, told=told, misses=anything, **about)


def is_a(kind: Any, value: Any) -> bool:
    """Whether a value is of a class; an int is a float, but a bool is not an int, nor a datetime a date."""
    if kind is float:
        return type(value) in (int, float)
    return type(value) is kind if kind in (int, date) else isinstance(value, kind)


def in_text(kind: type, fits: Values, parse: Callable[[str], Any] | None = None, **about: Any) -> Kind:
    """A class whose values are one text each."""
    return leaf(kind, fits, reads(parse or kind), **about)


def member(kind: type[enum.Enum], *combined: Any) -> Kind:
    """An Enum; members that are combined are sent, and need not be taken."""
    fits = st.sampled_from([*kind, *combined])
    return leaf(kind, fits, by_value, key=not combined, symmetric=not combined, open=bool(combined))


def choice(*values: Any) -> Kind:
    """A Literal."""
    told = {one: one.value if isinstance(one, enum.Enum) else one for one in values}
    return leaf(
        Literal[values],
        st.sampled_from(values),
        lambda value, data: same(told[value], data),
        code=f"Literal[{', '.join(map(repr, values))}]",
        holds=lambda value: any(type(value) is type(one) and value == one for one in values),
        key=all(isinstance(one, str) for one in values),
    )


def limited(kind: Any, limit: Any, fits: Values, within: Callable[[Any], bool] = lambda value: True) -> Kind:
    """`Annotated[kind, limit]`."""
    return leaf(
        Annotated[kind, limit],
        fits,
        loosely,
        code=f"Annotated[{kind.__name__}, {limit!r}]",
        holds=lambda value: is_a(kind, value) and within(value),
        hashable=kind is not list,
        of_pydantic=isinstance(limit, FieldInfo | annotated_types.BaseMetadata),
        by_pydantic=not isinstance(limit, msgspec.Meta),  # pydantic passes over it
    )


def scalar(name: str, *values: Any, told: Told = by_text, **about: Any) -> Kind:
    """A type of pydantic's, by its name there."""
    hint = getattr(pydantic, name)
    made = [pydantic.TypeAdapter(hint).validate_python(value) for value in values]
    about.setdefault("holds", functools.partial(is_a, type(made[0])))
    return leaf(hint, st.sampled_from(made), told, code=name, of_pydantic=True, **about)


def open_to(hint: Any, code: str, fits: Values, kind: Any = object, **about: Any) -> Kind:
    """A hint that says little: anything, or a container of anything."""
    about = {"hashable": False, "symmetric": False, **about}
    return leaf(hint, fits, loosely, code=code, holds=lambda value: isinstance(value, kind), **about)


def returned(kind: type, fits: Values, told: Told = loosely) -> Kind:
    """A class of which nothing is listed, and which is not taken."""
    return leaf(kind, fits, told, hashable=False, taken=False, symmetric=False, by_pydantic=False, open=True)


# Classes and values -------------------------------------------------------------------------------


class Colour(str, enum.Enum):  # noqa: UP042 - many are written so
    RED = "red"
    BLUE = "blue"


class Size(enum.StrEnum):
    SMALL = "small"
    LARGE = "large"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mood(enum.Enum):
    """Of two types."""

    GOOD = "good"
    BAD = 0


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


class Right(enum.IntFlag):
    SEE = 1
    EDIT = 2


class Position:
    """Says itself what it is as data."""

    def __init__(self, north: int) -> None:
        self.north = north

    def __plain__(self) -> dict[str, int]:
        return {"north": self.north}


def rows_of(frame: type, count: int) -> Any:
    return frame({"city": ["Oslo"] * count, "high": [21.5] * count})


UserId = NewType("UserId", int)

integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2)
moments = st.datetimes(min_value=datetime(1900, 1, 1))
zoned = st.just(UTC)
paths = st.sampled_from(["notes.md", "a/b.csv", "/tmp/x", "ä/ö"])
abc = st.text("abc", min_size=1, max_size=3)
data = st.recursive(
    st.none() | st.booleans() | integers | floats | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(abc, inner, max_size=3),
    max_leaves=4,
)
dicts, lists = st.dictionaries(abc, data, max_size=3), st.lists(data, max_size=3)

NOTHING = leaf(type(None), st.none(), code="None")

LEAVES: list[Kind] = [
    NOTHING,
    leaf(str, text, key=True),
    leaf(int, integers, key=True),
    leaf(float, floats | st.integers(-9, 9)),
    leaf(bool, st.booleans()),
    leaf(UserId, integers, holds=functools.partial(is_a, int)),
    # Numbers and moments as texts
    in_text(Decimal, decimals, holds=lambda value: isinstance(value, Decimal) and value.is_finite()),
    in_text(Fraction, st.fractions(max_denominator=99), key=True),
    in_text(complex, st.complex_numbers(max_magnitude=10**9)),
    in_text(datetime, moments | st.datetimes(timezones=zoned), datetime.fromisoformat),
    in_text(date, st.dates(), date.fromisoformat, key=True),
    in_text(time, st.times() | st.times(timezones=zoned), time.fromisoformat),
    in_text(timedelta, st.timedeltas(timedelta(days=-400), timedelta(days=400)), duration),
    # Other texts
    in_text(UUID, st.uuids(), key=True),
    in_text(Path, paths.map(Path), key=True),
    in_text(PurePosixPath, paths.map(PurePosixPath)),
    in_text(IPv4Address, st.ip_addresses(v=4), key=True),
    in_text(IPv6Address, st.ip_addresses(v=6)),
    in_text(IPv4Network, st.just(IPv4Network("10.0.0.0/8"))),
    in_text(IPv4Interface, st.just(IPv4Interface("10.0.0.1/8"))),
    in_text(ZoneInfo, st.sampled_from(["UTC", "Europe/Oslo"]).map(ZoneInfo)),
    in_text(re.Pattern, st.sampled_from(["a+", "(?i)oslo"]).map(re.compile), re.compile, exact=False),
    leaf(bytes, st.binary(max_size=6), in_base64, symmetric=False),
    leaf(
        bytearray,
        st.builds(bytearray, st.binary(max_size=6)),
        in_base64,
        hashable=False,
        by_pydantic=False,
        symmetric=False,
    ),
    # Choices
    member(Colour),
    member(Size),
    member(Level),
    member(Mood),
    member(Mode, Mode.READ | Mode.WRITE),
    member(Right, Right.SEE | Right.EDIT, Right(0)),
    choice("a", "b"),
    choice(1, 2),
    choice("a", 1, None),
    choice(True, "yes"),
    choice(Colour.RED),
    choice(Mood.GOOD, Mood.BAD, 2),
    # Limits
    limited(int, msgspec.Meta(ge=0, le=10), st.integers(0, 10), lambda value: 0 <= value <= 10),
    limited(float, msgspec.Meta(gt=0), st.floats(1, 2), lambda value: value > 0),
    limited(str, msgspec.Meta(min_length=1, max_length=3), abc, lambda value: 1 <= len(value) <= 3),
    limited(str, msgspec.Meta(pattern="^[a-c]+$"), abc, lambda value: set(value) <= set("abc")),
    limited(list, msgspec.Meta(max_length=2), st.lists(data, max_size=2), lambda value: len(value) <= 2),
    limited(int, msgspec.Meta(description="how many"), integers),
    limited(int, pydantic.Field(ge=0, le=10), st.integers(0, 10), lambda value: 0 <= value <= 10),
    limited(str, pydantic.Field(pattern="^[a-c]+$"), abc, lambda value: set(value) <= set("abc")),
    limited(int, annotated_types.Gt(0), st.integers(1, 10), lambda value: value > 0),
    limited(int, "how many", integers),
    # pydantic's own
    scalar("HttpUrl", "https://example.com/a?b=c", exact=False),
    scalar("AnyUrl", "ftp://example.com/x", exact=False),
    scalar("PostgresDsn", "postgresql://user@localhost:5432/db", exact=False),
    scalar("RedisDsn", "redis://localhost:6379/0", exact=False),
    scalar("EmailStr", "jane@example.com", exact=False),
    scalar("SecretStr", "hunter2", symmetric=False),
    scalar("IPvAnyAddress", "127.0.0.1", "::1", holds=lambda value: isinstance(value, IPv4Address | IPv6Address)),
    scalar("PositiveInt", 1, 2, told=same),
    scalar("ByteSize", 1024, told=same, exact=False, symmetric=False),  # it takes any text that begins with a number
    scalar("AwareDatetime", datetime(2026, 7, 28, tzinfo=UTC), told=reads(datetime.fromisoformat)),
    scalar("NaiveDatetime", datetime(2026, 7, 28, 1, 2), told=reads(datetime.fromisoformat), exact=False),
    # Only returned
    returned(range, st.builds(range, st.integers(0, 3))),
    returned(Position, st.builds(Position, st.integers(-9, 9)), lambda value, data: data == {"north": value.north}),
    returned(numpy.float64, st.builds(numpy.float64, floats), same),
    returned(numpy.ndarray, st.builds(numpy.array, st.lists(st.integers(-9, 9), max_size=3))),
    returned(pandas.DataFrame, st.builds(rows_of, st.just(pandas.DataFrame), st.integers(0, 3))),
    returned(polars.DataFrame, st.builds(rows_of, st.just(polars.DataFrame), st.integers(0, 3))),
    # Of whatever
    open_to(Any, "Any", data),
    open_to(object, "object", data),
    open_to(dict, "dict", dicts, dict),
    open_to(typing.Dict, "Dict", dicts, dict),  # noqa: UP006
    open_to(list, "list", lists, list),
    open_to(typing.List, "List", lists, list),  # noqa: UP006
    open_to(tuple, "tuple", lists.map(tuple), tuple),
    open_to(typing.Tuple, "Tuple", lists.map(tuple), tuple),  # noqa: UP006
    open_to(set, "set", st.sets(integers, max_size=3), set),
    open_to(typing.Set, "Set", st.sets(text, max_size=3), set),  # noqa: UP006
    open_to(frozenset, "frozenset", st.frozensets(text, max_size=3), frozenset, hashable=True),
]
