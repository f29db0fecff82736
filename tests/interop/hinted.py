"""A server with one tool for every kind of return hint, and what each of them sends as structured content.

To add a hint, give it a line in `OBJECTS` or, if it may be anything but an object, in `OTHERS`.
"""

import enum
import os
import re
import typing
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypedDict,
    TypeVar,
    Union,
)
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import pydantic
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, PostgresDsn, SecretStr
from typing_extensions import TypeAliasType

from plainmcp import Server

__all__ = ["SENT", "check", "server"]

T = TypeVar("T")


@dataclass
class Forecast:
    city: str
    high: float


@dataclass
class Detailed(Forecast):
    """More than is declared."""

    key: str = "hunter2"


@dataclass
class Moments:
    zoned: datetime
    naive: datetime
    day: date
    clock: time
    took: timedelta


@dataclass
class Links:
    page: HttpUrl
    base: PostgresDsn
    secret: SecretStr


@dataclass
class Mixed:
    id: UUID | str
    path: Path | str
    when: datetime | date
    tags: list[str] = field(default_factory=list)


@dataclass
class Renamed:
    first_name: str = field(metadata={"json": "firstName"})


@dataclass
class Tree:
    name: str
    below: "list[Tree]"


@dataclass
class Box(Generic[T]):
    item: T


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Right(enum.IntFlag):
    SEE = 1
    EDIT = 2


class Person(BaseModel):
    name: str
    born: date


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    user_name: str = Field(alias="userName")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.user_name)


class Defaults(BaseModel):
    name: str = "nobody"
    count: int | None = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Naive(BaseModel):
    at: datetime
    took: timedelta


class Page(BaseModel, Generic[T]):
    items: list[T]


class Folder(BaseModel):
    name: str
    inside: "list[Folder]"


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


class Numbers(pydantic.RootModel[list[int]]):
    pass


@attrs.define
class Plant:
    name: str
    height: float | None = None


class Reading(msgspec.Struct):
    value: int
    unit: str | None


class Tagged(msgspec.Struct, tag="tagged", tag_field="kind"):
    x: int


class Camel(msgspec.Struct, rename="camel"):
    first_name: str


class Array(msgspec.Struct, array_like=True):
    x: int
    y: str


class Weather(TypedDict):
    high: float


class Partial(TypedDict, total=False):
    high: float
    low: float


class Lacking(TypedDict):
    high: float
    low: NotRequired[float]


class Point(NamedTuple):
    x: int
    y: int


UserId = NewType("UserId", int)
Nest = TypeAliasType("Nest", "int | list[Nest]")  # type: ignore[misc]
ID = UUID("12345678-1234-5678-1234-567812345678")
NOON = datetime(2026, 7, 28, 12, 30, tzinfo=UTC)
OSLO, OSLO_DATA = Forecast("Oslo", 21.5), {"city": "Oslo", "high": 21.5}
ADA, ADA_DATA = Person(name="Ada", born=date(1815, 12, 10)), {"name": "Ada", "born": "1815-12-10"}
TREE = {"name": "a", "below": [{"name": "b", "below": []}]}

# The hint, a value, and its JSON.
Entry = tuple[Any, Any, Any]

OBJECTS: dict[str, Entry] = {
    "dataclass": (Forecast, OSLO, OSLO_DATA),
    "dataclass_of_a_subclass": (Forecast, Detailed("Oslo", 21.5), OSLO_DATA),
    "dataclass_of_links": (
        Links,
        Links(HttpUrl("https://example.com/"), PostgresDsn("postgresql://localhost/db"), SecretStr("hunter2")),
        {"page": "https://example.com/", "base": "postgresql://localhost/db", "secret": "**********"},
    ),
    "dataclass_of_unions": (
        Mixed,
        Mixed(ID, Path("a.csv"), NOON),
        {"id": str(ID), "path": "a.csv", "when": "2026-07-28T12:30:00Z", "tags": []},
    ),
    "dataclass_renamed": (Renamed, Renamed("Ada"), {"firstName": "Ada"}),
    "dataclass_of_itself": (Tree, Tree("a", [Tree("b", [])]), TREE),
    "generic_dataclass": (Box[int], Box(1), {"item": 1}),
    "generic_dataclass_of_models": (Box[Person], Box(ADA), {"item": ADA_DATA}),
    "model": (Person, ADA, ADA_DATA),
    "model_with_alias_and_computed_field": (Aliased, Aliased(userName="Ada"), {"userName": "Ada", "length": 3}),
    "model_with_defaults": (Defaults, Defaults(), {"name": "nobody", "count": None}),
    "model_open": (Open, Open.model_validate({"name": "a", "more": [1]}), {"name": "a", "more": [1]}),
    "model_generic": (Page[Person], Page[Person](items=[ADA]), {"items": [ADA_DATA]}),
    "model_of_itself": (
        Folder,
        Folder(name="a", inside=[Folder(name="b", inside=[])]),
        {"name": "a", "inside": [{"name": "b", "inside": []}]},
    ),
    "models_with_a_tag": (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        Cat(lives=9),
        {"kind": "cat", "lives": 9},
    ),
    "models_in_a_union": (Cat | Dog, Dog(name="Rex"), {"kind": "dog", "name": "Rex"}),
    "attrs": (Plant, Plant("fern"), {"name": "fern", "height": None}),
    "struct": (Reading, Reading(4, None), {"value": 4, "unit": None}),
    "struct_tagged": (Tagged, Tagged(1), {"kind": "tagged", "x": 1}),
    "struct_renamed": (Camel, Camel("Ada"), {"firstName": "Ada"}),
    "typed_dict": (Weather, {"high": 21.5}, {"high": 21.5}),
    "typed_dict_partial": (Partial, {"low": 1.5}, {"low": 1.5}),
    "typed_dict_lacking": (Lacking, {"high": 1.5}, {"high": 1.5}),
    "dict": (dict, {"a": 1}, {"a": 1}),
    "Dict": (typing.Dict, {"a": 1}, {"a": 1}),  # noqa: UP006
    "dict_of_ints": (dict[str, int], {"a": 1}, {"a": 1}),
    "dict_of_records": (dict[str, Forecast], {"a": OSLO}, {"a": OSLO_DATA}),
    "dict_by_enum": (dict[Colour, Forecast], {Colour.RED: OSLO}, {"red": OSLO_DATA}),
    "dict_by_level": (dict[Level, Person], {Level.LOW: ADA}, {"1": ADA_DATA}),
    "dict_by_int": (dict[int, str], {1: "one"}, {"1": "one"}),
    "dict_by_date": (dict[date, int], {date(2026, 7, 28): 1}, {"2026-07-28": 1}),
    "mapping": (Mapping[str, float], {"a": 1.5}, {"a": 1.5}),
    "ordered_dict": (OrderedDict[str, int], OrderedDict(a=1), {"a": 1}),
    "defaultdict": (defaultdict[str, int], defaultdict(int, a=1), {"a": 1}),
}

OTHERS: dict[str, Entry] = {
    "str": (str, "sunny", "sunny"),
    "int": (int, 42, 42),
    "float": (float, 21.5, 21.5),
    "bool": (bool, True, True),
    "new_type": (UserId, UserId(7), 7),
    "alias_of_itself": (Nest, [1, [2, [3]]], [1, [2, [3]]]),
    "decimal": (Decimal, Decimal("12.30"), "12.30"),
    "fraction": (Fraction, Fraction(1, 3), "1/3"),
    "complex": (complex, 1 + 2j, "1+2j"),
    "datetime": (datetime, NOON, "2026-07-28T12:30:00Z"),
    "datetime_naive": (datetime, datetime(2026, 7, 28, 12, 30), "2026-07-28T12:30:00"),
    "date": (date, date(2026, 7, 28), "2026-07-28"),
    "time": (time, time(12, 30), "12:30:00"),
    "timedelta": (timedelta, timedelta(seconds=1.5), "PT1.5S"),
    "uuid": (UUID, ID, str(ID)),
    "path": (Path, Path("reports/may.csv"), "reports/may.csv"),
    "path_like": (os.PathLike, Path("reports/may.csv"), "reports/may.csv"),
    "pattern": (re.Pattern, re.compile("a+"), "a+"),
    "zone": (ZoneInfo, ZoneInfo("Europe/Oslo"), "Europe/Oslo"),
    "ipv4": (IPv4Address, IPv4Address("127.0.0.1"), "127.0.0.1"),
    "ipv6": (IPv6Address, IPv6Address("::1"), "::1"),
    "enum": (Colour, Colour.RED, "red"),
    "int_enum": (Level, Level.HIGH, 2),
    "flag": (Right, Right.SEE | Right.EDIT, 3),
    "literal": (Literal["a", 1, None], "a", "a"),
    "literal_of_an_enum": (Literal[Colour.RED], Colour.RED, "red"),
    "limited_by_msgspec": (Annotated[int, msgspec.Meta(ge=0)], 1, 1),
    "limited_by_pydantic": (Annotated[str, Field(pattern="^a")], "ab", "ab"),
    "url": (HttpUrl, HttpUrl("https://example.com/"), "https://example.com/"),
    "secret": (SecretStr, SecretStr("hunter2"), "**********"),
    "list": (list, [1, "a"], [1, "a"]),
    "List": (typing.List, [1, "a"], [1, "a"]),  # noqa: UP006
    "List_of_Dict": (typing.List[typing.Dict], [{"a": 1}], [{"a": 1}]),  # noqa: UP006
    "list_of_ints": (list[int], [1, 2], [1, 2]),
    "list_of_records": (list[Forecast], [OSLO], [OSLO_DATA]),
    "list_of_subclasses": (list[Forecast], [Detailed("Oslo", 21.5)], [OSLO_DATA]),
    "list_of_models": (list[Person], [ADA], [ADA_DATA]),
    "list_of_urls": (list[HttpUrl], [HttpUrl("https://example.com/")], ["https://example.com/"]),
    "list_of_nothing": (list[Forecast], [], []),
    "sequence": (Sequence[int], [1, 2], [1, 2]),
    "iterable_of_records": (Iterable[Forecast], [OSLO], [OSLO_DATA]),
    "iterator_of_records": (Iterator[Forecast], [OSLO], [OSLO_DATA]),
    "deque": (deque[int], deque([1, 2]), [1, 2]),
    "tuple": (tuple[int, str], (1, "a"), [1, "a"]),
    "tuple_of_records": (tuple[Forecast, ...], (OSLO,), [OSLO_DATA]),
    "tuple_bare": (tuple, (1, "a", 2), [1, "a", 2]),
    "set": (set[str], {"b", "a"}, ["a", "b"]),
    "frozenset": (frozenset[int], frozenset({2, 1}), [1, 2]),
    "named_tuple": (Point, Point(1, 2), [1, 2]),
    "list_of_named_tuples": (list[Point], [Point(1, 2)], [[1, 2]]),
    "struct_as_array": (Array, Array(1, "a"), [1, "a"]),
    "root_model": (Numbers, Numbers([1, 2]), [1, 2]),
    "moments": (
        list[Moments],
        [Moments(NOON, datetime(2026, 7, 28, 12, 30), date(2026, 7, 28), time(12, 30), timedelta(seconds=1.5))],
        [
            {
                "zoned": "2026-07-28T12:30:00Z",
                "naive": "2026-07-28T12:30:00",
                "day": "2026-07-28",
                "clock": "12:30:00",
                "took": "PT1.5S",
            }
        ],
    ),
    "models_with_moments": (
        list[Naive],
        [Naive(at=datetime(2026, 7, 28, 12, 30), took=timedelta(seconds=1.5))],
        [{"at": "2026-07-28T12:30:00", "took": "PT1.5S"}],
    ),
    "record_or_none": (Forecast | None, OSLO, OSLO_DATA),
    "none_or_record": (Forecast | None, None, None),
    "optional_model": (Optional[Person], ADA, ADA_DATA),  # noqa: UP045
    "model_or_str": (Person | str, ADA, ADA_DATA),
    "str_or_model": (Person | str, "nobody", "nobody"),
    "record_or_records": (Forecast | list[Forecast], OSLO, OSLO_DATA),
    "records_or_record": (Forecast | list[Forecast], [OSLO], [OSLO_DATA]),
    "dict_or_none": (dict[str, int] | None, {"a": 1}, {"a": 1}),
    "dict_of_records_or_none": (dict[str, Forecast] | None, {"a": OSLO}, {"a": OSLO_DATA}),
    "optional_dict": (Optional[dict], {"a": 1}, {"a": 1}),  # noqa: UP045
    "optional_List": (Optional[typing.List], [1], [1]),  # noqa: UP006, UP045
    "dict_or_list": (dict | list, {"a": 1}, {"a": 1}),
    "list_or_dict": (dict | list, [1], [1]),
    "typed_dict_or_none": (Weather | None, {"high": 1.5}, {"high": 1.5}),
    "struct_or_int": (Reading | int, Reading(1, "m"), {"value": 1, "unit": "m"}),
    "attrs_or_none": (Plant | None, Plant("fern", 1.5), {"name": "fern", "height": 1.5}),
    "int_or_str": (int | str, "a", "a"),
    "union_of_three": (Union[int, list[int], Forecast], OSLO, OSLO_DATA),  # noqa: UP007
    "tree_or_none": (Tree | None, Tree("a", [Tree("b", [])]), TREE),
    "box_or_none": (Box[int] | None, Box(1), {"item": 1}),
}

SENT: dict[str, Any] = {
    **{name: data for name, (_, _, data) in OBJECTS.items()},
    **{name: {"result": data} for name, (_, _, data) in OTHERS.items()},
}
"""What each tool sends."""


def server() -> Server:
    """The server; each tool lists an output schema, if its hint says anything of what it returns."""
    found = Server("hinted")
    for name, (hint, value, _) in {**OBJECTS, **OTHERS}.items():
        found.tool(_returning(hint, value), name=name, output_schema=True)
    return found


def _returning(hint: Any, value: Any) -> Callable[[], Any]:
    def tool() -> Any:
        return value

    tool.__annotations__["return"] = hint
    return tool


def check(got: dict[str, Any]) -> None:
    """Fail unless a client got what each tool sends; what it complains of stands there as a text."""
    assert got.keys() == SENT.keys()
    wrong = [f"{name}: {got[name]}" for name in got if got[name] != SENT[name]]
    assert not wrong, "\n".join(wrong)
