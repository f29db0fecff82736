"""Every ordinary value has one JSON form; every other value is refused with its path."""

import array
import collections
import dataclasses
import datetime
import enum
import functools
import ipaddress
import itertools
import json
import types as std_types
from base64 import b64encode
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypedDict
from uuid import UUID

import attrs
import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pydantic.alias_generators
import pydantic.dataclasses
import pytest

from plainmcp import Image, Policy
from plainmcp.errors import NormalizeError
from plainmcp.types import TextContent
from plainmcp.values import encode
from plainmcp.values import rules as kinds
from plainmcp.values.encode import Inexact, Rules
from plainmcp.values.walk import MAX_DEPTH, Walk

UTC = datetime.UTC
STRICT = Policy.standard.replace(unserializable="error")
REPLACE = Policy.standard.replace(unencodable="replace")


def encoded(value: Any, policy: Policy = STRICT, rules: Rules | None = None) -> str:
    raw = (rules or Rules()).encode(value, policy)
    assert type(raw) is bytes
    return raw.decode()


def refused(value: Any, policy: Policy = STRICT) -> str:
    with pytest.raises(NormalizeError) as caught:
        Rules().encode(value, policy)
    return str(caught.value)


# Kinds of value -----------------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    y: float = 0.5


class Movie(TypedDict):
    title: str
    year: int


class Color(enum.Enum):
    RED = "red"
    TWO = 2
    PAIR = (1, 2)


class Word(enum.StrEnum):
    YES = "yes"


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


class Mode(enum.Flag):
    A = 1
    B = 2


@dataclasses.dataclass
class Inner:
    n: int


@dataclasses.dataclass
class Outer:
    inner: Inner
    tags: list[str] = dataclasses.field(default_factory=list)
    kind: ClassVar[str] = "outer"


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    a: int
    b: str | None = None


@dataclasses.dataclass
class Derived(Inner):
    computed: int = dataclasses.field(default=7, init=False)


@dataclasses.dataclass
class Tagged:
    """S001-16, S001-34: tags are the wire keys."""

    default_context: str = dataclasses.field(metadata={"json": "defaultContext"})
    note: str = dataclasses.field(default="n", metadata={"doc": "nothing to do with JSON"})
    secret: str = dataclasses.field(default="s", metadata={"json": "-"})


@attrs.define
class Attrs:
    x: int
    _hidden: int = 2
    z: list[int] = attrs.Factory(list)


class Struct(msgspec.Struct, rename="camel"):
    first_name: str
    tags: set[str] = set()


class Shape(msgspec.Struct, tag="circle", omit_defaults=True):
    r: int
    unit: str = "cm"


class Pair(msgspec.Struct, array_like=True):
    a: int
    b: int


class Simple(pydantic.BaseModel):
    a: int
    b: float | None = None


class Camel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=pydantic.alias_generators.to_camel, populate_by_name=True)

    user_name: str
    created_at: datetime.datetime = datetime.datetime(2025, 11, 3, 10, tzinfo=UTC)


class Aliased(pydantic.BaseModel):
    a: int = pydantic.Field(alias="anA")
    b: int = pydantic.Field(default=2, serialization_alias="theB")
    c: int = pydantic.Field(default=3, validation_alias="sea")
    hidden: str = pydantic.Field(default="h", exclude=True)

    @pydantic.computed_field(alias="theSum")
    @property
    def total(self) -> int:
        return self.a + self.b


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    a: int


class Rich(pydantic.BaseModel):
    tags: set[str] = {"b", "a"}
    price: Decimal = Decimal("1.50")
    span: datetime.timedelta = datetime.timedelta(seconds=90)
    kind: Color = Color.TWO
    by_id: dict[int, str] = {1: "a"}
    secret: pydantic.SecretStr = pydantic.SecretStr("x")
    nested: list[Simple] = [Simple(a=1)]


class Listed(pydantic.RootModel[list[int]]):
    pass


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    user_name: str = pydantic.Field(alias="userName")
    tags: set[int] = dataclasses.field(default_factory=lambda: {2, 1})


class Custom(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        return {"a": 1}[key]

    def __iter__(self) -> Iterator[str]:
        return iter("a")

    def __len__(self) -> int:
        return 1


class Countdown:
    def __iter__(self) -> Iterator[int]:
        return iter([2, 1])


class Markup(str):
    __slots__ = ()


class Moment(datetime.datetime):
    pass


# What each becomes ---------------------------------------------------------------------------------

VALUES: list[tuple[Any, str]] = [
    # scalars
    ('é\n"\\', '"é\\n\\"\\\\"'),
    ("", '""'),
    (42, "42"),
    (-(2**63), "-9223372036854775808"),
    (2**64, "18446744073709551616"),
    (10**30, "1" + "0" * 30),
    (22.5, "22.5"),
    (65.0, "65.0"),
    (1e16, "1e16"),
    (True, "true"),
    (None, "null"),
    (Markup("<b>"), '"<b>"'),
    (collections.UserString("a"), '"a"'),
    # mappings
    ({"a": {"b": []}}, '{"a":{"b":[]}}'),
    ({1: "a", None: "b", True is False: "c", 1.5: "d"}, '{"1":"a","null":"b","false":"c","1.5":"d"}'),
    ({datetime.date(2025, 1, 2): 1, Word.YES: 2, Color.TWO: 3}, '{"2025-01-02":1,"yes":2,"2":3}'),
    ({(1, "a"): 1, UUID(int=1): 2}, '{"[1,\\"a\\"]":1,"00000000-0000-0000-0000-000000000001":2}'),
    (collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
    (collections.defaultdict(list, a=[1]), '{"a":[1]}'),
    (collections.Counter("aab"), '{"a":2,"b":1}'),
    (collections.ChainMap({"a": 1}, {"b": 2}), '{"b":2,"a":1}'),
    (std_types.MappingProxyType({"a": 1}), '{"a":1}'),
    (collections.UserDict(a=1), '{"a":1}'),
    (Custom(), '{"a":1}'),
    (Movie(title="Alien", year=1979), '{"title":"Alien","year":1979}'),
    # collections
    ([1, [2, [3]]], "[1,[2,[3]]]"),
    ((1, (2,)), "[1,[2]]"),
    ({3, 1, 2}, "[1,2,3]"),
    (frozenset({"b", "a"}), '["a","b"]'),
    ({2, 1.5, "b", "a", (1, 2)}, '[1.5,2,"a","b",[1,2]]'),
    ({frozenset({2, 1})}, "[[1,2]]"),
    (collections.deque([2, 1]), "[2,1]"),
    (collections.UserList([2, 1]), "[2,1]"),
    (range(3), "[0,1,2]"),
    (array.array("i", [2, 1]), "[2,1]"),
    ({"a": 1}.keys(), '["a"]'),
    ({"a": 1}.values(), "[1]"),
    ({"a": 1}.items(), '[["a",1]]'),
    (Countdown(), "[2,1]"),
    (Point(1), "[1,0.5]"),
    # enums
    (Color.RED, '"red"'),
    (Color.TWO, "2"),
    (Color.PAIR, "[1,2]"),
    (Word.YES, '"yes"'),
    (Level.LOW, "1"),
    (Access.READ | Access.WRITE, "3"),
    (Mode.A | Mode.B, "3"),
    # times
    (datetime.datetime(2025, 11, 3, 10, 0, 0, 5, tzinfo=UTC), '"2025-11-03T10:00:00.000005Z"'),
    (datetime.datetime(2025, 11, 3, 10), '"2025-11-03T10:00:00"'),
    (
        datetime.datetime(2025, 11, 3, 10, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        '"2025-11-03T10:00:00+02:00"',
    ),
    (Moment(2025, 11, 3, 10), '"2025-11-03T10:00:00"'),
    (datetime.date(2025, 11, 3), '"2025-11-03"'),
    (datetime.time(10, 30), '"10:30:00"'),
    (datetime.timedelta(days=1, seconds=2), '"P1DT2S"'),
    (datetime.timedelta(seconds=-1.5), '"-PT1.5S"'),
    # ids, numbers, places
    (UUID("12345678-1234-5678-1234-567812345678"), '"12345678-1234-5678-1234-567812345678"'),
    (Decimal("1.50"), '"1.50"'),
    (Fraction(1, 3), '"1/3"'),
    (Path("a/b"), '"a/b"'),
    (PurePosixPath("/srv"), '"/srv"'),
    (PureWindowsPath(r"C:\a"), '"C:\\\\a"'),
    (ipaddress.ip_address("10.0.0.1"), '"10.0.0.1"'),
    (ipaddress.ip_address("::1"), '"::1"'),
    (ipaddress.ip_network("10.0.0.0/8"), '"10.0.0.0/8"'),
    (ipaddress.ip_interface("10.0.0.1/8"), '"10.0.0.1/8"'),
    # bytes
    (b"\xff", '"/w=="'),
    (bytearray(b"\xff"), '"/w=="'),
    (memoryview(b"\xff"), '"/w=="'),
    # records
    (Outer(Inner(1), ["a"]), '{"inner":{"n":1},"tags":["a"]}'),
    (Slotted(1), '{"a":1,"b":null}'),
    (Derived(1), '{"n":1,"computed":7}'),
    (Tagged("a"), '{"defaultContext":"a","note":"n"}'),
    (Attrs(1), '{"x":1,"z":[]}'),
    (Struct("A", {"b", "a"}), '{"firstName":"A","tags":["a","b"]}'),
    (Shape(1), '{"type":"circle","r":1}'),
    (Pair(1, 2), "[1,2]"),
    # pydantic
    (Simple(a=1), '{"a":1,"b":null}'),
    (Camel(user_name="A"), '{"userName":"A","createdAt":"2025-11-03T10:00:00Z"}'),
    (Aliased(anA=1), '{"anA":1,"theB":2,"c":3,"theSum":3}'),
    (Open(a=1, b={2, 1}), '{"a":1,"b":[1,2]}'),
    (
        Rich(),
        '{"tags":["a","b"],"price":"1.50","span":"PT1M30S","kind":2,"by_id":{"1":"a"},'
        '"secret":"**********","nested":[{"a":1,"b":null}]}',
    ),
    (Listed([1, 2]), "[1,2]"),
    (PydanticDataclass(userName="A"), '{"userName":"A","tags":[1,2]}'),
    # numpy, pandas, polars
    (np.int64(3), "3"),
    (np.float32(1.5), "1.5"),
    (np.bool_(True), "true"),
    (np.str_("a"), '"a"'),
    (np.datetime64("2025-11-03T10:00:00"), '"2025-11-03T10:00:00"'),
    (np.array([[1, 2], [3, 4]]), "[[1,2],[3,4]]"),
    (np.array(["2025-11-03"], dtype="datetime64[ns]"), '["2025-11-03T00:00:00"]'),
    (pd.DataFrame({"a": [1, 2], "b": ["x", None]}), '[{"a":1,"b":"x"},{"a":2,"b":null}]'),
    (pd.Series([1.5, None]), "[1.5,null]"),
    (pd.Index([1, 2]), "[1,2]"),
    (pd.Timestamp("2025-11-03", tz="UTC"), '"2025-11-03T00:00:00Z"'),
    (pd.NaT, "null"),
    (pl.DataFrame({"a": [1, 2], "b": ["x", None]}), '[{"a":1,"b":"x"},{"a":2,"b":null}]'),
    (pl.Series([1, 2]), "[1,2]"),
]

named = [f"{type(value).__name__}-{number}" for number, (value, _) in enumerate(VALUES)]
every_value = pytest.mark.parametrize(("value", "text"), VALUES, ids=named)


@every_value
def test_an_ordinary_value_has_exactly_this_json(value, text):
    """S000-26, S000-27, S000-28, S000-29, S000-30, B-42"""
    assert encoded(value) == text


@every_value
def test_a_value_has_the_same_json_wherever_it_stands(value, text):
    assert encoded({"k": [value]}) == f'{{"k":[{text}]}}'
    # The set makes the encoder give up its shortcut: what walks the value must agree with what does not.
    assert encoded([{"a"}, value]) == f'[["a"],{text}]'


@every_value
def test_a_value_has_the_same_json_under_a_policy_that_replaces_what_cannot_be_sent(value, text):
    assert encoded(value, REPLACE) == text


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: (n * 2 for n in (1, 2)), "[2,4]"),
        (lambda: iter(["a"]), '["a"]'),
        (lambda: map(str, [1]), '["1"]'),
        (lambda: zip([1], "a", strict=True), '[[1,"a"]]'),
        (lambda: enumerate("a"), '[[0,"a"]]'),
        (lambda: {"rows": (n for n in (1, 2))}, '{"rows":[1,2]}'),
    ],
)
def test_an_iterator_is_read_once_to_its_end(make, text):
    """S000-21"""
    assert encoded(make()) == text


def test_an_endless_iterator_is_refused(monkeypatch):
    monkeypatch.setattr(kinds, "MAX_ITEMS", 1000)
    assert refused({"n": itertools.count()}) == "$.n: an iterator that gave more than 1,000 items"


def test_a_dataclass_is_what_asdict_makes_of_it():
    """S000-12, S000-29: whatever else it holds beside it"""
    for value in (Outer(Inner(1), ["a"]), Slotted(1), Derived(1), Inner(3)):
        assert json.loads(encoded(value)) == dataclasses.asdict(value)
        assert json.loads(encoded([value, {"a"}]))[0] == dataclasses.asdict(value)


def test_a_field_that_was_never_set_is_absent():
    @dataclasses.dataclass
    class Late:
        a: int
        b: int = dataclasses.field(init=False)

    assert encoded(Late(1)) == encoded([Late(1)])[1:-1] == '{"a":1}'


# Agreement with pydantic ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", [Simple(a=1), Camel(user_name="A"), Aliased(anA=1), Rich()])
def test_a_model_has_the_keys_its_own_schema_promises(model):
    """S000-13, S001-32, B-30"""
    schema = type(model).model_json_schema(mode="serialization")
    data = json.loads(encoded(model))
    assert list(data) == list(schema["properties"])
    assert set(schema.get("required", [])) <= set(data)


@pytest.mark.parametrize("model", [Simple(a=1), Camel(user_name="A"), Aliased(anA=1), Open(a=1, b="c"), Listed([1])])
def test_a_model_is_its_own_json_dump_by_alias(model):
    """S000-13, S000-30"""
    assert json.loads(encoded(model)) == model.model_dump(mode="json", by_alias=True)


def in_hex(data: bytes) -> str:
    return data.hex()


def joined(items: set[int]) -> str:
    return ",".join(map(str, sorted(items)))


class Serialized(pydantic.BaseModel):
    """Fields that say for themselves how they look in JSON."""

    model_config = pydantic.ConfigDict(ser_json_timedelta="float")

    span: datetime.timedelta = datetime.timedelta(seconds=90)
    number: Annotated[int, pydantic.PlainSerializer(lambda n: f"#{n}", return_type=str)] = 1
    price: Annotated[float, pydantic.PlainSerializer(lambda f: f"{f:.2f}", return_type=str, when_used="json")] = 1.5
    raw: Annotated[bytes, pydantic.PlainSerializer(in_hex, return_type=str, when_used="json")] = b"\x01"
    ids: Annotated[set[int], pydantic.PlainSerializer(joined, return_type=str, when_used="json")] = {2, 1}
    token: pydantic.Base64Bytes = pydantic.Field(default=b"aGk=", validate_default=True)


@pytest.mark.parametrize("field", Serialized.model_fields)
def test_a_field_that_says_how_it_looks_in_json_is_obeyed(field):
    """S000-13, S000-30: as model_dump(mode="json"), so that the schema pydantic gives holds"""
    model = Serialized()
    assert json.loads(encoded(model))[field] == model.model_dump(mode="json")[field]


def test_bytes_said_to_be_hex_are_hex():
    """S000-13"""

    class Hex(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(ser_json_bytes="hex")

        raw: bytes = b"\x01"

    assert encoded(Hex()) == '{"raw":"01"}'


def test_bytes_in_a_model_are_base64_like_all_others():
    """B-16, B-19: the same whether or not they happen to be text"""

    class Raw(pydantic.BaseModel):
        data: bytes

    assert encoded(Raw(data=b"hi")) == '{"data":"aGk="}'
    assert encoded(Raw(data=b"\xff")) == '{"data":"/w=="}'


def test_a_model_where_another_is_promised_shows_what_was_promised():
    class More(Simple):
        extra: int = 9

    class Holder(pydantic.BaseModel):
        item: Simple

    assert encoded(Holder(item=More(a=1))) == '{"item":{"a":1,"b":null}}'
    assert encoded([Simple(a=1), More(a=2)]) == '[{"a":1,"b":null},{"a":2,"b":null,"extra":9}]'


# Of one's own ----------------------------------------------------------------------------------------


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


class Dollars(Money):
    pass


class Plain:
    def __plain__(self) -> Any:
        return {"when": datetime.date(2025, 1, 2), "tags": {"b", "a"}}


@dataclasses.dataclass
class PlainData:
    a: int

    def __plain__(self) -> Any:
        return self.a


def places(value: Any) -> list[Any]:
    """A value in the places where one may stand."""
    return [value, [value], {"k": value}, {"k": [{"l": value}]}, Outer(value), [{"a"}, value]]


def test_a_serializer_is_used_for_its_class_and_subclasses_wherever_they_stand():
    rules = Rules()
    rules.add(Money, lambda money: {"cents": money.cents})
    for value in (Money(5), Dollars(5)):
        texts = [encoded(place, rules=rules) for place in places(value)]
        assert all('{"cents":5}' in text for text in texts)


@pytest.mark.parametrize(
    ("kind", "serializer", "value", "text"),
    [
        (Decimal, float, Decimal("1.5"), "1.5"),
        (
            datetime.datetime,
            lambda moment: int(moment.timestamp()),
            datetime.datetime(1970, 1, 2, tzinfo=UTC),
            "86400",
        ),
        (UUID, lambda uuid: uuid.hex, UUID(int=1), f'"{UUID(int=1).hex}"'),
        (bytes, lambda data: data.hex(), b"\x01", '"01"'),
        (Color, lambda color: color.name, Color.RED, '"RED"'),
        (Inner, lambda inner: inner.n, Inner(3), "3"),
        (Simple, lambda model: model.a, Simple(a=3), "3"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_serializer_wins_over_what_we_would_do_wherever_the_value_stands(kind, serializer, value, text):
    rules = Rules()
    rules.add(kind, serializer)
    assert encoded(value, rules=rules) == text
    assert encoded({"k": [value]}, rules=rules) == f'{{"k":[{text}]}}'
    assert encoded(Outer(value, []), rules=rules) == f'{{"inner":{text},"tags":[]}}'


def test_a_serializer_added_later_counts_from_then_on():
    rules = Rules()
    assert encoded({"p": Inner(1)}, rules=rules) == '{"p":{"n":1}}'
    rules.add(Inner, lambda inner: inner.n)
    assert encoded({"p": Inner(1)}, rules=rules) == '{"p":1}'


def test_the_nearest_serializer_is_used():
    rules = Rules()
    rules.add(Money, lambda money: "money")
    rules.add(Dollars, lambda money: "dollars")
    assert encoded([Money(1), Dollars(1)], rules=rules) == '["money","dollars"]'


def test_rules_are_nobody_elses():
    Rules().add(Inner, lambda inner: inner.n)
    assert encoded(Inner(1)) == '{"n":1}'


@pytest.mark.parametrize(
    ("value", "text"),
    [(Plain(), '{"when":"2025-01-02","tags":["a","b"]}'), (PlainData(3), "3")],
)
def test_a_plain_method_says_what_an_object_is_wherever_it_stands(value, text):
    assert [encoded(place) for place in places(value)] == [
        text,
        f"[{text}]",
        f'{{"k":{text}}}',
        f'{{"k":[{{"l":{text}}}]}}',
        f'{{"inner":{text},"tags":[]}}',
        f'[["a"],{text}]',
    ]


def test_a_serializer_wins_over_a_plain_method():
    rules = Rules()
    rules.add(Plain, lambda plain: "mine")
    assert encoded(Plain(), rules=rules) == '"mine"'


def test_a_rule_is_chosen_once_for_each_class(monkeypatch):
    asked = []

    def choose(kind: type, serializers: Any) -> Any:
        asked.append(kind)
        return kinds.choose(kind, serializers)

    monkeypatch.setattr(encode, "choose", choose)
    rules = Rules()
    for _ in range(3):
        encoded([{1, 2}, Inner(1), {"a": Inner(2)}, Color.RED], rules=rules)
    assert len(asked) == len(set(asked))
    assert {list, set, Inner, Color} <= set(asked)


def test_a_serializer_that_fails_is_told_by_the_name_of_its_error_alone():
    class Broken:
        def __plain__(self) -> Any:
            raise ValueError("password")

    assert refused({"a": [Broken()]}) == "$.a[0]: converting Broken raised ValueError"


def test_an_object_that_stays_what_it_is_is_refused():
    class Stubborn:
        def __plain__(self) -> Any:
            return self

    assert refused([Stubborn()]) == "$[0]: Stubborn keeps turning into something else that has to be converted"


# What cannot be sent ---------------------------------------------------------------------------------


class Unprintable:
    def __str__(self) -> str:
        raise ValueError("password")


class Unreadable:
    def __iter__(self) -> Iterator[int]:
        raise ValueError("password")


def cycle_error() -> Any:
    value: dict[str, Any] = {"a": [1]}
    value["a"].append({"b": value})
    return value


def nest(depth: int) -> Any:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


BAD = [
    (float("nan"), "nan is not a JSON number"),
    (float("-inf"), "-inf is not a JSON number"),
    (np.float64("nan"), "nan is not a JSON number"),
    ("a\ud800", "a lone surrogate, which no UTF-8 text can hold"),
    (10**5000, "an integer of more than 4,300 digits"),
    ({1: "a", "1": "b"}, "two keys are both '1' in JSON"),
    (object(), "object has no JSON form; give it a __plain__ method or register a serializer"),
    (slice(1), "slice has no JSON form; give it a __plain__ method or register a serializer"),
    (Unprintable(), "Unprintable has no JSON form; give it a __plain__ method or register a serializer"),
    (Unreadable(), "converting Unreadable raised ValueError"),
    (TextContent(text="a"), "TextContent is content, not data; return it by itself or in a list of content"),
    (Image(data=b"\x89PNG\r\n\x1a\n"), "Image is content, not data; return it by itself or in a list of content"),
]


@pytest.mark.parametrize(("value", "problem"), BAD, ids=[problem[:20] for _, problem in BAD])
def test_what_has_no_json_form_is_refused_with_its_path(value, problem):
    """B-02, B-03, B-24, B-42, B-43"""
    assert refused(value) == f"$: {problem}"
    assert refused({"rows": [1, {"when": value}]}) == f"$.rows[1].when: {problem}"
    assert refused([Inner(value)]) == f"$[0].n: {problem}"
    assert refused({"two words": [value]}) == f"$['two words'][0]: {problem}"


class Loose(pydantic.BaseModel):
    number: int = 1
    ratio: float = 0.5
    word: str = "a"
    kids: list["Loose"] = []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"number": 10**5000}, "$.number: an integer of more than 4,300 digits"),
        ({"ratio": float("nan")}, "$.ratio: nan is not a JSON number"),
        ({"word": "a\ud800"}, "$.word: a lone surrogate, which no UTF-8 text can hold"),
        ({"kids": [Loose(ratio=float("inf"))]}, "$.kids[0].ratio: inf is not a JSON number"),
    ],
    ids=["integer", "nan", "surrogate", "inner"],
)
def test_what_pydantic_would_send_is_refused_with_its_path_as_well(fields, message):
    """B-02, B-24"""
    assert refused(Loose(**fields)) == message
    assert refused([Loose(), Loose(**fields)]) == f"$[1]{message[1:]}"


def test_a_coroutine_is_refused_with_the_cure():
    async def work() -> None: ...

    coroutine = work()
    try:
        assert refused({"a": coroutine}) == "$.a: coroutine has no JSON form; await it"
    finally:
        coroutine.close()


def test_a_cycle_is_refused_and_both_its_ends_are_named():
    """B-03"""
    assert refused(cycle_error()) == "$.a[1].b: a cycle: it holds $ again"
    knot = Outer(Inner(1))
    knot.inner = knot
    assert refused([knot]) == "$[0].inner: a cycle: it holds $[0] again"


def test_the_same_object_twice_is_no_cycle():
    shared = [Inner(1)]
    assert encoded([shared, shared, {"a": shared}]) == '[[{"n":1}],[{"n":1}],{"a":[{"n":1}]}]'


def test_a_hundred_levels_are_deep_enough():
    assert MAX_DEPTH == 100
    assert encoded(nest(100)) == "[" * 100 + "]" * 100
    for depth in (101, 5000):
        assert refused(nest(depth)).endswith(": nested more than 100 levels deep")


def test_a_path_is_never_longer_than_a_line():
    assert len(refused(nest(101))) < 200
    assert len(refused({"k" * 10_000: float("nan")})) < 250


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "null"),
        ([float("inf"), 1.5], "[null,1.5]"),
        ({"a": np.array([1.0, np.nan])}, '{"a":[1.0,null]}'),
        ("a\ud800b", '"a\ufffdb"'),
        ({"\udce9": ["\udce9"]}, '{"\ufffd":["\ufffd"]}'),
        (Simple(a=1, b=float("nan")), '{"a":1,"b":null}'),
    ],
)
def test_a_policy_may_replace_what_cannot_be_sent(value, text):
    """B-02, B-24"""
    assert encoded(value, REPLACE) == text


def test_none_is_not_taken_for_nan():
    assert (
        encoded([None, {"a": None}, Slotted(1), Simple(a=1)]) == '[null,{"a":null},{"a":1,"b":null},{"a":1,"b":null}]'
    )
    assert refused([None, {"a": None}, Simple(a=1, b=float("nan"))]) == "$[2].b: nan is not a JSON number"


def test_a_surrogate_pair_is_one_character():
    assert encoded("\ud83d\ude00", REPLACE) == '"😀"'


# What has only a text -----------------------------------------------------------------------------------


class Spoken:
    def __str__(self) -> str:
        return "spoken"


def test_an_object_with_a_text_of_its_own_is_that_text_and_no_longer_exact():
    """S000-31, S000-46"""
    raw = Rules().encode({"a": [Spoken()]}, Policy.standard)
    assert (type(raw), raw) == (Inexact, b'{"a":["spoken"]}')


@pytest.mark.parametrize("value", [object(), Unprintable(), Rules()])
def test_a_memory_address_is_not_a_text_worth_sending(value):
    """B-42"""
    assert refused([value], Policy.standard).startswith(f"$[0]: {type(value).__name__} has no JSON form")


# Dropping None, and items ---------------------------------------------------------------------------------


def test_members_that_are_none_are_dropped_where_a_policy_says_so_and_items_are_not():
    """B-04, B-05: and nothing else that is merely falsy"""
    value = {"a": None, "b": [None, 0, "", False, {}], "c": {"d": None}, "e": Simple(a=1)}
    policy = Policy.standard.replace(drop_none=True)
    assert encoded(value, policy) == '{"b":[null,0,"",false,{}],"c":{},"e":{"a":1}}'


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ([1, 2], [1, 2]),
        ((1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        (range(2), [0, 1]),
        (iter("ab"), ["a", "b"]),
        ({"a": 1}.items(), [("a", 1)]),
        (Countdown(), [2, 1]),
        ("ab", None),
        (b"ab", None),
        ({"a": 1}, None),
        (Point(1), None),
        (Inner(1), None),
        (Listed([1]), None),
        (None, None),
        (Color.PAIR, None),
    ],
)
def test_some_values_are_many_and_others_are_one(value, items):
    """S000-21"""
    assert Rules().items_of(value, STRICT) == items


def test_base64_is_the_standard_alphabet_on_one_line():
    """S000-20"""
    data = bytes(range(256))
    assert encoded(data) == f'"{b64encode(data).decode()}"'


def test_a_literal_hint_does_not_matter():
    @dataclasses.dataclass
    class Choice:
        way: Literal["a", "b"]

    assert encoded(Choice("a")) == '{"way":"a"}'


# What stands in an object and is never written ------------------------------------------------------


@dataclasses.dataclass
class Cached:
    inner: Any

    @functools.cached_property
    def nothing(self) -> None:
        return None

    @functools.cached_property
    def several(self) -> list[int]:
        return []


def test_a_cached_none_does_not_stand_in_for_a_nan() -> None:
    value = Cached({"y": float("nan")})
    assert value.nothing is None
    assert refused(value) == "$.inner.y: nan is not a JSON number"


def test_a_cached_list_does_not_stand_in_for_a_set() -> None:
    value = Cached({"s": set("zyxwv")})
    assert value.several == []
    assert encoded(value) == '{"inner":{"s":["v","w","x","y","z"]}}'


def test_an_ordered_dict_keeps_its_order() -> None:
    value = collections.OrderedDict(a=1, b=2)
    value.move_to_end("a")
    assert encoded(value) == encoded([value])[1:-1] == '{"b":2,"a":1}'


def test_raw_json_is_the_data_it_holds() -> None:
    value = {"rows": [msgspec.Raw(b'{"a": [1, 2]}'), msgspec.Raw(b"3")]}
    assert Rules().encode(value, Policy.standard) == b'{"rows":[{"a":[1,2]},3]}'
    with pytest.raises(NormalizeError, match=r"\$\.rows\[0\]: converting Raw raised DecodeError"):
        Rules().encode({"rows": [msgspec.Raw(b"{nonsense}")]}, Policy.standard)


@dataclasses.dataclass
class Anything:
    first: object
    second: Any = 1


@pytest.mark.parametrize("policy", [Policy.standard, Policy.lean, Policy.fastmcp])
@pytest.mark.parametrize("said", [b"nonsense", b"}{", b"1,2]", b'{"a":', b'"\xff"'])
@pytest.mark.parametrize("many", [1, 1_000])
def test_nobody_takes_the_word_of_json_that_is_none(said: bytes, policy: Policy, many: int) -> None:
    raw = msgspec.Raw(said)
    values: list[Any] = [
        {"x": raw}, [raw], [raw] * many, [{"x": 1, "y": raw}] * many, {"x": [[raw]]}, raw, (raw, 1),
        Anything(raw), Anything(1, raw), [Anything(raw)] * many, {"x": [Anything({"y": raw})] * many},
    ]  # fmt: skip
    for value in values:
        with pytest.raises(NormalizeError, match="converting Raw raised"):
            Rules().encode(value, policy)


# Small values are looked at one by one ---------------------------------------------------------------


SMALL: list[Any] = [
    {}, [], (), {"a": 1, "b": None}, [1.5, None], [1.5, float("nan")], {"a": [None, float("inf")], "b": None},
    {"a": {"b": [{"c": (1, "x", None)}]}}, {1: 2}, {"a": {1: 2}}, [[[]], {}], [True, False, 10**30],
    {"a": "null", "b": 1.5}, {"a": "null", "b": None, "c": 1.5}, [{"a": datetime.date(2026, 7, 28)}],
    ["a\ud800"], ([],) * 3, {"a": {1, 2}}, {"a": object()}, [collections.UserList([1])],
    [collections.defaultdict(int, a=1)],
]  # fmt: skip


@pytest.mark.parametrize("value", SMALL, ids=range(len(SMALL)))
@pytest.mark.parametrize("policy", [Policy.standard, Policy.lean, Policy.serializer])
def test_a_small_value_is_what_a_walk_makes_of_it(value: Any, policy: Policy) -> None:
    def outcome(make: Any) -> Any:
        try:
            return make()
        except NormalizeError as error:
            return str(error)

    rules = Rules()
    assert outcome(lambda: rules.encode(value, policy)) == outcome(
        lambda: msgspec.json.encode(Walk(rules, policy).convert(value))
    )


@pytest.mark.parametrize(("levels", "fits"), [(99, True), (100, True), (101, False)])
def test_a_small_value_is_no_deeper_than_a_large_one(levels: int, fits: bool) -> None:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    if fits:
        assert Rules().encode(value, Policy.standard) == b"[" * levels + b"1" + b"]" * levels
    else:
        with pytest.raises(NormalizeError, match="nested more than 100 levels deep"):
            Rules().encode(value, Policy.standard)
