"""Arguments at the wire: the value that a tool gets for JSON, and the error that a model reads if it does not fit."""

import enum
import json
import logging
import re
import subprocess
import sys
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, MutableMapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, LiteralString, NamedTuple, NewType, TypedDict, TypeVar, Union
from uuid import UUID

import annotated_types
import attrs
import msgspec
import pydantic
import pydantic_core
import pytest
import typing_extensions
from pydantic import BaseModel, Field
from pydantic_core import PydanticCustomError

from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

T = TypeVar("T")
Nested = typing_extensions.TypeAliasType("Nested", "int | list[Nested]")  # type: ignore[misc]
ID = "12345678-1234-5678-1234-567812345678"
SECRET = "hunter2-correct-horse"


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    HALF = 0.5
    NAMED = "named"


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


class Right(enum.IntFlag):
    SEE = 1
    OWN = 8


# At the wire --------------------------------------------------------------------------------------


class Called:
    """One tool with one parameter, called over the wire."""

    def __init__(self, hint: Any, *, lenient: bool = True, **options: Any) -> None:
        def tool(it):
            self.got = it

        tool.__annotations__ = {"it": hint}
        self.server = Server("fitting", lenient_arguments=lenient)
        self.server.tool(**options)(tool)

    def listed(self) -> dict[str, Any]:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        schema = json.loads(self.server.handle(asked, revision="2025-11-25"))["result"]["tools"][0]["inputSchema"]
        return schema["properties"]["it"] | ({"$defs": schema["$defs"]} if "$defs" in schema else {})

    def answer(self, raw: str) -> tuple[bool, str]:
        """Whether a call failed, and what its text says; the arguments are JSON, as it stands."""
        params = f'{{"name": "tool", "arguments": {raw}}}'
        message = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'
        result = json.loads(self.server.handle(message.encode(), revision="2025-11-25"))["result"]
        return result.get("isError", False), "".join(block["text"] for block in result["content"])


def take(hint: Any, value: Any, **options: Any) -> Any:
    """What the function gets for a value."""
    tool = Called(hint, **options)
    failed, said = tool.answer(json.dumps({"it": value}))
    assert not failed, said
    return tool.got


def refuse(hint: Any, value: Any, **options: Any) -> list[str]:
    """What the model reads for a value."""
    failed, said = Called(hint, **options).answer(json.dumps({"it": value}))
    assert failed, "it was taken"
    return said.split("\n")


# Bounds -------------------------------------------------------------------------------------------

SLOW = """
import json, re, sys
from decimal import Decimal
from fractions import Fraction
from pydantic import BaseModel
from plainmcp import Server

class Shares(BaseModel):
    share: Fraction = Fraction(1)
    shares: dict[Fraction, int] = {}
    either: Fraction | str = ""

class Patterns(BaseModel):
    pattern: re.Pattern[str]

def tool(it): return "taken"

server = Server("slow")
tool.__annotations__ = {"it": eval(sys.argv[1])}
server.tool(tool)
for it in json.loads(sys.stdin.read()):
    params = {"name": "tool", "arguments": {"it": it}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    reply = server.handle(asked, revision="2025-11-25")
    print(json.loads(reply)["result"]["content"][0]["text"])
"""
HUGE, MANY = "1e999999999", "9" * 5_000
DIGITS = "expected a number of at most 4,300 digits"
PATTERN = "expected a regular expression of at most 1,000 characters"


BOUNDED = hasattr(pydantic_core.core_schema, "fraction_schema")
"""Whether this release of pydantic refuses fractions of too many digits by itself."""


@pytest.mark.parametrize(
    ("hint", "given", "said"),
    [
        ("Fraction", [HUGE, "1e-999999999", MANY], [f"it: {DIGITS}"] * 3),
        ("list[Fraction]", [[HUGE]], [f"it[0]: {DIGITS}"]),
        ("dict[Fraction, int]", [{HUGE: 1}], [f"it.{HUGE}: {DIGITS}"]),
        ("Decimal", [MANY], [f"it: {DIGITS}"]),
        ("re.Pattern", ["(a|b)" * 200_000], [f"it: {PATTERN}"]),
        (
            "Shares",
            [{"share": HUGE}, {"shares": {HUGE: 1}}, {"either": HUGE}],
            [
                f"it.share: {DIGITS}",
                f"it.shares.{HUGE}: {DIGITS}",
                "taken" if BOUNDED else f"it.either: {DIGITS}",  # as a text
            ],
        ),
        ("Patterns", [{"pattern": "a" * 200_000}], [f"it.pattern: {PATTERN}"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_takes_minutes_to_construct_is_refused_before_it_is_constructed(hint, given, said):
    """Thirteen bytes could keep a thread busy for minutes, before any timeout."""
    command = [sys.executable, "-c", SLOW, hint]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout.splitlines() == said, done.stderr


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"it": 1e400}', "it: expected a number between -1.7e308 and 1.7e308"),
        ('{"it": -1e999}', "it: expected a number between -1.7e308 and 1.7e308"),
        ('{"it": [1, {"a": 1e999}]}', "it[1].a: expected a number between -1.7e308 and 1.7e308"),
        (f'{{"it": {"1" * 5_000}}}', "it: expected an integer of at most 4,300 digits"),
    ],
)
@pytest.mark.parametrize("hint", [int, float, Any, dict[str, Any], Annotated[float, Field(ge=0)]])
def test_a_number_that_python_does_not_read_is_told_its_place(hint, raw, said):
    assert Called(hint).answer(raw) == (True, said)


def test_a_number_out_of_range_is_told_its_place_under_a_schema_by_hand_too():
    def tool(**others): ...

    server = Server("by hand")
    server.tool(input_schema={"type": "object"})(tool)
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","arguments":{"a":{"b":1e400}}}}'
    said = json.loads(server.handle(message, revision="2025-11-25"))["result"]["content"][0]["text"]
    assert said == "a.b: expected a number between -1.7e308 and 1.7e308"


BACKTRACKING = """
import json, msgspec
from dataclasses import dataclass
from typing import Annotated
from pydantic import BaseModel, Field
from plainmcp import Server

Text = Annotated[str, msgspec.Meta(pattern=r"^(a+)+$")]
Ahead = Annotated[str, msgspec.Meta(pattern=r"^(?=a)(a+)+$")]

class Struct(msgspec.Struct):
    x: Text

@dataclass
class Data:
    x: dict[Text, int]

class Model(BaseModel):
    x: str = Field(pattern=r"^(a+)+$")

given = {
    Text: lambda text: text, Ahead: lambda text: text, Text | None: lambda text: text,
    list[Text]: lambda text: [text],
    Struct: lambda text: {"x": text}, Data: lambda text: {"x": {text: 1}}, Model: lambda text: {"x": text},
}
for lenient in (True, False):
    for hint, give in given.items():
        server = Server("patterns", lenient_arguments=lenient)
        def tool(it): return "taken"
        tool.__annotations__ = {"it": hint}
        server.tool(tool)
        for text in ("a" * 40, "a" * 40 + "!"):
            params = {"name": "tool", "arguments": {"it": give(text)}}
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            print(json.loads(server.handle(asked, revision="2025-11-25"))["result"]["content"][0]["text"])
"""


@pytest.mark.slow
def test_a_pattern_that_backtracks_does_not_hold_up_the_process():
    """Python's own regular expressions take minutes for forty characters of this."""
    done = subprocess.run(
        [sys.executable, "-c", BACKTRACKING], capture_output=True, text=True, timeout=30, check=False
    )
    name = "a" * 40 + "!"
    pattern, ahead = "expected a string matching ^(a+)+$", "expected a string matching ^(?=a)(a+)+$"
    refused = [
        *(f"it: {pattern}", f"it: {ahead}", f"it: {pattern} or null", f"it[0]: {pattern}"),
        *(
            f"it.x: {pattern}",
            f"it.x['{name}']: expected a name that is a string matching ^(a+)+$",
            f"it.x: {pattern}",
        ),
    ]
    assert done.stdout.splitlines() == [line for said in refused for line in ("taken", said)] * 2, done.stderr


def test_a_pattern_that_only_python_knows_is_kept():
    hint = Annotated[str, msgspec.Meta(pattern=r"\A[a-z]+\Z")]
    assert take(hint, "abc") == "abc"
    assert refuse(hint, "a1") == [r"it: expected a string matching \A[a-z]+\Z"]


class Keyed(BaseModel):
    decimals: dict[Decimal, int] = {}
    positive: dict[Annotated[Decimal, Field(gt=0)], int] = {}
    fractions: dict[Fraction, int] = {}
    nested: list[dict[str, dict[Decimal, int]]] = []
    texts: dict[str, int] = {}
    value: Decimal = Decimal(0)


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("kind", [Decimal, *[Fraction] * BOUNDED])
def test_a_text_that_is_too_long_a_number_is_a_text_where_a_model_takes_any(kind, lenient):
    for hint in (str | kind, kind | str, list[str] | kind | str, kind | Any):
        model = pydantic.create_model("Model", it=(hint, ...))
        assert take(model, {"it": "1e999999999"}, lenient=lenient).it == "1e999999999"
    for hint in (kind, kind | None, kind | Literal["a"]):
        model = pydantic.create_model("Model", it=(hint, ...))
        assert "at most 4,300 digits" in refuse(model, {"it": "1e999999999"}, lenient=lenient)[0]


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(
    ("give", "place"),
    [
        (lambda name: {"decimals": {"1": 1, name: 1}}, "it.decimals."),
        (lambda name: {"positive": {name: 1}}, "it.positive."),
        (lambda name: {"fractions": {name: 1}}, "it.fractions."),
        (lambda name: {"nested": [{"a": {name: 1}}]}, "it.nested[0].a."),
    ],
)
def test_the_names_of_numbers_in_a_model_have_bounds_and_are_told_apart(give, place, lenient):
    digits = "expected a number of at most 4,300 digits"
    assert refuse(Keyed, give("1e999999999"), lenient=lenient) == [f"{place}1e999999999: {digits}"]
    assert refuse(Keyed, give("9" * 5_000), lenient=lenient) == [f"{place}(a name of 5000 characters): {digits}"]
    [said] = refuse(Keyed, give("k"), lenient=lenient)
    assert said.startswith(f"{place}k: expected ")
    assert take(Keyed, give("1"), lenient=lenient)
    assert take(Keyed, {"texts": {"1e999999999": 1}}, lenient=lenient).texts == {"1e999999999": 1}
    assert refuse(Keyed, {"value": "1e999999999"}, lenient=lenient) == [f"it.value: {digits}"]


@pytest.mark.parametrize(
    "key", [Fraction | int, Annotated[Fraction, pydantic.AfterValidator(abs)], Decimal | None], ids=str
)
def test_names_have_bounds_where_the_schema_does_not_list_that_they_are_numbers(key):
    hidden = pydantic.create_model("Hidden", x=(dict[key, int], ...))
    said = "it.x.1e999999999: expected a number of at most 4,300 digits"
    assert refuse(hidden, {"x": {"1e999999999": 1}}) == [said]
    assert take(hidden, {"x": {"3": 1}})


def test_a_name_that_is_no_number_is_told_what_would_be_one_in_a_model_too():
    assert refuse(Keyed, {"decimals": {"k": 1}}) == [
        "it.decimals.k: expected a name that is a decimal number in a string"
    ]
    assert refuse(Keyed, {"fractions": {"k": 1}}) == [
        "it.fractions.k: expected a name that is a fraction such as 1/3 in a string"
    ]


class Priced(BaseModel):
    prices: list[Annotated[Decimal, Field(gt=0, le=Decimal("9.5"))]]


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("kind", [Decimal, Fraction])
@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"gt": 0}, "expected a number > 0"),
        ({"ge": 0}, "expected a number >= 0"),
        ({"lt": -2}, "expected a number < -2"),
        ({"le": -2}, "expected a number <= -2"),
        ({"multiple_of": 2}, "expected a number, a multiple of 2"),
    ],
)
def test_a_decimal_or_a_fraction_beyond_a_limit_is_told_the_limit(kind, limit, said, lenient):
    hint = Annotated[kind, Field(**limit)]
    assert refuse(hint, "-1", lenient=lenient) == [f"it: {said}"]
    assert refuse(list[hint], ["-1"], lenient=lenient) == [f"it[0]: {said}"]
    assert refuse(Priced, {"prices": ["1", "9.6", "0"]}, lenient=lenient) == [
        "it.prices[1]: expected a number <= 9.5",
        "it.prices[2]: expected a number > 0",
    ]


class Loaded(BaseModel):
    count: int


class Packed(BaseModel):
    inner: pydantic.Json[dict[str, Loaded]]
    anything: pydantic.Json = None


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(
    ("hint", "value", "place", "said"),
    [
        (pydantic.Json[list[int]], '["a"]', "it[0]", "expected an integer, got a string"),
        (pydantic.Json[list[int]], "{}", "it", "expected an array of integers, got an object"),
        (pydantic.Json[int], '"k"', "it", "expected an integer, got a string"),
        (pydantic.Json[int] | None, '"k"', "it", "expected an integer, got a string"),
        (list[pydantic.Json[int]], ["1", "[]"], "it[1]", "expected an integer, got an array"),
        (Packed, {"inner": '{"a": {"count": "k"}}'}, "it.inner.a.count", "expected an integer, got a string"),
        (Packed, {"inner": '{"a": {}}'}, "it.inner.a.count", "missing; it takes an integer"),
    ],
)
def test_what_is_wrong_inside_of_json_in_a_string_is_told(hint, value, place, said, lenient):
    assert refuse(hint, value, lenient=lenient) == [f"{place}: in the JSON of this string, {said}"]


def test_a_string_that_holds_no_json_is_told_so():
    assert refuse(pydantic.Json[list[int]], "[") == ["it: expected JSON in a string"]
    assert refuse(pydantic.Json[list[int]], 5) == ["it: expected a string, got an integer"]


class Point(BaseModel):
    x: float
    by_size: dict[float, int] = {}
    either: float | str = 0.0


class Endless(BaseModel):
    model_config = pydantic.ConfigDict(allow_inf_nan=True, defer_build=True)
    x: float = Field(allow_inf_nan=True)


@pydantic.dataclasses.dataclass
class Spot:
    points: list[Point]


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize(
    ("hint", "give", "place"),
    [
        (Point, lambda text: {"x": text}, "it.x"),
        (Point, lambda text: {"x": 1, "by_size": {text: 1}}, "it.by_size"),
        (Endless, lambda text: {"x": text}, "it.x"),
        (Spot, lambda text: {"points": [{"x": 1}, {"x": text}]}, "it.points[1].x"),
        (Annotated[float, Field(gt=-1)], lambda text: text, "it"),
        (pydantic.PositiveFloat, lambda text: text, "it"),
    ],
)
def test_a_text_that_stands_for_no_finite_number_is_no_number(hint, give, place, text):
    """The schema lists a number, and JSON has none of these."""
    [said] = refuse(hint, give(text))
    name = "" if place != "it.by_size" else f".{text}"
    assert said == f"{place}{name}: expected a finite number"
    assert take(Point, {"x": "1.5", "either": "nan"}) == Point(x=1.5, either="nan")


# Incidents that were none -------------------------------------------------------------------------


class Line(BaseModel):
    ends: tuple[float, float]


class Corner(NamedTuple):
    x: pydantic.PositiveInt
    y: pydantic.PositiveInt = 1


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (Fraction, "1/0", ["it: expected a fraction such as 1/3 in a string"]),
        (Line, {"ends": [1.0]}, ["it.ends: expected an array of 2 numbers, got 1"]),
        (Line, {"ends": []}, ["it.ends: expected an array of 2 numbers, got 0"]),
        (list[Line], [{"ends": [1.0]}], ["it[0].ends: expected an array of 2 numbers, got 1"]),
        (tuple[pydantic.PositiveInt], [], ["it: expected an array of 1 integer, got 0"]),
        (Corner, [], ["it: expected an array of 1 to 2 items, got 0"]),
        (set, [[1]], ["it[0]: expected a string or a number or true or false or null, got an array"]),
        (set, [1, {}], ["it[1]: expected a string or a number or true or false or null, got an object"]),
        (
            frozenset[Any] | None,
            [[]],
            ["it[0]: expected a string or a number or true or false or null, got an array"],
        ),
        (set[tuple], [[[1]]], ["it[0]: this has no hash, so it cannot be in a set"]),
        (
            dict[str, set],
            {"a": [[1]]},
            ["it.a[0]: expected a string or a number or true or false or null, got an array"],
        ),
    ],
    ids=str,
)
def test_what_used_to_be_an_incident_is_explained(hint, value, said, caplog):
    with caplog.at_level(logging.WARNING):
        assert refuse(hint, value) == said
    assert caplog.records == []


def test_a_set_in_a_model_refuses_what_cannot_be_in_it_and_says_so_in_its_schema():
    class Tagged(BaseModel):
        tags: set = set()

    assert refuse(Tagged, {"tags": [[1]]}) == [
        "it.tags[0]: expected a string or a number or true or false or null, got an array"
    ]
    assert Called(Tagged).listed()["properties"]["tags"]["items"] == {"type": ["string", "number", "boolean", "null"]}


@dataclass
class Loose:
    x: int


@dataclass(frozen=True)
class Frozen:
    x: int


class LooseModel(BaseModel):
    x: int


class FrozenModel(BaseModel, frozen=True):
    x: int


class HoldsLoose(BaseModel):
    first: LooseModel
    rest: dict[str, set[int | LooseModel]] = {}


@dataclass
class DataHoldsLoose:
    inner: HoldsLoose


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (
            set[Loose],
            f"parameter it: Loose has no hash, so no set[{__name__}.Loose] can hold one",
        ),
        (frozenset[list[int]], "parameter it: list has no hash"),
        (set[int | dict[str, int]], "parameter it: dict has no hash"),
        (set[tuple[int, Loose]], "parameter it: Loose has no hash"),
        (
            set[LooseModel],
            f"parameter it: LooseModel has no hash, so no set[{__name__}.LooseModel] can hold one; "
            "take a list, or make the class frozen",
        ),
        (frozenset[LooseModel | int], "parameter it: LooseModel has no hash"),
        (dict[str, list[set[LooseModel]]], "parameter it: LooseModel has no hash"),
        (set[tuple[int, LooseModel]], "parameter it: LooseModel has no hash"),
        (set[Annotated[LooseModel, Field(description="one of them")]], "parameter it: LooseModel has no hash"),
        (set[pydantic.RootModel[list[int]]], "parameter it: RootModel[list[int]] has no hash"),
        (Annotated[set[LooseModel], Field(min_length=1)], "parameter it: LooseModel has no hash, so no set can"),
        (HoldsLoose, "parameter it: LooseModel has no hash, so no set can hold one"),
        (DataHoldsLoose, "parameter it: LooseModel has no hash, so no set can hold one"),
    ],
)
def test_a_set_that_no_json_fits_into_is_refused_when_it_is_registered(hint, said):
    with pytest.raises(AuthorError, match=re.escape(said)):
        Called(hint)


def test_a_set_of_what_has_a_hash_is_filled():
    assert take(set[Frozen], [{"x": 1}, {"x": 2}]) == {Frozen(1), Frozen(2)}
    assert take(frozenset[tuple[int, str]], [[1, "a"]]) == frozenset({(1, "a")})
    assert take(set[FrozenModel], [{"x": 1}]) == {FrozenModel(x=1)}
    assert take(set[Annotated[list[int], pydantic.AfterValidator(tuple)]], [[1]]) == {(1,)}


# Names of members ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (dict[Path, int], {"a/b": 1}, {Path("a/b"): 1}),
        (dict[IPv4Address, int], {"10.0.0.1": 1}, {IPv4Address("10.0.0.1"): 1}),
        (dict[Fraction, int], {"1/3": 1}, {Fraction(1, 3): 1}),
        (dict[Decimal, int], {"1.10": 1}, {Decimal("1.10"): 1}),
        (dict[UUID, int], {ID: 1}, {UUID(ID): 1}),
        (dict[date, int], {"2026-07-28": 1}, {date(2026, 7, 28): 1}),
        (dict[Level, int], {"1": 1}, {Level.LOW: 1}),
        (dict[Color, int], {"red": 1}, {Color.RED: 1}),
        (dict[Mixed, int], {"0.5": 1, "named": 2}, {Mixed.HALF: 1, Mixed.NAMED: 2}),
        (dict[Literal[1, "a"], int], {"1": 1, "a": 2}, {1: 1, "a": 2}),
        (dict[bool, int], {"true": 1}, {True: 1}),
        (dict[float, int], {"1.5": 1, "2": 2}, {1.5: 1, 2.0: 2}),
        (dict[int | None, int], {"1": 1, "null": 2}, {1: 1, None: 2}),
        (dict[Color | int, int], {"red": 1, "7": 2}, {Color.RED: 1, 7: 2}),
        (Mapping[Path, IPv4Address], {"a": "10.0.0.1"}, {Path("a"): IPv4Address("10.0.0.1")}),
        (dict[str, dict[Path, int]], {"x": {"a": 1}}, {"x": {Path("a"): 1}}),
        (dict[Level, Line], {"2": {"ends": [0, 1]}}, {Level.HIGH: Line(ends=(0.0, 1.0))}),
    ],
    ids=str,
)
def test_names_that_stand_for_other_types_arrive_as_those_types(hint, value, expected):
    got = take(hint, value)
    assert got == expected
    assert [type(key) for key in got] == [type(key) for key in expected]


def test_names_inside_of_records_arrive_as_their_types_too():
    @dataclass
    class Sizes:
        by_path: dict[Path, int]

    class Levels(BaseModel):
        by_level: dict[Level, int]

    assert take(Sizes, {"by_path": {"a": 1}}) == Sizes({Path("a"): 1})
    assert take(Levels, {"by_level": {"1": 1}}) == Levels(by_level={Level.LOW: 1})


class Digit(enum.Enum):
    ZERO = 0
    ONE = 1


class Names(BaseModel):
    digits: dict[Digit, int] = {}
    nested: dict[str, dict[Digit, int]] = {}
    mixed: dict[Mixed, int] = {}
    maybe: dict[Digit | None, int] = {}
    literal: dict[Literal[1, "a"], int] = {}


@pytest.mark.parametrize("lenient", [True, False])
def test_names_in_a_model_stand_for_the_numbers_that_are_listed(lenient):
    value = {
        "digits": {"0": 1, "1": 2},
        "nested": {"0": {"1": 3}},
        "mixed": {"1": 4, "0.5": 5, "named": 6},
        "maybe": {"0": 7, "null": 8},
        "literal": {"1": 9, "a": 10},
    }
    assert take(Names, value, lenient=lenient) == Names(
        digits={Digit.ZERO: 1, Digit.ONE: 2},
        nested={"0": {Digit.ONE: 3}},
        mixed={Mixed.ONE: 4, Mixed.HALF: 5, Mixed.NAMED: 6},
        maybe={Digit.ZERO: 7, None: 8},
        literal={1: 9, "a": 10},
    )
    listed = Called(Names, lenient=lenient).listed()["properties"]
    assert listed["digits"]["propertyNames"] == {"type": "string", "enum": ["0", "1"]}
    assert listed["mixed"]["propertyNames"] == {"type": "string", "enum": ["1", "0.5", "named"]}
    assert refuse(Names, {"digits": {"2": 1}}, lenient=lenient) == [
        'it.digits.2: expected a name that is one of "0", "1"'
    ]


@pytest.mark.parametrize(
    ("hint", "names"),
    [
        (dict[Level, int], {"type": "string", "enum": ["1", "2"]}),
        (dict[Level, Line], {"type": "string", "enum": ["1", "2"]}),
        (dict[Color, int], {"type": "string", "enum": ["red", "blue"]}),
        (dict[UUID, int], {"format": "uuid"}),
        (dict[int, int], {"pattern": "^(0|-?[1-9][0-9]*)$"}),
        (dict[int, Line], {"pattern": "^(0|-?[1-9][0-9]*)$"}),
    ],
    ids=str,
)
def test_the_schema_says_which_names_there_may_be(hint, names):
    assert Called(hint).listed()["propertyNames"] == names


def test_the_names_in_a_models_schema_are_strings():
    class Levels(BaseModel):
        by_level: dict[Level, int]
        by_number: dict[int, int] = {}

    properties = Called(Levels).listed()["properties"]
    assert properties["by_level"]["propertyNames"] == {"type": "string", "enum": ["1", "2"]}
    assert properties["by_number"]["propertyNames"] == {"pattern": "^(0|-?[1-9][0-9]*)$"}
    assert refuse(Levels, {"by_level": {"7": 1}}) == ['it.by_level.7: expected a name that is one of "1", "2"']
    assert refuse(Levels, {"by_level": {}, "by_number": {"x": 1}}) == [
        "it.by_number.x: expected a name that is an integer"
    ]


def test_so_are_those_of_the_other_kinds_of_dicts_in_a_model():
    class Counts(BaseModel):
        ordered: OrderedDict[int, int] = OrderedDict()
        counted: Counter[Digit] = Counter()
        mapped: Mapping[float, int] = {}

    properties = Called(Counts).listed()["properties"]
    assert properties["ordered"]["propertyNames"] == {"pattern": "^(0|-?[1-9][0-9]*)$"}
    assert properties["counted"]["propertyNames"] == {"type": "string", "enum": ["0", "1"]}
    assert "pattern" in properties["mapped"]["propertyNames"]
    got = take(Counts, {"ordered": {"1": 2}, "counted": {"0": 3}, "mapped": {"1.5": 4}})
    assert got == Counts(ordered={1: 2}, counted={Digit.ZERO: 3}, mapped={1.5: 4})
    for name in ("", "x", "1e2"):
        assert refuse(Counts, {"ordered": {name: 1}})[0].endswith("expected a name that is an integer")
    assert refuse(Counts, {"counted": {"7": 1}}) == ['it.counted.7: expected a name that is one of "0", "1"']


@pytest.mark.parametrize("item", [OrderedDict[str, int], Counter[str], deque[int]], ids=str)
def test_a_model_with_a_set_that_can_never_be_filled_is_refused(item):
    with pytest.raises(AuthorError, match="set"):
        Called(pydantic.create_model("Model", items=(set[item], ...)))


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (dict[Color, int], {"blu": 1}, 'it.blu: expected a name that is one of "red", "blue"; did you mean "blue"?'),
        (dict[Level, int], {"7": 1}, 'it.7: expected a name that is one of "1", "2"'),
        (dict[Level, Line], {"7": {}}, 'it.7: expected a name that is one of "1", "2"'),
        (dict[int, int], {"a": 1}, "it.a: expected a name that is an integer"),
        (dict[int, int], {"01": 1}, "it.01: expected a name that is an integer"),
        (dict[date, int], {"soon": 1}, "it.soon: expected a name that is a date such as 2026-07-28"),
        (dict[IPv4Address, int], {"x": 1}, "it.x: expected a name that is a string in ipv4 format"),
        (dict[int, Line], {"a": {"ends": [0, 1]}}, "it.a: expected a name that is an integer"),
    ],
    ids=str,
)
def test_a_name_that_does_not_fit_is_told_what_would(hint, value, said):
    assert refuse(hint, value)[:1] == [said]


def test_two_spellings_of_one_key_are_refused():
    assert refuse(dict[UUID, int], {ID: 1, ID.replace("-", ""): 2}) == [
        f"it.{ID.replace('-', '')}: the same key as another one, written differently"
    ]


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        ({"enum": ["a", "b"]}, {"c": 1}, 'c: expected a name that is one of "a", "b"'),
        ({"const": "a"}, {"c": 1}, 'c: expected a name that is "a"'),
        ({"type": "integer"}, {"c": 1}, "c: expected a name that is an integer"),
        ({"pattern": "^a"}, {"c": 1}, "c: expected a name that is a string matching ^a"),
        ({"maxLength": 1}, {"cc": 1}, "cc: expected a name that is a string of 1 or fewer characters"),
        (
            {"anyOf": [{"enum": ["a"]}, {"pattern": "^b"}]},
            {"c": 1},
            'c: expected a name that is "a" or a string matching ^b',
        ),
    ],
    ids=str,
)
def test_names_that_a_schema_by_hand_forbids_are_explained(names, given, said, caplog):
    def tool(**others): ...

    server = Server("by hand")
    server.tool(input_schema={"type": "object", "propertyNames": names})(tool)
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "tool", "arguments": given}}
    result = json.loads(server.handle(asked, revision="2025-11-25"))["result"]
    assert (result["isError"], result["content"][0]["text"]) == (True, said)
    assert caplog.records == []


# Refusals to act on -------------------------------------------------------------------------------


@dataclass
class Box(Generic[T]):
    item: T
    more: list[T] = field(default_factory=list)


@dataclass
class IntBox(Box[int]):
    label: str = ""


class Pair(NamedTuple, Generic[T]):
    left: T
    right: int = 0


class Slip(TypedDict, Generic[T]):
    item: T


class Crate(msgspec.Struct, Generic[T]):
    item: T


class Cat(msgspec.Struct, tag="cat"):
    lives: int


class Dog(msgspec.Struct, tag="dog"):
    name: str


class Array(msgspec.Struct, array_like=True):
    x: int
    y: str = ""


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    name: str = ""


class Exact(typing_extensions.TypedDict, closed=True):
    a: int


class Quoted(TypedDict):
    a: "typing_extensions.NotRequired[int]"
    b: "int"


@dataclass
class Person:
    name: str
    age: Annotated[int, msgspec.Meta(ge=0)] = 0
    tags: list[str] = field(default_factory=list)


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (Box[int], {"item": "x"}, ["it.item: expected an integer, got a string"]),
        (Box[Box[int]], {"item": {"item": "x"}}, ["it.item.item: expected an integer, got a string"]),
        (IntBox, {"item": "x", "more": [1, "y"]}, [
            "it.item: expected an integer, got a string",
            "it.more[1]: expected an integer, got a string",
        ]),
        (Pair[int], [False, ""], [
            "it[0]: expected an integer, got a boolean",
            "it[1]: expected an integer, got a string",
        ]),
        (Slip[Fraction], {"item": "x"}, ["it.item: expected a fraction such as 1/3 in a string"]),
        (Crate[int], {"item": []}, ["it.item: expected an integer, got an array"]),
        (Cat, {"lives": 1}, ['it.type: missing; it takes "cat"']),
        (Cat | Dog, {"lives": 1}, ['it.type: missing; it takes one of "cat", "dog"']),
        (Cat | Dog, {"type": "dgo"}, ['it.type: expected one of "cat", "dog"; did you mean "dog"?']),
        (Cat | Dog, {"type": "dog", "name": 3}, ["it.name: expected a string, got an integer"]),
        (Array, ["x", 1], ["it[0]: expected an integer, got a string", "it[1]: expected a string, got an integer"]),
        (Array, [], ["it: expected an array of 1 or more items, got 0"]),
        (Closed, {"nam": "x"}, ["it.nam: no such field; did you mean name?"]),
        (Quoted, {"b": "x"}, ["it.b: expected an integer, got a string"]),
        (Quoted, {}, ["it.b: missing; it takes an integer"]),
        (list[Person], [{"nme": "Ada", "age": -1, "tags": [1]}], [
            "it[0].name: missing; it takes a string; nme is not known, did you mean name?",
            "it[0].age: expected an integer >= 0",
            "it[0].tags[0]: expected a string, got an integer",
        ]),
        (Loose | Box[str], {"x": "a"}, ["it.x: expected an integer, got a string"]),
        (IPv4Network, "x", ["it: expected a string in ipv4network format"]),
        (Nested, [1, ["x"]], ["it[1][0]: expected an integer or an array, got a string"]),
        (
            Annotated[bytes, msgspec.Meta(max_length=2)],
            "aGkx",
            ["it: expected base64 of at most 2 bytes in a string"],
        ),
        (Annotated[time, msgspec.Meta(tz=False)], "12:00:00Z", ["it: expected a moment without a time zone"]),
    ],
    ids=str,
)  # fmt: skip
def test_a_refusal_says_where_and_what_was_expected(hint, value, said):
    assert refuse(hint, value) == said


def test_a_key_that_may_be_left_out_may_be_left_out_where_annotations_are_texts():
    assert take(Quoted, {"b": 1}) == {"b": 1}
    assert Called(Quoted).listed()["required"] == ["b"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"city": 3}, "city: expected a string, got an integer"),
        ({"city": "Oslo", "days": 3}, "days: expected a string, got an integer"),
        ({"city": "Oslo", "days": "many"}, "days: expected an integer, got a string"),
        ({"city": None, "dys": "3"}, "city: expected a string, got null\ndys: no such parameter; did you mean days?"),
    ],
)
def test_a_prompts_arguments_are_refused_in_the_same_words(arguments, said):
    """PROM-04"""
    server = Server("prompts")

    @server.prompt
    def plan(city: str, days: int = 1) -> str:
        return city

    asked = {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "plan", "arguments": arguments}}
    assert json.loads(server.handle(asked, revision="2025-11-25"))["error"] == {"code": -32602, "message": said}


class Member(BaseModel):
    name: str
    age: int = Field(default=0, ge=0)
    tags: list[str] = []


class Record(msgspec.Struct):
    name: str
    age: Annotated[int, msgspec.Meta(ge=0)] = 0
    tags: list[str] = []


BY_HAND = {
    "type": "object",
    "properties": {
        "it": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "age": {"type": "integer", "minimum": 0},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name"],
        }
    },
    "required": ["it"],
}


@pytest.mark.parametrize(
    ("hint", "options"),
    [(Person, {}), (Member, {}), (Record, {}), (dict, {"input_schema": BY_HAND})],
    ids=["dataclass", "pydantic", "msgspec", "schema by hand"],
)
def test_every_kind_of_type_is_explained_in_the_same_words(hint, options):
    """R2511-TOOL-12, R26-TOOL-12"""
    assert refuse(hint, {"nam": "Ada", "age": -1, "tags": ["a", 1]}, **options) == [
        "it.name: missing; it takes a string; nam is not known, did you mean name?",
        "it.age: expected an integer >= 0",
        "it.tags[1]: expected a string, got an integer",
    ]
    assert refuse(hint, {"name": [], "age": {}, "tags": "x"}, **options) == [
        "it.name: expected a string, got an array",
        "it.age: expected an integer >= 0, got an object",
        "it.tags: expected an array of strings, got a string",
    ]
    assert refuse(hint, SECRET, **options) == ["it: expected an object with name, got a string"]


# What the schema forbids, and what it allows ------------------------------------------------------


class Step(NamedTuple):
    x: int
    y: int = 0


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Step, [1, 2, 3]),
        (list[Step], [[1, 2, 3]]),
        (Step | None, [1, 2, 3]),
        (Corner, [1, 2, 3]),
        (Pair[int], [1, 2, 3]),
        (tuple[int, str], [1, "a", "b"]),
        (Mode, 4),
        (Mode, -1),
        (Right, 2),
        (Right, 10**30),
        (Decimal, "NaN"),
        (Decimal, "Infinity"),
        (Decimal, "1_0"),
        (Cat, {"lives": 1}),
        (Exact, {"a": 1, "b": 2}),
    ],
    ids=str,
)
def test_what_the_listed_schema_forbids_is_refused(hint, value):
    tool = Called(hint)
    failed, said = tool.answer(json.dumps({"it": value}))
    assert failed and said.startswith("it"), said


def test_flags_are_taken_and_listed_with_their_combinations():
    assert Called(Mode).listed() == {"type": "integer", "minimum": 0, "maximum": 3}
    assert take(Mode, 3) == Mode.READ | Mode.WRITE
    assert take(Mode, 0) == Mode(0)
    assert Called(Right).listed() == {"type": "integer", "enum": [0, 1, 8, 9]}
    assert take(Right, 9) == Right.SEE | Right.OWN

    class Access(BaseModel):
        mode: Mode

    assert Called(Access).listed()["properties"]["mode"] == {"type": "integer", "minimum": 0, "maximum": 3}
    assert take(Access, {"mode": 3}) == Access(mode=Mode.READ | Mode.WRITE)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (set[str], ["a", "a"]),
        (Decimal, 1.5),
        (int, "3"),
        (list[int], "[1]"),
        (pydantic.IPvAnyAddress, False),
        (set[pydantic.PositiveInt], [1, 1]),
    ],
    ids=str,
)
def test_a_strict_server_takes_only_what_its_schemas_allow(hint, value):
    assert refuse(hint, value, lenient=False)
    take(hint, value)


@pytest.mark.parametrize("hint", [int, Level, Literal[1, 2], pydantic.PositiveInt, list[int] | int])
def test_a_strict_server_takes_an_integer_with_a_decimal_point_as_json_schema_does(hint):
    assert take(hint, 2.0, lenient=False) == 2


# Formats ------------------------------------------------------------------------------------------


@dataclass
class Moments:
    at: datetime
    on: date
    clock: time
    took: timedelta


class MomentsDict(TypedDict):
    at: datetime
    on: date
    clock: time
    took: timedelta


@attrs.define
class MomentsAttrs:
    at: datetime
    on: date
    clock: time
    took: timedelta


class MomentsStruct(msgspec.Struct):
    at: datetime
    on: date
    clock: time
    took: timedelta


FORMATS = {"at": "date-time", "on": "date", "clock": "time", "took": "duration"}


@pytest.mark.parametrize("hint", [Moments, MomentsDict, MomentsAttrs, MomentsStruct, list[Moments], Box[Moments]])
def test_moments_in_records_are_asked_for_in_a_format(hint):
    listed = Called(hint).listed()
    listed = listed.get("items", listed.get("properties", {}).get("item", listed))
    properties = listed["properties"]
    assert properties == {name: {"type": "string", "format": format} for name, format in FORMATS.items()}


def test_what_is_in_the_listed_formats_is_taken():
    given = {"at": "2026-07-28T12:00:00Z", "on": "2026-07-28", "clock": "12:00:00+00:00", "took": "P1Y2M10DT2H30M"}
    assert take(Moments, given) == Moments(
        datetime(2026, 7, 28, 12, tzinfo=UTC),
        date(2026, 7, 28),
        time(12, tzinfo=UTC),
        timedelta(days=365 + 60 + 10, hours=2, minutes=30),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P1W", timedelta(weeks=1)),
        ("P1Y", timedelta(days=365)),
        ("P2M", timedelta(days=60)),
        ("P1Y2M3DT4H5M6.5S", timedelta(days=428, hours=4, minutes=5, seconds=6.5)),
        ("-P1D", timedelta(days=-1)),
        ("PT0.000001S", timedelta(microseconds=1)),
    ],
)
def test_a_duration_is_read_as_pydantic_reads_it(text, expected):
    assert take(timedelta, text) == expected == pydantic.TypeAdapter(timedelta).validate_python(text)


@pytest.mark.parametrize("text", ["P", "PT", "P1", "1W", "P1D1H", "P999999999Y", "P1S"])
def test_what_is_no_duration_is_refused(text):
    assert refuse(timedelta, text) == ["it: expected a duration such as PT1H30M"]


# Hints --------------------------------------------------------------------------------------------


@dataclass
class Either:
    id: UUID | str
    where: Path | str = ""
    when: datetime | date | None = None
    color: Color | str | None = None


class EitherDict(TypedDict):
    id: UUID | str


class EitherStruct(msgspec.Struct):
    id: UUID | str


@attrs.define
class EitherAttrs:
    id: UUID | str


class EitherTuple(NamedTuple):
    id: UUID | str


class Node(msgspec.Struct):
    value: int
    next: Union["Node", "Leaf", None] = None


class Leaf(msgspec.Struct):
    text: str


@dataclass
class Chain:
    value: int
    rest: "typing_extensions.Self | None" = None


@dataclass
class WithModel:
    member: Member
    id: UUID | str


class StructWithModel(msgspec.Struct):
    member: Member


@attrs.define
class AttrsWithModel:
    member: Member


class DictWithModel(TypedDict):
    member: Member


Name = typing_extensions.TypeAliasType("Name", Path | str)
Many = typing_extensions.TypeAliasType("Many", list[T] | T, type_params=(T,))
UserId = NewType("UserId", int)


class Email(str):
    pass


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (
            Either,
            {"id": ID, "when": "2026-07-28", "color": "red"},
            Either(UUID(ID), "", date(2026, 7, 28), Color.RED),
        ),
        (Either, {"id": "x", "where": "a/b", "color": "grey"}, Either("x", Path("a/b"), None, "grey")),
        (EitherDict, {"id": ID}, {"id": UUID(ID)}),
        (EitherStruct, {"id": "x"}, EitherStruct("x")),
        (EitherAttrs, {"id": ID}, EitherAttrs(UUID(ID))),
        (EitherTuple, [ID], EitherTuple(UUID(ID))),
        (list[Path | str], ["a"], [Path("a")]),
        (dict[str, Loose | Box[str]], {"a": {"item": "x"}}, {"a": Box("x")}),
        (list[Color | int | date], ["red", 3, "2026-07-28"], [Color.RED, 3, date(2026, 7, 28)]),
        (set[int] | list[int], [1, 2], {1, 2}),
        (set[int] | list[int], [1, 1], [1, 1]),
        (Loose | dict[str, int], {"y": 1}, {"y": 1}),
        (tuple[int, int] | list[str], ["a"], ["a"]),
        (Node, {"value": 1, "next": {"text": "end"}}, Node(1, Leaf("end"))),
        (Chain, {"value": 1, "rest": {"value": 2}}, Chain(1, Chain(2))),
        (deque[int], [1], deque([1])),
        (object, [1], [1]),
        (list[object], [1, "a"], [1, "a"]),
        (Literal[Color.RED], "red", Color.RED),
        (Literal[Color.RED, 1, None], None, None),
        (Mixed, 0.5, Mixed.HALF),
        (OrderedDict[str, int], {"a": 1}, OrderedDict(a=1)),
        (defaultdict[str, list[int]], {"a": [1]}, defaultdict(list, {"a": [1]})),
        (Counter[str], {"a": 2}, Counter(a=2)),
        (ChainMap[str, int], {"a": 1}, ChainMap({"a": 1})),
        (Iterable[Path], ["a"], [Path("a")]),
        (Collection[Path | int], ["a", 1], [Path("a"), 1]),
        (AbstractSet[date], ["2026-07-28"], {date(2026, 7, 28)}),
        (MutableMapping[str, Path], {"a": "b"}, {"a": Path("b")}),
        (re.Pattern, "a+", re.compile("a+")),
        (Name, "a", Path("a")),
        (list[Name] | None, ["a"], [Path("a")]),
        (Many[int], [1, 2], [1, 2]),
        (Many[int], 1, 1),
        (Nested, [1, [2, []]], [1, [2, []]]),
        (UserId | str, 3, 3),
        (Email, "ada@example.com", Email("ada@example.com")),
        (WithModel, {"member": {"name": "Ada"}, "id": ID}, WithModel(Member(name="Ada"), UUID(ID))),
        (StructWithModel, {"member": {"name": "Ada"}}, StructWithModel(Member(name="Ada"))),
        (AttrsWithModel, {"member": {"name": "Ada"}}, AttrsWithModel(Member(name="Ada"))),
        (DictWithModel, {"member": {"name": "Ada"}}, {"member": Member(name="Ada")}),
        (Member | EitherStruct, {"id": "x"}, EitherStruct("x")),
        (Member | EitherStruct, {"name": "Ada"}, Member(name="Ada")),
        (list[Member | Color], [{"name": "Ada"}, "red"], [Member(name="Ada"), Color.RED]),
    ],
    ids=str,
)
@pytest.mark.parametrize("lenient", [True, False])
def test_a_hint_that_msgspec_refuses_is_read_all_the_same(hint, value, expected, lenient):
    got = take(hint, value, lenient=lenient)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (UUID | str, ID, UUID(ID)),
        (UUID | str, "x", "x"),
        (Path | str, "a/b", Path("a/b")),
        (datetime | date, "2026-07-28", date(2026, 7, 28)),
        (datetime | date, "2026-07-28T10:00:00", datetime(2026, 7, 28, 10)),
        (Color | str, "red", Color.RED),
        (Color | str, "grey", "grey"),
        (IPv4Address | str, "10.0.0.1", IPv4Address("10.0.0.1")),
        (timedelta | int, "P1W", timedelta(weeks=1)),
        (Decimal | float, 1.5, 1.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("family", ["dataclass", "attrs", "Struct", "TypedDict", "NamedTuple"])
def test_a_field_may_be_of_one_of_two_types_that_are_one_in_json(family, hint, value, expected, lenient):
    make = {
        "dataclass": lambda: make_dataclass("Record", [("it", hint)]),
        "attrs": lambda: attrs.make_class("Record", {"it": attrs.field(type=hint)}),
        "Struct": lambda: msgspec.defstruct("Record", [("it", hint)]),
        "TypedDict": lambda: TypedDict("Record", {"it": hint}),
        "NamedTuple": lambda: NamedTuple("Record", [("it", hint)]),
    }
    got = take(make[family](), [value] if family == "NamedTuple" else {"it": value}, lenient=lenient)
    found = got["it"] if family == "TypedDict" else got.it
    assert (found, type(found)) == (expected, type(expected))


def test_what_is_wrong_beside_a_model_and_inside_of_it_is_told_at_once():
    assert refuse(StructWithModel, {"member": {"age": -1}}) == [
        "it.member.name: missing; it takes a string",
        "it.member.age: expected an integer >= 0",
    ]
    assert refuse(WithModel, {"member": {"name": 1}, "id": 3}) == [
        "it.member.name: expected a string, got an integer",
        "it.id: expected a UUID or a string, got an integer",
    ]


@dataclass
class Arranged:
    user_name: Annotated[str, Field(alias="userName")]
    age: int = Field(default=3, ge=0)


class Held(NamedTuple):
    by_kind: dict[Mixed, Member]
    members: Iterable[Member] = ()


def test_a_record_that_holds_a_model_is_read_here_unless_only_pydantic_understands_it():
    assert take(Arranged, {"userName": "Ada"}) == Arranged("Ada", 3)
    assert refuse(Arranged, {"user_name": "Ada", "age": -1}) == [
        "it.userName: missing; it takes a string; user_name is not known, did you mean userName?",
        "it.age: expected an integer >= 0",
    ]
    assert take(Held, [{"1": {"name": "Ada"}}, [{"name": "Bob"}]]) == Held(
        {Mixed.ONE: Member(name="Ada")}, [Member(name="Bob")]
    )


UNIONS = """
import gc, json
from typing import Annotated, Optional
from msgspec import Meta
from plainmcp import Server

class Color: ...

hints = [
    tuple[int, str] | Annotated[int, Meta(ge=0)],
    Annotated[float, Meta(le=1.5)] | tuple[int],
    tuple[int, str] | Annotated[str, Meta(min_length=1, max_length=3, pattern="a")],
    Optional[tuple[int, str] | Annotated[list[int], Meta(max_length=2)]],
    Annotated[str, Meta(pattern="^a")] | list[int],
    Annotated[str, Meta(pattern="^a")] | dict[str, int],
    Annotated[str, Meta(pattern="^a")] | set[int] | None,
    list[tuple[int, str] | Annotated[int, Meta(ge=0)]],
    dict[str, Annotated[str, Meta(pattern="^a")] | tuple],
]
for _ in range(30):
    for hint in hints:
        server = Server("unions", policy="fastmcp")
        def tool(it): return it
        tool.__annotations__ = {"it": hint, "return": hint}
        server.tool(tool)
        for it in (0, -1, "a", "b", "aaaa", [], [1], [1, "a"], ["a", 1], {}, {"a": 1}, {"a": "a"}, None, 1.5, True):
            params = {"name": "tool", "arguments": {"it": it}}
            asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            reply = json.loads(server.handle(asked, revision="2025-11-25"))
            assert "incident" not in json.dumps(reply), (hint, it, reply)
    gc.collect()
print("all answered")
"""


@pytest.mark.slow
def test_unions_that_corrupt_msgspecs_memory_are_read_another_way():
    done = subprocess.run([sys.executable, "-c", UNIONS], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "all answered\n"), done.stderr


def test_limits_in_a_union_are_kept():
    hint = tuple[int, str] | Annotated[int, msgspec.Meta(ge=0)]
    assert take(hint, [1, "a"]) == (1, "a")
    assert take(hint, 3) == 3
    assert refuse(hint, -1) == ["it: expected an array of 2 items or an integer >= 0"]
    assert refuse(list[int] | Annotated[str, msgspec.Meta(pattern="^a")], "b") == [
        "it: expected an array of integers or a string matching ^a"
    ]


def test_what_pydantic_takes_beyond_what_it_lists_comes_last_in_a_union():
    hint = pydantic.AwareDatetime | Level
    assert take(hint, 1) is Level(1)
    assert take(hint, "2026-07-28T10:00:00Z") == datetime(2026, 7, 28, 10, tzinfo=UTC)


# Authors' own words -------------------------------------------------------------------------------

TOO_MANY = "the free plan has one seat"


@dataclass
class Plan:
    plan: str
    seats: int = 1

    def __post_init__(self):
        if self.plan == "free" and self.seats > 1:
            raise ValueError(TOO_MANY)
        if self.seats < 1:  # as `assert` does, which pytest would change here
            raise AssertionError(f"{self.seats} seats are too few for the {self.plan} plan")


class PlanStruct(msgspec.Struct):
    plan: str
    seats: int = 1

    def __post_init__(self):
        if self.plan == "free" and self.seats > 1:
            raise ValueError(TOO_MANY)
        if self.seats < 1:  # as `assert` does, which pytest would change here
            raise AssertionError(f"{self.seats} seats are too few for the {self.plan} plan")


@attrs.define
class PlanAttrs:
    plan: str
    seats: int = attrs.field(default=1)

    def __attrs_post_init__(self):
        if self.plan == "free" and self.seats > 1:
            raise ValueError(TOO_MANY)
        if self.seats < 1:  # as `assert` does, which pytest would change here
            raise AssertionError(f"{self.seats} seats are too few for the {self.plan} plan")


class PlanModel(BaseModel):
    plan: str
    seats: int = 1

    @pydantic.model_validator(mode="after")
    def check(self):
        if self.plan == "free" and self.seats > 1:
            raise ValueError(TOO_MANY)
        if self.seats < 1:  # as `assert` does, which pytest would change here
            raise AssertionError(f"{self.seats} seats are too few for the {self.plan} plan")
        return self


@pytest.mark.parametrize("hint", [Plan, PlanStruct, PlanAttrs, PlanModel])
def test_what_an_author_says_reaches_the_model_as_it_was_written(hint):
    assert refuse(hint, {"plan": "free", "seats": 3}) == [f"it: {TOO_MANY}"]
    assert refuse(hint, {"plan": "team", "seats": 0}) == ["it: 0 seats are too few for the team plan"]
    assert refuse(list[hint], [{"plan": "team"}, {"plan": "free", "seats": 3}, {}]) == [
        f"it[1]: {TOO_MANY}",
        "it[2].plan: missing; it takes a string",
    ]
    assert refuse(hint | int, {"plan": "free", "seats": 3}) == [f"it: {TOO_MANY}"]
    assert refuse(hint | None, {"plan": "free", "seats": 3}) == [f"it: {TOO_MANY}"]


class Seats(BaseModel):
    plan: str
    seats: int = 1
    code: str = ""

    @pydantic.field_validator("seats")
    @classmethod
    def check_seats(cls, seats: int) -> int:
        if seats > 9:
            raise ValueError(f"{seats} seats?\nThat is a lot, " + "really " * 40 + "a lot.")
        return seats

    @pydantic.field_validator("code")
    @classmethod
    def check_code(cls, code: str) -> str:
        if code:
            raise PydanticCustomError("expired", "the code {code} has expired", {"code": code})
        return code


def test_what_a_validator_says_is_sent_whole_whatever_it_says():
    failed, said = Called(Seats).answer('{"it": {"plan": "team", "seats": 10, "code": "tea"}}')
    assert failed
    assert said == (
        "it.seats: 10 seats?\nThat is a lot, " + "really " * 40 + "a lot.\nit.code: the code tea has expired"
    )


def test_what_a_validator_says_stands_beside_what_the_schema_says():
    assert refuse(Seats, {"seats": 1.5, "code": "tea"}) == [
        "it.plan: missing; it takes a string",
        "it.seats: expected an integer, got a number",
        "it.code: the code tea has expired",
    ]


class Hue(enum.Enum):
    RED = "red"

    @classmethod
    def _missing_(cls, value):
        if value == "crimson":
            return cls.RED
        if value == "blue":
            raise ValueError("blue is sold out")
        return None


def test_an_enum_may_say_what_is_missing():
    assert take(Hue, "crimson") is Hue.RED
    assert refuse(Hue, "blue") == ["it: blue is sold out"]
    assert refuse(list[Hue], ["red", SECRET]) == ['it[1]: expected "red"']


@attrs.define
class Sized:
    size: int = attrs.field(validator=attrs.validators.ge(5))
    name: str = attrs.field(default="", validator=attrs.validators.max_len(3))
    kind: str = attrs.field(default="a")

    @kind.validator
    def _check(self, attribute, value):
        if value != "a":
            raise ValueError(f"there is no kind {value}")


class Addresses(BaseModel):
    host: pydantic.IPvAnyAddress | None = None
    size: pydantic.ByteSize = pydantic.ByteSize(1)
    url: pydantic.HttpUrl | None = None
    at: datetime | None = None
    ip: IPv4Address | None = None


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (Sized, {"size": 1}, ["it.size: must be >= 5"]),
        (Sized, {"size": 6, "name": SECRET}, ["it.name: length must be <= 3"]),
        (Sized, {"size": 6, "kind": "b"}, ["it: there is no kind b"]),
        (Addresses, {"host": SECRET}, ["it.host: expected a string in ipvanyaddress format"]),
        (Addresses, {"ip": SECRET}, ["it.ip: expected a string in ipv4 format"]),
        (Addresses, {"url": SECRET}, ["it.url: expected a URL such as https://example.com"]),
        (Addresses, {"at": SECRET}, ["it.at: expected a date and time such as 2026-07-28T12:00:00Z"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("lenient", [True, False])
def test_words_that_nobody_wrote_never_repeat_the_value(hint, value, said, lenient):
    assert refuse(hint, value, lenient=lenient) == said


def test_a_size_that_pydantic_does_not_know_is_not_repeated():
    assert SECRET not in "".join(refuse(Addresses, {"size": f"3 {SECRET}"}))


def test_code_of_the_authors_that_fails_on_what_breaks_the_schema_is_no_incident(caplog):
    def kind_of(value: Any) -> str:
        return value["kind"] + ""

    class Call(BaseModel):
        kind: Literal["call"]

    class Text(BaseModel):
        kind: Literal["text"]

    Tag, Discriminator = pydantic.Tag, pydantic.Discriminator
    hint = Annotated[Annotated[Call, Tag("call")] | Annotated[Text, Tag("text")], Discriminator(kind_of)]
    assert refuse(hint, {}) == ['it.kind: missing; it takes one of "call", "text"']
    assert refuse(hint, 3) == ["it: expected an object with kind, got an integer"]
    assert caplog.records == []


# Tagged unions ------------------------------------------------------------------------------------


@dataclass
class CallData:
    kind: Literal["call"]
    number: int


@dataclass
class MailData:
    kind: Literal["email"]
    email: str
    subject: str = ""


class CallModel(BaseModel):
    kind: Literal["call"]
    number: int


class MailModel(BaseModel):
    kind: Literal["email"] = "email"
    email: str
    subject: str = ""

    @pydantic.field_validator("subject")
    @classmethod
    def check(cls, subject: str) -> str:
        if subject == "spam":
            raise ValueError("no spam, please")
        return subject


class CallStruct(msgspec.Struct, tag_field="kind", tag="call"):
    number: int


class MailStruct(msgspec.Struct, tag_field="kind", tag="email"):
    email: str
    subject: str = ""


def kind_of(value: Any) -> Any:
    return value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)


BY_FUNCTION = Annotated[
    Annotated[CallModel, pydantic.Tag("call")] | Annotated[MailModel, pydantic.Tag("email")],
    pydantic.Discriminator(kind_of),
]


@pytest.mark.parametrize(
    "hint",
    [
        CallData | MailData,
        CallStruct | MailStruct,
        Annotated[CallModel | MailModel, Field(discriminator="kind")],
        Annotated[CallModel | MailModel, Field(discriminator="kind")] | None,
        BY_FUNCTION,
    ],
    ids=["dataclasses", "structs", "discriminator", "or null", "function"],
)
def test_a_tagged_union_is_explained_at_its_tag_and_then_inside_of_the_chosen_member(hint):
    assert refuse(hint, {"kind": "fax"}) == ['it.kind: expected one of "call", "email"']
    assert refuse(hint, {"kind": "emial"}) == ['it.kind: expected one of "call", "email"; did you mean "email"?']
    assert refuse(hint, {"kind": "call"}) == ["it.number: missing; it takes an integer"]
    assert refuse(hint, {"kind": "call", "number": "x"}) == ["it.number: expected an integer, got a string"]
    # The tag is called as a field of the member is.
    assert refuse(hint, {"kind": "email", "email": "a", "subject": 3}) == [
        "it.subject: expected a string, got an integer"
    ]
    assert refuse(hint, {"kind": "email", "email": 3}) == ["it.email: expected a string, got an integer"]
    assert refuse(list[hint], [{"kind": "call", "number": 1}, {"kind": "email"}]) == [
        "it[1].email: missing; it takes a string"
    ]
    assert "function" not in refuse(hint, 3)[0]


@pytest.mark.parametrize(
    "hint",
    [CallData | MailData, CallStruct | MailStruct, Annotated[CallModel | MailModel, Field(discriminator="kind")]],
)
def test_a_tag_that_is_missing_is_asked_for_and_listed_as_required(hint):
    assert refuse(hint, {"number": 1}) == ['it.kind: missing; it takes one of "call", "email"']
    listed = Called(hint).listed()
    assert ["kind" in choice["required"] for choice in listed.get("oneOf", listed.get("anyOf"))] == [True, True]


def test_models_that_are_told_apart_by_a_literal_need_no_discriminator_to_be_explained():
    class Fax(BaseModel):
        kind: Literal["fax"]
        number: int

    assert refuse(CallModel | Fax, {"kind": "telex"}) == ['it.kind: expected one of "call", "fax"']
    assert refuse(CallModel | Fax, {"kind": "fax", "number": []}) == ["it.number: expected an integer, got an array"]
    assert refuse(CallModel | Fax, {"number": 1}) == ['it.kind: missing; it takes one of "call", "fax"']


def test_what_an_author_says_of_a_chosen_member_is_all_that_is_said():
    hint = Annotated[CallModel | MailModel, Field(discriminator="kind")]
    assert refuse(hint, {"kind": "email", "email": "a", "subject": "spam"}) == ["it.subject: no spam, please"]
    assert refuse(BY_FUNCTION, {"kind": "email", "email": "a", "subject": "spam"}) == ["it.subject: no spam, please"]
    assert refuse(hint | int, {"kind": "email", "email": "a", "subject": "spam"}) == ["it.subject: no spam, please"]


def test_a_function_that_finds_no_tag_leaves_the_choices_to_be_told():
    def by_fields(value: Any) -> str | None:
        return "call" if "number" in value else "email" if "email" in value else None

    class Number(BaseModel):
        number: int

    class Address(BaseModel):
        email: str

    hint = Annotated[
        Annotated[Number, pydantic.Tag("call")] | Annotated[Address, pydantic.Tag("email")],
        pydantic.Discriminator(by_fields),
    ]
    assert refuse(hint, {"number": "x"}) == ["it.number: expected an integer, got a string"]
    assert refuse(hint, {"email": 3}) == ["it.email: expected a string, got an integer"]
    assert refuse(hint, {}) == ["it: expected an object with number or an object with email"]


def test_branches_by_hand_are_explained_at_their_tag_too():
    def tool(**others): ...

    kinds = [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, field: {"type": "string"}},
            "required": ["kind", field],
        }
        for kind, field in (("call", "number"), ("email", "address"))
    ]
    server = Server("by hand")
    server.tool(input_schema={"type": "object", "properties": {"it": {"oneOf": kinds}}})(tool)

    def said(it: Any) -> str:
        params = {"name": "tool", "arguments": {"it": it}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return json.loads(server.handle(asked, revision="2025-11-25"))["result"]["content"][0]["text"]

    assert said({"kind": "fax"}) == 'it.kind: expected one of "call", "email"'
    assert said({"kind": "call"}) == "it.number: missing; it takes a string"
    assert said({"kind": "call", "number": 3}) == "it.number: expected a string, got an integer"


# Size ---------------------------------------------------------------------------------------------


def test_a_large_value_that_is_wrong_all_over_is_explained_in_a_moment():
    """The validator makes all its errors at once: a million of them took a quarter of a minute."""

    def tool(**others): ...

    server = Server("by hand")
    server.tool(
        input_schema={"type": "object", "properties": {"it": {"type": "array", "items": {"type": "integer"}}}}
    )(tool)
    params = {"name": "tool", "arguments": {"it": ["x"] * 300_000}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    text = json.loads(server.handle(asked, revision="2025-11-25"))["result"]["content"][0]["text"]
    assert text.startswith("it[0]: expected an integer, got a string\n") and text.endswith("\nand more")


def test_a_type_that_holds_itself_in_two_ways_is_not_tried_for_ever():
    @dataclass
    class Left:
        left: int
        inner: "Left | Right | None" = None

    @dataclass
    class Right:
        right: int
        inner: "Left | Right | None" = None

    for kind in (Left, Right):
        kind.__annotations__["inner"] = Left | Right | None
    value: dict[str, Any] = {"left": "x", "right": "x"}
    for _ in range(40):
        value = {"left": 1, "right": 1, "inner": value}
    assert refuse(Left, value)


# Words --------------------------------------------------------------------------------------------


def is_even(number: int) -> bool:
    return number % 2 == 0


class Even(BaseModel):
    number: Annotated[int, annotated_types.Predicate(is_even)]


@attrs.define
class Limited:
    """Validators of attrs; their own texts repeat the value."""

    word: str = attrs.field(default="a", validator=attrs.validators.in_(["a", "b"]))
    rate: int = attrs.field(default=1, validator=[attrs.validators.ge(0), attrs.validators.lt(10)])
    code: str = attrs.field(default="a", validator=attrs.validators.matches_re("a|b: c"))
    name: str = attrs.field(default="a", validator=attrs.validators.max_len(3))
    long: str = attrs.field(default="aa", validator=attrs.validators.min_len(2))
    many: list[int] = attrs.field(factory=list, validator=attrs.validators.deep_iterable(attrs.validators.le(3)))
    kind: Any = attrs.field(default=1, validator=attrs.validators.instance_of(int))
    some: Any = attrs.field(default=6, validator=attrs.validators.or_(attrs.validators.gt(5)))
    none: int = attrs.field(default=1, validator=attrs.validators.not_(attrs.validators.in_([3])))


def local_predicate() -> Any:
    def is_odd(number: int) -> bool:
        return number % 2 == 1

    return is_odd


IS = "it: expected a value for which"


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (Annotated[int, annotated_types.Predicate(is_even)], 3, f"{IS} is_even is true"),
        (Annotated[int, annotated_types.Not(is_even)], 2, f"{IS} is_even is false"),
        (
            Annotated[int, annotated_types.Predicate(local_predicate())],
            2,
            f"{IS} is_odd is true",
        ),
        (
            Annotated[int, annotated_types.Predicate(lambda n: n > 3)],
            2,
            "it: expected a value that its validator takes",
        ),
        (list[annotated_types.LowerCase[str]], ["A"], "it[0]: expected a value for which str.islower is true"),
        (Even, {"number": 3}, "it.number: expected a value for which is_even is true"),
        (Limited, {"word": SECRET}, "it.word: must be in ['a', 'b']"),
        (Limited, {"rate": -77}, "it.rate: must be >= 0"),
        (Limited, {"rate": 77}, "it.rate: must be < 10"),
        (Limited, {"code": SECRET}, "it.code: must match regex 'a|b: c'"),
        (Limited, {"code": ""}, "it.code: must match regex 'a|b: c'"),
        (Limited, {"name": SECRET}, "it.name: length must be <= 3"),
        (Limited, {"long": ""}, "it.long: length must be >= 2"),
        (Limited, {"many": [1, 77]}, "it.many: must be <= 3"),
        (Limited, {"kind": SECRET}, "it.kind: must be <class 'int'>"),
        (
            Limited,
            {"some": 4},
            "it.some: None of (<Validator for x > 5>,) satisfied",
        ),
        (Limited, {"none": 3}, "it.none: refused by a validator of Limited"),
    ],
)
def test_a_refusal_says_by_what_and_not_the_value(hint: Any, value: Any, said: str, revision: str) -> None:
    """V48"""
    called = Called(hint)
    result = Client(called.server, revision).call("tool", it=value)
    assert result["isError"] and result["content"] == [{"type": "text", "text": said}]


@dataclass
class Spoken:
    text: LiteralString


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("hint", "schema", "value", "given"),
    [
        (LiteralString, {"type": "string"}, "a", "a"),
        (typing_extensions.LiteralString, {"type": "string"}, "a", "a"),
        (list[LiteralString], {"type": "array", "items": {"type": "string"}}, ["a"], ["a"]),
        (Annotated[LiteralString, msgspec.Meta(max_length=3)], {"type": "string", "maxLength": 3}, "a", "a"),
        (Annotated[LiteralString, Field(max_length=3)], {"type": "string", "maxLength": 3}, "a", "a"),
        (
            Spoken,
            {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            {"text": "a"},
            Spoken("a"),
        ),
    ],
    ids=str,
)
def test_a_literal_string_is_a_string(hint: Any, schema: Any, value: Any, given: Any, revision: str) -> None:
    """V48"""
    called = Called(hint)
    client = Client(called.server, revision)
    assert client.list_tools()[0]["inputSchema"]["properties"] == {"it": schema}
    assert not client.call("tool", it=value).get("isError") and called.got == given
    server = Server("strings", policy="fastmcp")

    def tool() -> Any:
        return given

    tool.__annotations__ = {"return": hint}
    server.tool(tool)
    client = Client(server, revision)
    if client.revision.structured != "none":
        assert client.call("tool")["structuredContent"] in (value, {"result": value})
        assert client.list_tools()[0]["outputSchema"]["type"] == "object"
