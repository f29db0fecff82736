"""The values that a function gets for arguments, and the errors that a model reads if they do not fit."""

import enum
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Required, TypedDict
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from plainmcp.errors import ArgumentsError, AuthorError, ToolError
from plainmcp.schema.arguments import MANY, Binder
from plainmcp.schema.signature import Parameter, read

SECRET = "hunter2-correct-horse"


class Unit(enum.Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class User:
    name: str
    age: int = 0
    tags: list[str] = field(default_factory=list)


class Row(TypedDict, total=False):
    name: Required[str]
    rank: int


class Pair(NamedTuple):
    left: int
    right: str


class Point(msgspec.Struct):
    x: int
    y: int = 0


class Cat(msgspec.Struct, tag="cat"):
    lives: int


class Dog(msgspec.Struct, tag="dog"):
    name: str


@attrs.define
class Attributes:
    left: int


class Member(BaseModel):
    name: str
    age: int = Field(default=0, ge=0)
    friends: list["Member"] = []


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    when: date
    count: int = 0


def bind(hint: Any, value: Any, **options: Any) -> Any:
    """What one parameter of this hint gets."""
    [(name, bound)] = Binder([Parameter("it", hint, True)], **options).bind({"it": value}).items()
    assert name == "it"
    return bound


def complaints(parameters: list[Parameter], arguments: Any, **options: Any) -> list[str]:
    with pytest.raises(ArgumentsError) as caught:
        Binder(parameters, **options).bind(arguments)
    assert str(caught.value) == "\n".join(caught.value.problems)
    assert SECRET not in str(caught.value)
    return caught.value.problems


def complaint(hint: Any, value: Any, **options: Any) -> str:
    [line] = complaints([Parameter("it", hint, True)], {"it": value}, **options)
    return line


FORECAST = [
    Parameter("city", str, True),
    Parameter("days", int, False, 3),
    Parameter("unit", Literal["c", "f"], False, "c"),
]


# What fits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Oslo", "days": 5},
        b'{"city": "Oslo", "days": 5}',
        msgspec.Raw(b'{"city": "Oslo", "days": 5}'),
    ],
)
def test_arguments_come_as_data_or_as_json(arguments):
    assert Binder(FORECAST).bind(arguments) == {"city": "Oslo", "days": 5}


def test_only_what_was_given_is_bound_and_defaults_are_left_to_the_function():
    assert Binder(FORECAST).bind({"city": "Oslo"}) == {"city": "Oslo"}


def test_no_arguments_at_all_are_none():
    assert Binder([]).bind(None) == Binder([]).bind({}) == Binder([]).bind(b"{}") == {}
    assert Binder([]).bind(b"") == Binder([]).bind(b"null") == Binder([]).bind(msgspec.Raw(b"")) == {}


def test_what_was_given_is_not_altered():
    arguments = {"city": "Oslo", "days": "5"}
    Binder(FORECAST).bind(arguments)
    assert arguments == {"city": "Oslo", "days": "5"}


FITTING = [
    (str, "Oslo", "Oslo"),
    (str, "3", "3"),
    (int, 3, 3),
    (int, 2**70, 2**70),
    (float, 3, 3.0),
    (bool, True, True),
    (Any, {"a": [1]}, {"a": [1]}),
    (int | None, 3, 3),
    (int | None, None, None),
    (Literal["a", "b"], "b", "b"),
    (Literal[1, "a", None], None, None),
    (Unit, "celsius", Unit.CELSIUS),
    (Level, 2, Level.HIGH),
    (int | str, "3", "3"),
    (list[int], [1, 2], [1, 2]),
    (list, [1, "a"], [1, "a"]),
    (Sequence[int], [1], [1]),
    (Iterable[int], [1], [1]),
    (set[int], [1, 2], {1, 2}),
    (int, 3.0, 3),
    (tuple[int, str], [1, "a"], (1, "a")),
    (tuple[int, ...], [1, 2], (1, 2)),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[int, str], {"1": "a"}, {1: "a"}),
    (Mapping[int, str], {"1": "a"}, {1: "a"}),
    (datetime, "2026-07-28T12:00:00Z", datetime(2026, 7, 28, 12, tzinfo=UTC)),
    (datetime, "2026-07-28T12:00:00", datetime(2026, 7, 28, 12)),
    (date, "2026-07-28", date(2026, 7, 28)),
    (time, "12:00:00", time(12)),
    (timedelta, "PT90M", timedelta(minutes=90)),
    (UUID, "12345678123456781234567812345678", UUID(int=0x12345678123456781234567812345678)),
    (Decimal, "1.10", Decimal("1.10")),
    (bytes, "aGk=", b"hi"),
    (Path, "a/b", Path("a/b")),
    (list[Path] | None, ["a"], [Path("a")]),
    (dict[str, IPv4Address], {"a": "10.0.0.1"}, {"a": IPv4Address("10.0.0.1")}),
    (User, {"name": "Ada"}, User("Ada")),
    (User | None, {"name": "Ada", "age": 3}, User("Ada", 3)),
    (list[User], [{"name": "Ada", "extra": 1}], [User("Ada")]),
    (Row, {"name": "Ada"}, {"name": "Ada"}),
    (Pair, [1, "a"], Pair(1, "a")),
    (Point, {"x": 1}, Point(1)),
    (Cat | Dog, {"type": "dog", "name": "Rex"}, Dog("Rex")),
    (Attributes, {"left": 1}, Attributes(1)),
    (Annotated[int, msgspec.Meta(ge=0)], 0, 0),
    (Annotated[int, Field(ge=0)], 3, 3),
    (pydantic.PositiveInt, 3, 3),
    (Member, {"name": "Ada", "friends": [{"name": "Bob"}]}, Member(name="Ada", friends=[Member(name="Bob")])),
    (list[Member] | None, None, None),
    (Strict, {"when": "2026-07-28"}, Strict(when=date(2026, 7, 28))),
    (Path | str, "a", Path("a")),
    (Path | int | None, 3, 3),
    (date | str, "2026-07-28", date(2026, 7, 28)),
    (date | str, "soon", "soon"),
    (Point | User, {"x": 1}, Point(1)),
    (Point | User, {"name": "Ada"}, User("Ada")),
]


@pytest.mark.parametrize(("hint", "value", "expected"), FITTING, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("lenient", [True, False])
def test_a_value_becomes_what_its_hint_asks_for(hint, value, expected, lenient):
    """B-10"""
    bound = bind(hint, value, lenient=lenient)
    assert bound == expected
    assert type(bound) is type(expected)


def test_of_two_records_the_one_that_knows_all_fields_is_chosen():
    @dataclass
    class Narrow:
        x: int

    @dataclass
    class Wide:
        x: int
        y: int = 0

    assert bind(Narrow | Wide, {"x": 1, "y": 2}) == Wide(1, 2)
    assert bind(Narrow | Wide, {"x": 1}) == Narrow(1)


def test_null_is_taken_where_it_is_the_default():
    parameter = Parameter("limit", float, False, None)
    assert Binder([parameter]).bind({"limit": None}) == {"limit": None}
    assert Binder([parameter]).bind({"limit": 3}) == {"limit": 3.0}


@pytest.mark.parametrize("name", ["class", "self", "func_name", "type", "p0", "given", "with space", "", "Ünïcode"])
def test_a_parameter_may_have_any_name(name):
    assert Binder([Parameter(name, int, True)]).bind({name: "3"}) == {name: 3}


def test_a_default_the_function_does_not_know_is_filled_in():
    def forecast(days: int = Field(3, ge=0), tags: list[str] = Field(default_factory=list)): ...  # noqa: B008

    binder = Binder(read(forecast, context_type=Point).parameters)
    assert binder.bind({}) == {"days": 3, "tags": []}
    assert binder.bind({"days": "4"}) == {"days": 4, "tags": []}
    assert binder.bind({})["tags"] is not binder.bind({})["tags"]


def test_an_open_function_gets_what_it_did_not_name():
    binder = Binder([Parameter("city", str, True)], others=Parameter("others", Any, False))
    assert binder.bind({"city": "Oslo", "more": [1]}) == {"city": "Oslo", "more": [1]}
    binder = Binder([Parameter("n", int, True)], others=Parameter("others", int, False))
    assert binder.bind({"n": "1", "m": "2"}) == {"n": 1, "m": 2}


def test_nobody_else_gives_what_is_reserved():
    options: dict[str, Any] = {"others": Parameter("others", Any, False), "reserved": {"ctx"}}
    assert complaints([Parameter("city", str, False, "Oslo")], {"ctx": 1, "x": 2}, **options) == [
        "ctx: no such parameter; the parameters are city"
    ]


# Leniency -----------------------------------------------------------------------------------------

MEANT = [
    (int, "3", 3),
    (int, " 3 ", 3),
    (int, "3.0", 3),
    (float, "2.5", 2.5),
    (float, "3", 3.0),
    (bool, "true", True),
    (int | None, "null", None),
    (list[int], "[1, 2]", [1, 2]),
    (list[int], [1.0, "2"], [1, 2]),
    (dict[str, int], '{"a": 1}', {"a": 1}),
    (dict, "{}", {}),
    (set[int], "[1, 1]", {1}),
    (tuple[int, str], '[1, "a"]', (1, "a")),
    (User, '{"name": "Ada", "age": "3"}', User("Ada", 3)),
    (set[int], [1, 1, 2], {1, 2}),
    (Decimal, 1.5, Decimal("1.5")),
    (Pair, '[1, "a"]', Pair(1, "a")),
    (Literal[1, 2], "2", 2),
    (Level, "2", Level.HIGH),
    (Annotated[int, msgspec.Meta(ge=0)], "3", 3),
    (Member, '{"name": "Ada", "age": "3"}', Member(name="Ada", age=3)),
    (list[Member], '[{"name": "Ada"}]', [Member(name="Ada")]),
    (Annotated[int, Field(ge=0)], "3", 3),
    (Point | User, '{"name": "Ada"}', User("Ada")),
]


@pytest.mark.parametrize(("hint", "value", "expected"), MEANT, ids=lambda value: str(value)[:40])
def test_json_in_a_string_is_taken_for_what_it_was_meant_to_be(hint, value, expected):
    bound = bind(hint, value)
    assert bound == expected
    assert type(bound) is type(expected)


@pytest.mark.parametrize(("hint", "value", "expected"), MEANT, ids=lambda value: str(value)[:40])
def test_leniency_can_be_switched_off(hint, value, expected):
    with pytest.raises(ArgumentsError):
        bind(hint, value, lenient=False)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str, "3"),
        (str, "[1]"),
        (Any, "3"),
        (int | str, "3"),
        (str | None, "null"),
        (list[int] | str, "[1]"),
        (Unit | str, "[1]"),
        (Annotated[str, Field(max_length=9)], "3"),
        (list[str], ["3", "[1]"]),
    ],
)
def test_a_string_stays_a_string_where_a_string_is_taken(hint, value):
    assert bind(hint, value) == value


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (bool, "1"),
        (bool, 1),
        (bool, "yes"),
        (int, True),
        (int, "true"),
        (int, 3.5),
        (int, "3,5"),
        (int, ""),
        (int, '"3"'),
        (int, "1" * 5000),
        (float, True),
        (float, "NaN"),
        (list[int], "1, 2"),
        (list[int], '{"a": 1}'),
        (Literal["a"], '"a"'),
        (Literal["1", 2], "2"),
        (Unit, '"celsius"'),
        (datetime, 0),
        (User, "[" * 100_000),
    ],
)
def test_what_leaves_a_doubt_is_refused(hint, value):
    assert complaint(hint, value).startswith("it: expected ")


# What does not fit --------------------------------------------------------------------------------


def test_all_problems_are_told_at_once():
    """R2511-TOOL-12, R26-TOOL-12"""
    assert complaints(FORECAST, {"cty": "Oslo", "days": "many", "unit": SECRET}) == [
        "cty: no such parameter; did you mean city?",
        "days: expected an integer, got a string",
        'unit: expected one of "c", "f"',
        "city: missing; it takes a string",
    ]


def test_a_misfit_is_for_the_model_to_read():
    """R2511-TOOL-12, R26-TOOL-12"""
    assert issubclass(ArgumentsError, ToolError)


def test_a_wrong_type_gives_text_that_json_can_write():
    """B-08"""
    lines = complaints([Parameter("a", int, True)], {"a": "xyz"})
    assert json.loads(json.dumps(lines)) == ["a: expected an integer, got a string"]


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (str, 3, "expected a string, got an integer"),
        (int, None, "expected an integer, got null"),
        (int, 2.5, "expected an integer, got a number"),
        (float, [], "expected a number, got an array"),
        (bool, {}, "expected true or false, got an object"),
        (list[int], True, "expected an array of integers, got a boolean"),
        (list[User], "x", "expected an array of objects, got a string"),
        (dict[str, int], 3, "expected an object, got an integer"),
        (int | None, SECRET, "expected an integer or null, got a string"),
        (Unit, "celcius", 'expected one of "celsius", "fahrenheit"; did you mean "celsius"?'),
        (Unit, SECRET, 'expected one of "celsius", "fahrenheit"'),
        (Unit, 3, 'expected one of "celsius", "fahrenheit", got an integer'),
        (Literal["one"], SECRET, 'expected "one"'),
        (Level, 3, "expected one of 1, 2"),
        (datetime, SECRET, "expected a date and time such as 2026-07-28T12:00:00Z"),
        (date, SECRET, "expected a date such as 2026-07-28"),
        (time, SECRET, "expected a time such as 12:00:00"),
        (timedelta, SECRET, "expected a duration such as PT1H30M"),
        (UUID, SECRET, "expected a UUID"),
        (Decimal, SECRET, "expected a decimal number in a string"),
        (bytes, SECRET, "expected base64 in a string"),
        (Path, 3, "expected a string, got an integer"),
        (IPv4Address, SECRET, "expected a string in ipv4 format"),
        (User, [1], "expected an object with name, got an array"),
        (Pair, [1], "expected an array of 2 items, got 1"),
        (tuple[int, str], [1], "expected an array of 2 items, got 1"),
        (Annotated[int, msgspec.Meta(ge=0)], -1, "expected an integer >= 0"),
        (Annotated[str, msgspec.Meta(min_length=99)], SECRET, "expected a string of 99 or more characters"),
        (Annotated[str, msgspec.Meta(pattern="^a$")], SECRET, "expected a string matching ^a$"),
        (Annotated[list[int], msgspec.Meta(max_length=1)], [1, 2], "expected an array of 1 or fewer integers, got 2"),
        (Path | int, [], "expected a string or an integer, got an array"),
        (Point | User, SECRET, "expected an object with x or an object with name, got a string"),
        (Annotated[int, Field(ge=0)], -1, "expected an integer >= 0"),
        (Annotated[int, Field()], SECRET, "expected an integer, got a string"),
        (Annotated[Literal["a", "b"], Field()], SECRET, 'expected one of "a", "b"'),
        (Annotated[Unit, Field()], "celcius", 'expected one of "celsius", "fahrenheit"; did you mean "celsius"?'),
        (Annotated[str, Field(min_length=99)], SECRET, "expected a string of 99 or more characters"),
        (Member, SECRET, "expected an object with name, got a string"),
        (Member | int, SECRET, "expected an object with name or an integer, got a string"),
    ],
)
def test_a_value_that_does_not_fit_is_told_what_would(hint, value, said):
    assert complaint(hint, value) == f"it: {said}"


def test_every_problem_inside_a_value_has_its_path():
    users = [Parameter("users", list[User], True)]
    assert complaints(users, {"users": [{"age": "old"}, {"name": "Ada", "tags": ["a", 1]}, 3]}) == [
        "users[0].name: missing; it takes a string",
        "users[0].age: expected an integer, got a string",
        "users[1].tags[1]: expected a string, got an integer",
        "users[2]: expected an object with name, got an integer",
    ]
    assert complaints([Parameter("rows", dict[str, Row], True)], {"rows": {"a b": {"rank": "x"}}}) == [
        "rows['a b'].name: missing; it takes a string",
        "rows['a b'].rank: expected an integer, got a string",
    ]
    assert complaints([Parameter("pair", Pair, True)], {"pair": ["x", 1]}) == [
        "pair[0]: expected an integer, got a string",
        "pair[1]: expected a string, got an integer",
    ]


def test_every_problem_inside_a_model_has_its_path():
    members = [Parameter("who", Member, True), Parameter("count", pydantic.PositiveInt, True)]
    assert complaints(members, {"who": {"age": -1, "friends": [{"nme": 3}, SECRET]}, "count": 0}) == [
        "who.name: missing; it takes a string",
        "who.age: expected an integer >= 0",
        "who.friends[0].name: missing; it takes a string; nme is not known, did you mean name?",
        "who.friends[1]: expected an object with name, got a string",
        "count: expected an integer > 0",
    ]


def test_the_problems_of_a_value_in_a_string_are_told_as_if_it_had_been_none():
    assert complaint(User, '{"name": 3}') == "it.name: expected a string, got an integer"
    assert complaint(Member, '{"name": 3}') == "it.name: expected a string, got an integer"
    assert complaint(list[int], '[1, "x"]') == "it[1]: expected an integer, got a string"


def test_forbidden_extra_fields_are_named():
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        name: str = ""

    assert complaint(Closed, {"nam": SECRET}) == "it.nam: no such field; did you mean name?"


def test_an_unknown_name_is_told_what_there_is():
    assert complaints(FORECAST, {"city": "Oslo", "colour": 1}) == [
        "colour: no such parameter; the parameters are city, days, unit"
    ]
    assert complaints([], {"colour": 1}) == ["colour: no such parameter; there are none"]
    assert complaints(FORECAST, {"City": "Oslo"})[0] == "City: no such parameter; did you mean city?"


def test_a_name_somebody_made_up_cannot_flood_or_break_the_lines():
    lines = complaints([], {"x" * 1000: 1, "a\nb": 2, "\ud800": 3})
    assert lines == [
        "(a name of 1000 characters): no such parameter; there are none",
        "['a\\nb']: no such parameter; there are none",
        "['\\ud800']: no such parameter; there are none",
    ]
    many = complaints([], {f"x{n}": n for n in range(1000)})
    assert len(many) == MANY + 1
    assert many[-1] == "and more"


@pytest.mark.slow
def test_a_large_value_that_is_wrong_all_over_is_not_looked_at_for_ever():
    wrong = complaints([Parameter("it", list[int], True)], {"it": ["x"] * 1_000_000})
    assert len(wrong) == MANY + 1 and wrong[0] == "it[0]: expected an integer, got a string"
    meant = complaints([Parameter("it", list[int], True)], {"it": ["1"] * 1_000_000})
    assert len(meant) == MANY + 1 and meant[0] == "it[9999]: expected an integer, got a string"
    rows = [Parameter("it", dict[str, list[User]], True)]
    assert complaints(rows, {"it": {"a": [{}] * 100_000}})[-1] == "and more"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "arguments: expected an object, got an array"),
        (b"[1]", "arguments: expected an object, got an array"),
        ("city", "arguments: expected an object, got a string"),
        (b"{", "arguments: not JSON"),
        (b"[" * 100_000, "arguments: not JSON"),
        (b"\xff", "arguments: not JSON"),
    ],
)
def test_arguments_that_are_no_object_are_a_misfit(arguments, said):
    assert complaints(FORECAST, arguments) == [said]


def test_data_that_never_was_json_is_a_misfit_too():
    assert complaint(int, object()) == "it: expected an integer, got something that is not JSON"
    assert complaint(Member, {"name": "\ud800"}) == "it: this is not JSON"
    assert complaint(Member, object()) == "it: this is not JSON"


class Stranger:
    pass


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (Stranger, "Stranger cannot be read from JSON; use a dataclass, a TypedDict or a model"),
        (list[Stranger] | None, "Stranger cannot be read from JSON"),
        (type[int], "type cannot be read from JSON"),
        (Callable[[int], str], ".* cannot be read from JSON"),
        (dict[tuple[int, int], str], "the keys of an object are strings"),
        (set[User], "User has no hash"),
        (frozenset[list[int] | int], "list has no hash"),
        (Literal[b"a"], "b'a' in .* has no form in JSON"),
        (Annotated[int, msgspec.Meta(min_length=1)], r"Meta\(min_length=1\) does not apply to this type"),
        (Annotated[Stranger, Field()], "Stranger cannot be read from JSON"),
        (Annotated[Point, Field(max_length=3)], "Unable to apply constraint|.* is for pydantic to understand"),
    ],
)
def test_a_hint_nothing_can_read_is_refused_when_it_is_compiled(hint, said):
    with pytest.raises(AuthorError, match=f"parameter it: {said}"):
        Binder([Parameter("it", hint, True)])


# Any JSON at all ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4) | st.sampled_from(["name", "it"]), inner, max_size=3)
    ),
    max_leaves=8,
)
BINDERS = [
    Binder([Parameter("it", hint, True)], lenient=lenient)
    for hint in [hint for hint, _, _ in FITTING]
    for lenient in (True, False)
]


@settings(max_examples=30)
@given(JSON | JSON.map(json.dumps))
def test_any_json_is_bound_or_complained_about(value):
    for binder in BINDERS:
        try:
            assert list(binder.bind({"it": value})) == ["it"]
        except ArgumentsError as error:
            assert error.problems and all(line.startswith("it") for line in error.problems)


@settings(max_examples=10)
@given(st.text(min_size=6, alphabet="äöüßéèñ"))
def test_no_complaint_repeats_the_value(secret):
    for binder in BINDERS:
        for value in (secret, [secret], {"name": [secret], "x": secret, "kind": secret, "type": secret}):
            try:
                binder.bind({"it": value})
            except ArgumentsError as error:
                assert secret not in str(error)


FIRST_CALLS = """
import sys, threading
from plainmcp import Server

sys.setswitchinterval(1e-6)
for _ in range(10):
    server = Server("s")
    for number in range(20):
        def tool(b: str = "x", c: float = 1.0, d: bool = True) -> int:
            return 1
        server.tool(name=f"tool_{number}")(tool)
    together = threading.Barrier(8)

    def call():
        together.wait()
        for number in range(20):
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": f"tool_{number}"}}
            assert b"isError" not in server.handle(asked)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("all answered")
"""


@pytest.mark.slow
def test_many_threads_may_make_the_first_call_of_a_tool(tmp_path: Path) -> None:
    file = tmp_path / "first_calls.py"
    file.write_text(FIRST_CALLS, "utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"all answered\n", b"")
