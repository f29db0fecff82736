"""Whether the JSON of a value fits its declared type or schema; and what the log says if not."""

import enum
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import attrs
import jsonschema_rs
import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from plainmcp.errors import AuthorError, OutputError
from plainmcp.policy import Policy
from plainmcp.schema.output_check import OutputCheck
from plainmcp.schema.returns import output_schema
from plainmcp.schema.validator import Validator
from plainmcp.values.encode import Rules

RULES = Rules()
REPLACE = Policy(unencodable="replace", unserializable="error")
SECRET = "hunter2-correct-horse"


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Forecast:
    city: str
    high: float
    unit: Unit = Unit.CELSIUS
    note: str | None = None


@dataclass
class Plain:
    name: str
    score: float
    tags: list[str] = field(default_factory=list)


@dataclass
class Wired:
    wire_name: int = field(metadata={"json": "wireName"})
    secret: str = field(default="", metadata={"json": "-"})
    inner: Plain | None = field(default=None, metadata={"unit": "kg"})


class Row(TypedDict):
    name: str
    rank: NotRequired[int]


class Pair(NamedTuple):
    left: int
    right: float = 0.0


class Point(msgspec.Struct):
    x: int
    y: float = 0.0


class Camel(msgspec.Struct, rename="camel", omit_defaults=True):
    first_name: str = ""
    last_name: str | None = None


class Tagged(msgspec.Struct, tag="tagged", tag_field="kind"):
    inner: int


class Tree(msgspec.Struct):
    value: int
    children: list["Tree"] = []


@attrs.define
class Attributes:
    left: int
    _private: int
    right: list[int] = attrs.field(factory=list)


class Weather(BaseModel):
    temperature: float = Field(description="Temperature in Celsius")
    condition: str
    humidity: float = Field(ge=0, le=100)


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    user_name: str = Field(alias="userName")
    seen_at: datetime | None = Field(default=None, serialization_alias="seenAt")


class Loose(BaseModel):
    names: set[str] = set()
    blob: bytes = b""
    by_number: dict[int, str] = {}
    amount: Decimal = Decimal(0)
    took: timedelta = timedelta()
    where: Path = Path()


class Roots(pydantic.RootModel[list[int]]):
    pass


@pydantic.dataclasses.dataclass
class Checked:
    number: int = 0
    label: str = Field(default="", serialization_alias="theLabel")


@dataclass
class Holder:
    weather: Weather
    points: dict[str, list[Aliased]]


def check(hint: Any, value: Any, policy: Policy = REPLACE) -> None:
    """Encode a value as the server would, and check it against what its hint promises."""
    schema = output_schema(hint, which="all")
    assert schema is not None
    OutputCheck(schema)(RULES.encode(value, policy))


def broken(hint: Any, value: Any) -> str:
    with pytest.raises(OutputError) as caught:
        check(hint, value)
    error = caught.value
    assert str(error) == f"{error.path}: expected {error.expected}, got {error.got}"
    assert SECRET not in str(error)
    return str(error)


# Kept ---------------------------------------------------------------------------------------------

text = st.text(max_size=5)
numbers = st.floats(allow_nan=False, allow_infinity=False)
weathers = st.builds(Weather, temperature=numbers, condition=text, humidity=st.floats(0, 100))
aliased = st.builds(Aliased, userName=text, seen_at=st.none() | st.datetimes())
plains = st.builds(Plain, name=text, score=numbers, tags=st.lists(text, max_size=2))
paths = st.builds(PurePosixPath, st.text("abc/", max_size=5))
decimals = st.decimals(allow_nan=False)
trees = st.recursive(
    st.builds(Tree, st.integers()),
    lambda inner: st.builds(Tree, st.integers(), st.lists(inner, max_size=2)),
    max_leaves=4,
)

KEPT: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, text),
    (int, st.integers()),
    (float, numbers | st.integers()),
    (bool, st.booleans()),
    (int | None, st.none() | st.integers()),
    (datetime, st.datetimes(timezones=st.none() | st.timezones())),
    (date, st.dates()),
    (time, st.times()),
    (timedelta, st.timedeltas()),
    (UUID, st.uuids()),
    (Decimal, decimals),
    (Fraction, st.fractions()),
    (Path, paths),
    (IPv4Address, st.ip_addresses(v=4)),
    (Unit, st.sampled_from(Unit)),
    (Level, st.sampled_from(Level)),
    (Literal["a", 1, None], st.sampled_from(["a", 1, None])),
    (list[int], st.lists(st.integers(), max_size=3)),
    (tuple[int, ...], st.lists(st.integers(), max_size=3).map(tuple)),
    (tuple[int, str], st.tuples(st.integers(), text)),
    (set[int], st.sets(st.integers(), max_size=3)),
    (frozenset[str], st.frozensets(text, max_size=3)),
    (set[Decimal], st.sets(decimals, max_size=3)),
    (dict[str, float], st.dictionaries(text, numbers, max_size=3)),
    (dict[int, date], st.dictionaries(st.integers(), st.dates(), max_size=3)),
    (dict[Unit, int], st.dictionaries(st.sampled_from(Unit), st.integers())),
    (dict[str, Any], st.dictionaries(text, st.none() | text | st.lists(numbers, max_size=2), max_size=3)),
    (Iterator[int], st.lists(st.integers(), max_size=3)),
    (deque[int], st.lists(st.integers(), max_size=3).map(deque)),
    (Forecast, st.builds(Forecast, text, numbers, st.sampled_from(Unit), st.none() | text)),
    (list[Plain], st.lists(plains, max_size=3)),
    (Plain | Point | None, st.none() | plains | st.builds(Point, st.integers(), numbers)),
    (Wired, st.builds(Wired, st.integers(), text, st.none() | plains)),
    (Row, st.fixed_dictionaries({"name": text}, optional={"rank": st.integers()})),
    (Pair, st.builds(Pair, st.integers(), numbers)),
    (list[Pair], st.lists(st.builds(Pair, st.integers(), numbers), max_size=2)),
    (Point, st.builds(Point, st.integers(), numbers)),
    (Camel, st.builds(Camel, text, st.none() | text)),
    (Tagged, st.builds(Tagged, st.integers())),
    (Tree, trees),
    (Attributes, st.builds(Attributes, st.integers(), st.integers(), st.lists(st.integers(), max_size=2))),
    (Weather, weathers),
    (list[Weather], st.lists(weathers, max_size=3)),
    (Weather | None, st.none() | weathers),
    (Aliased, aliased),
    (Roots, st.builds(Roots, st.lists(st.integers(), max_size=3))),
    (Checked, st.builds(Checked, number=st.integers(), label=text)),
    (Holder, st.builds(Holder, weathers, st.dictionaries(text, st.lists(aliased, max_size=2), max_size=2))),
    (
        Loose,
        st.builds(
            Loose,
            names=st.sets(text, max_size=3),
            blob=st.binary(max_size=4),
            by_number=st.dictionaries(st.integers(), text, max_size=2),
            amount=st.decimals(allow_nan=False, allow_infinity=False),
            took=st.timedeltas(),
            where=paths.map(Path),
        ),
    ),
]


@pytest.mark.slow
@settings(max_examples=25)
@pytest.mark.parametrize(("hint", "values"), KEPT, ids=[str(hint)[-40:] for hint, _ in KEPT])
@given(data=st.data())
def test_what_a_type_promises_its_values_keep(hint, values, data):
    """S004-31, S004-34, S004-35, S004-37, B-30, B-31, B-11, R2506-TOOL-06, R2511-TOOL-06, R26-TOOL-06"""
    value = data.draw(values)
    schema = output_schema(hint, which="all")
    assert schema is not None
    raw = RULES.encode(value, Policy.standard)
    plain = msgspec.json.decode(raw)
    jsonschema_rs.Draft202012Validator(schema).validate(plain)
    OutputCheck(schema)(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "rank", "x", "y", "score", "kind", "inner", "value", "tags"]), inner
        )
    ),
    max_leaves=10,
)


PROMISES = [
    (jsonschema_rs.validator_for(schema, validate_formats=True), OutputCheck(schema))
    for hint, _ in KEPT
    if (schema := output_schema(hint, which="all")) is not None
]


@given(JSON)
def test_what_is_let_through_quickly_keeps_the_schema(plain):
    raw = msgspec.json.encode(plain)
    for validator, keeps in PROMISES:
        valid = validator.is_valid(plain)
        try:
            keeps(raw)
        except OutputError:
            assert not valid
        else:
            assert valid


@pytest.mark.parametrize(
    ("hint", "value", "is_decoded"),
    [
        (list[Plain], [Plain("a", 1.0)], True),
        (dict[str, Point], {"a": Point(1)}, True),
        (Row, {"name": "a"}, True),
        (Plain | None, None, True),
        (Forecast, Forecast("Oslo", 4.0), True),
        (Tagged, Tagged(1), True),
        (Wired, Wired(1), True),
        (Weather, Weather(temperature=4, condition="dry", humidity=40), True),
        (list[UUID], [UUID(int=1)], True),
        (list[date], [date(2026, 7, 28)], True),
        (list[Annotated[str, msgspec.Meta(min_length=1)]], ["a"], True),
        (Literal[1, 2], 2, True),
        (set[int], {1}, False),
        (Tree, Tree(1), False),
        (Decimal, Decimal(1), False),
        (Literal["a", 1], "a", False),
    ],
    ids=str,
)
def test_the_validator_is_asked_only_where_no_type_says_all_that_the_schema_says(
    hint: Any, value: Any, is_decoded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(Validator, "find_problems", lambda self, data: asked.append(data) or [])
    check(hint, value)
    assert (not asked) is is_decoded


def test_an_enum_with_values_of_another_type_than_its_own_does_not_allow_them() -> None:
    keeps = OutputCheck({"type": "string", "enum": ["a", 1]})
    keeps(b'"a"')
    with pytest.raises(OutputError):
        keeps(b"1")


def test_checking_runs_no_code_of_the_authors():
    ran = []

    @dataclass
    class Loud:
        word: str

        def __post_init__(self):
            ran.append(self.word)

    value = Loud("hello")
    check(Loud, value)
    assert ran == ["hello"]
    with pytest.raises(OutputError):
        check(list[Loud], [value, 3])
    assert ran == ["hello"]


# Broken -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (int, SECRET, "$: expected an integer, got a string"),
        (int, True, "$: expected an integer, got a boolean"),
        (int, 2.5, "$: expected an integer, got a number"),
        (str, 3, "$: expected a string, got an integer"),
        (str, None, "$: expected a string, got null"),
        (bool, 1, "$: expected true or false, got an integer"),
        (float, float("nan"), "$: expected a number, got null"),
        (float, float("inf"), "$: expected a number, got null"),
        (list[float], [1.0, float("nan")], "$[1]: expected a number, got null"),
        (Plain, None, "$: expected an object with name, score, tags, got null"),
        (Plain, {"name": SECRET}, "$.score: expected a value, got nothing"),
        (Plain, Plain("a", 1.0, [SECRET, 3]), "$.tags[1]: expected a string, got an integer"),
        (Plain, Plain(3, 1.0), "$.name: expected a string, got an integer"),
        (
            list[Plain],
            [Plain("a", 1), {"name": "b", "score": SECRET, "tags": []}],
            "$[1].score: expected a number, got a string",
        ),
        (dict[str, int], {"a b": SECRET}, "$['a b']: expected an integer, got a string"),
        (Unit, SECRET, '$: expected one of "c", "f", got a string'),
        (Literal["a"], SECRET, '$: expected "a", got a string'),
        (int | None, SECRET, "$: expected an integer or null, got a string"),
        (set[int], [1, 1], "$: expected an array of items that are all different, got an array"),
        (
            Weather,
            {"temperature": 1, "condition": "x", "humidity": 101},
            "$.humidity: expected a number >= 0 and <= 100, got an integer",
        ),
        (
            Weather,
            Weather.model_construct(temperature=SECRET, condition="", humidity=1),
            "$.temperature: expected a number, got a string",
        ),
        (
            Weather,
            Weather.model_construct(temperature=1.0, condition="", humidity=101.0),
            "$.humidity: expected a number >= 0 and <= 100, got a number",
        ),
        (
            Weather,
            Weather(temperature=float("nan"), condition="", humidity=1),
            "$.temperature: expected a number, got null",
        ),
        (list[Weather], [None], "$[0]: expected an object with temperature, condition, humidity, got null"),
        (Wired, {"wire_name": 3}, "$.wireName: expected a value, got nothing"),
        (Checked, {"number": 1, "theLabel": 3}, "$.theLabel: expected a string, got an integer"),
        (
            Annotated[str, msgspec.Meta(max_length=2)],
            "abc",
            "$: expected a string of 2 or fewer characters, got a string",
        ),
        (Annotated[str, msgspec.Meta(pattern="^a")], SECRET, "$: expected a string matching ^a, got a string"),
        (Plain | Point, {"name": 1}, "$.score: expected a value, got nothing"),
    ],
)
def test_a_broken_promise_says_where_and_what_but_not_the_value(hint, value, said):
    """B-15, S004-35, S004-37, R2511-TOOL-06"""
    assert broken(hint, value) == said


def test_an_output_error_is_for_the_author():
    assert issubclass(OutputError, AuthorError)
    error = OutputError("$.high", "a number", "null")
    assert (error.path, error.expected, error.got) == ("$.high", "a number", "null")


MANUAL = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["success", "error"]},
        "data": {"type": "array", "items": {"type": "integer"}},
        "timestamp": {"type": "string", "format": "date-time"},
    },
    "required": ["status", "data"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"status": "success", "data": [1, 2, 3], "timestamp": "2025-10-29T10:00:00Z"}, None),
        ({"status": "success", "data": []}, None),
        ({"status": SECRET, "data": []}, '$.status: expected one of "success", "error", got a string'),
        ({"status": "error", "data": [1, SECRET]}, "$.data[1]: expected an integer, got a string"),
        ({"status": "error"}, "$.data: expected a value, got nothing"),
        ({"status": "error", "data": [], "more": SECRET}, "$.more: expected nothing, got a value"),
        (SECRET, "$: expected an object with status, data, got a string"),
    ],
)
def test_a_schema_by_hand_is_the_judge_whatever_the_type(value, said):
    """S004-33, S004-35, S004-37"""
    keeps = OutputCheck(MANUAL)
    raw = msgspec.json.encode(value)
    if said is None:
        keeps(raw)
        return
    with pytest.raises(OutputError) as caught:
        keeps(raw)
    assert str(caught.value) == said


def test_only_the_json_counts_where_the_value_is_unknown():
    schema = output_schema(Plain, which="named")
    assert schema is not None
    keeps = OutputCheck(schema)
    keeps(b'{"name":"a","score":1,"tags":[]}')
    with pytest.raises(OutputError):
        keeps(b'{"name":"a"}')


def test_a_schema_that_refers_elsewhere_is_never_fetched():
    """R26-SCHEMA-04"""
    keeps = OutputCheck({"$ref": "http://127.0.0.1:9/x.json"})
    with pytest.raises(AuthorError, match="schemas are never fetched"):
        keeps(b"{}")


# What is accepted at once ---------------------------------------------------------------------------


class Shade(enum.Enum):
    DARK = "dark"


class Inner(pydantic.BaseModel):
    x: int
    y: str


LIES: list[Any] = [
    "a", 1, 1.5, True, None, [1], ["a"], [None], {"a": 1}, {"a": "b"}, {"a": None}, {"x": 1, "y": "s"}, {"x": "q"},
    "2020-01-01", "2020-01-01T00:00:00", "dark", "c", 10**30, [{"x": 1, "y": "s"}], [{"x": None, "y": "s"}], [True],
]  # fmt: skip
TRUTHS: list[Any] = [
    str, int, float, bool, str | None, int | None, float | None, list[int], dict[str, int], Literal["a", "b"],
    int | str, Any, Inner, list[Inner], Inner | None, list[str | None], date, datetime, Shade, tuple[int, str],
    Annotated[int, pydantic.Field(ge=2)], Annotated[str, pydantic.Field(min_length=2)],
    list[Annotated[int, pydantic.Field(ge=2)]], pydantic.PositiveInt,
]  # fmt: skip


@pytest.mark.parametrize("hint", TRUTHS, ids=str)
def test_nothing_is_accepted_that_the_schema_refuses(hint: Any) -> None:
    record = make_dataclass("Record", [("v", hint)])
    model = pydantic.create_model("Model", v=(hint, ...))
    named = pydantic.create_model("Named", v=(hint, pydantic.Field(serialization_alias="w")))
    for kind, key in ((record, "v"), (model, "v"), (named, "w")):
        for wrap in (kind, list[kind]):  # type: ignore[valid-type]
            schema = output_schema(wrap, which="all")
            assert schema is not None
            judge = Validator(schema)
            check = OutputCheck(schema)
            for lie in LIES:
                for data in ({key: lie}, {}, {key: lie, "other": 1}):
                    whole = data if wrap is kind else [data, data]
                    assert accepts(check, whole) <= judge.is_valid(whole), (wrap, whole)


def accepts(check: Any, data: Any) -> bool:
    try:
        check(msgspec.json.encode(data))
    except OutputError:
        return False
    return True


@dataclass
class Fork:
    left: "Fork | None" = None
    right: "Fork | None" = None


class Person(pydantic.BaseModel):
    friends: list["Person"] = []
    foes: list["Person"] = []


@pytest.mark.parametrize("hint", [Fork, Person, list[Fork]])
def test_what_holds_itself_twice_is_promised_at_once(hint: Any) -> None:
    schema = output_schema(hint, which="all")
    assert schema is not None
    check, fork = OutputCheck(schema), {"left": None, "right": None}
    assert accepts(check, [fork] if hint == list[Fork] else {**fork, "friends": [], "foes": []})
    assert not accepts(check, {"left": 1, "friends": 1})


@pytest.mark.parametrize(
    ("config", "lie"),
    [(ConfigDict(extra="forbid"), {"s": "a", "other": 1}), (ConfigDict(str_max_length=3), {"s": "abcd"})],
)
def test_what_a_model_s_configuration_says_is_part_of_its_promise(config: ConfigDict, lie: Any) -> None:
    model = pydantic.create_model("Model", __config__=config, s=(str, ...))
    schema = output_schema(model, which="all")
    assert schema is not None
    check = OutputCheck(schema)
    assert accepts(check, {"s": "a"}) and not accepts(check, lie)
