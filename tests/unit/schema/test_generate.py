"""What types become in JSON Schema, exactly; which hints become an output schema; schemas written by hand."""

import enum
import inspect
import json
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Network
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Required, TypedDict, TypeVar
from uuid import UUID

import attrs
import jsonschema_rs
import msgspec
import pydantic
import pytest
import typing_extensions
from pydantic import BaseModel, ConfigDict, Field

from plainmcp import Audio, File, Image, ToolResult, types
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.schema import generate
from plainmcp.schema.generate import check_handwritten, input_schema
from plainmcp.schema.returns import output_schema
from plainmcp.schema.signature import Parameter, read
from plainmcp.schema.subschemas import as_object, is_object, to_camel, wrap
from schemas import assert_valid

T = TypeVar("T")


@dataclass
class Forecast:
    city: str
    high: float
    note: str | None = None


class Row(TypedDict, total=False):
    name: Required[str]
    rank: int


class Pair(NamedTuple):
    left: int
    right: str = ""


class Point(msgspec.Struct):
    x: int
    y: int = 0


class Tree(msgspec.Struct):
    value: int
    children: list["Tree"] = []


class Array(msgspec.Struct, array_like=True):
    x: int


@attrs.define
class Attributes:
    left: int
    _private: int


class Unit(enum.Enum):
    FAHRENHEIT = "f"
    CELSIUS = "c"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Weather(BaseModel):
    temperature: float
    condition: str
    humidity: float


class Person(BaseModel):
    """Somebody."""

    user_name: str = Field(alias="userName", title="The name")
    nick: str | None = None
    friends: list["Person"] = []


class Roots(pydantic.RootModel[list[int]]):
    pass


@dataclass
class Wired:
    wire_name: int = field(metadata={"json": "wireName"})
    secret: str = field(default="", metadata={"json": "-"})


@dataclass
class Converted:
    inner: int

    def __plain__(self):
        return str(self.inner)


class Stranger:
    pass


def property_of(hint: Any, **known: Any) -> dict[str, Any]:
    """The schema of one parameter."""
    parameter = Parameter("it", hint, known.pop("required", True), **known)
    found: dict[str, Any] = input_schema([parameter])["properties"]["it"]
    return found


def exactly(found: Any, expected: Any) -> None:
    """Equal, key order and all."""
    assert json.dumps(found) == json.dumps(expected)


# The tools of the serializer's README -------------------------------------------------------------


def add_weather_data(
    city: str,
    temperature: float,
    wind_speed: float = None,  # type: ignore[assignment]  # noqa: RUF013
    humidity: float = None,  # type: ignore[assignment]  # noqa: RUF013
):
    """Add weather data for a given city

    This tool saves weather data to the database for a specific city.

    Args:
        city: The name of the city
        temperature: The temperature in Fahrenheit
        wind_speed: The wind speed in mph
        humidity: The humidity percentage
    """


def get_current_weather(city: str) -> Weather:
    """Get current weather for a city

    Retrieves real-time weather information including temperature, condition, and humidity.

    Args:
        city: The name of the city
    """
    raise NotImplementedError


def get_weather_forecast(city: str, days: int = 3) -> ToolResult:
    """Get weather forecast for a city

    Provides a detailed weather forecast with text, data files, and resource links.

    Args:
        city: The name of the city
        days: Number of days to forecast (default: 3)
    """
    raise NotImplementedError


LISTED = [
    {
        "name": "add_weather_data",
        "title": "Add weather data for a given city",
        "description": "This tool saves weather data to the database for a specific city.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The name of the city"},
                "temperature": {"type": "number", "description": "The temperature in Fahrenheit"},
                "wind_speed": {"type": "number", "description": "The wind speed in mph"},
                "humidity": {"type": "number", "description": "The humidity percentage"},
            },
            "required": ["city", "temperature"],
        },
    },
    {
        "name": "get_current_weather",
        "title": "Get current weather for a city",
        "description": "Retrieves real-time weather information including temperature, condition, and humidity.",
        "inputSchema": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The name of the city"}},
            "required": ["city"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "temperature": {"type": "number"},
                "condition": {"type": "string"},
                "humidity": {"type": "number"},
            },
            "required": ["temperature", "condition", "humidity"],
        },
    },
    {
        "name": "get_weather_forecast",
        "title": "Get weather forecast for a city",
        "description": "Provides a detailed weather forecast with text, data files, and resource links.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The name of the city"},
                "days": {"type": "integer", "description": "Number of days to forecast (default: 3)"},
            },
            "required": ["city"],
        },
    },
]


@pytest.mark.parametrize(
    ("function", "listed"),
    list(zip([add_weather_data, get_current_weather, get_weather_forecast], LISTED, strict=True)),
)
def test_the_readme_tools_are_listed_to_the_key(function, listed):
    """S003-13, S003-15, S003-16, S003-17, S003-18, S003-19, S003-20, S003-22, S003-24, S003-53"""
    found = read(function, context_type=Stranger, title_from="docstring")
    definition = {
        "name": found.name,
        "title": found.title,
        "description": found.description,
        "inputSchema": input_schema(found.parameters, show_defaults=False),
        "outputSchema": output_schema(found.returns, which="model"),
    }
    exactly({key: value for key, value in definition.items() if value is not None}, listed)


class WeatherData(BaseModel):
    temperature: float = Field(description="Temperature in Celsius")
    condition: str = Field(description="Weather condition")
    humidity: float = Field(ge=0, le=100)


@pytest.mark.parametrize("which", ["model", "named", "typed", "all"])
def test_what_a_field_says_reaches_the_schema(which):
    """S004-31, S004-32, S004-34"""
    exactly(
        output_schema(WeatherData, which=which),
        {
            "type": "object",
            "properties": {
                "temperature": {"type": "number", "description": "Temperature in Celsius"},
                "condition": {"type": "string", "description": "Weather condition"},
                "humidity": {"type": "number", "maximum": 100, "minimum": 0},
            },
            "required": ["temperature", "condition", "humidity"],
        },
    )


# What is taken ------------------------------------------------------------------------------------


def test_a_function_without_parameters_takes_an_empty_object():
    """R2511-TOOL-05, R26-TOOL-05"""
    exactly(input_schema([]), {"type": "object", "properties": {}})


def test_an_open_function_says_so():
    open_to_all = {"type": "object", "properties": {}, "additionalProperties": True}
    assert input_schema([], others=Parameter("others", Any, False)) == open_to_all


NATIVE = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (Iterable[int], {"type": "array", "items": {"type": "integer"}}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (dict, {"type": "object"}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (date, {"type": "string", "format": "date"}),
    (timedelta, {"type": "string", "format": "duration"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Decimal, {"type": "string", "format": "decimal"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (Path, {"type": "string"}),
    (PurePosixPath, {"type": "string"}),
    (Fraction, {"type": "string", "format": "fraction"}),
    (IPv4Address, {"type": "string", "format": "ipv4"}),
    (IPv6Network, {"type": "string", "format": "ipv6network"}),
    (NewType("UserId", int), {"type": "integer"}),
    (Literal["f", "c"], {"type": "string", "enum": ["f", "c"]}),
    (Literal[2, 1], {"type": "integer", "enum": [2, 1]}),
    (Literal[True], {"type": "boolean", "enum": [True]}),
    (Literal["a", 1], {"enum": ["a", 1]}),
    (Unit, {"type": "string", "enum": ["f", "c"]}),
    (list[Unit], {"type": "array", "items": {"type": "string", "enum": ["f", "c"]}}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (Annotated[int, msgspec.Meta(ge=0, lt=10)], {"type": "integer", "minimum": 0, "exclusiveMaximum": 10}),
    (Annotated[str, msgspec.Meta(title="City")], {"type": "string", "title": "City"}),
    (Annotated[int, Field(ge=0)], {"type": "integer", "minimum": 0}),
    (pydantic.PositiveInt, {"type": "integer", "exclusiveMinimum": 0}),
]


@pytest.mark.parametrize(("hint", "expected"), NATIVE, ids=lambda value: str(value)[:40])
def test_a_parameter_has_the_schema_of_its_hint(hint, expected):
    """B-10, S003-20"""
    exactly(property_of(hint), expected)


def test_a_moment_is_asked_for_in_a_format():
    assert property_of(datetime) == {"type": "string", "format": "date-time"}
    assert property_of(list[time] | None) == {
        "anyOf": [{"type": "array", "items": {"type": "string", "format": "time"}}, {"type": "null"}]
    }


RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "rank": {"type": "integer"}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    "hint",
    [Row, typing_extensions.TypedDict("Row", {"name": Required[str], "rank": int}, total=False)],
)
def test_a_typed_dict_of_either_module_has_a_schema(hint):
    """B-18"""
    exactly(property_of(hint), RECORD)
    exactly(output_schema(hint, which="named"), RECORD)


def test_records_of_all_families_are_objects():
    exactly(
        property_of(Forecast),
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "high": {"type": "number"}, "note": {"type": "string"}},
            "required": ["city", "high"],
        },
    )
    exactly(
        property_of(Point),
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
            "required": ["x"],
        },
    )
    assert property_of(Pair)["type"] == "array"
    assert property_of(Attributes)["type"] == "object"


def test_a_description_stands_after_the_type():
    exactly(property_of(int, description="How many"), {"type": "integer", "description": "How many"})
    exactly(property_of(Any, description="Whatever"), {"description": "Whatever"})


def test_the_docstring_of_a_record_is_its_description_unless_the_parameter_has_one():
    assert property_of(Person)["$ref"] == "#/$defs/Person"
    assert property_of(Person, description="Who") == {"description": "Who", "$ref": "#/$defs/Person"}


@pytest.mark.parametrize(
    ("hint", "default", "shown"),
    [
        (int, 3, {"type": "integer", "default": 3}),
        (int | None, 3, {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 3}),
        (int | None, None, {"type": "integer"}),
        (int | str | None, None, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b", None], None, {"type": "string", "enum": ["a", "b"]}),
        (int, None, {"type": "integer"}),
        (Unit, Unit.CELSIUS, {"type": "string", "enum": ["f", "c"], "default": "c"}),
        (
            set[int],
            frozenset({3, 1, 2}),
            {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "default": [1, 2, 3]},
        ),
        (date, date(2026, 7, 28), {"type": "string", "format": "date", "default": "2026-07-28"}),
        (Any, Stranger(), {}),
        (float, float("nan"), {"type": "number"}),
        (Path, Path("a/b"), {"type": "string", "default": "a/b"}),
    ],
)
def test_a_default_is_shown_where_json_has_it_and_null_only_beside_another_default(hint, default, shown):
    exactly(property_of(hint, required=False, default=default), shown)


def test_defaults_are_shown_only_if_wanted_at_any_depth():
    parameters = [Parameter("point", Point, False, Point(1)), Parameter("days", int, False, 3)]
    assert "default" not in json.dumps(input_schema(parameters, show_defaults=False))
    assert json.dumps(input_schema(parameters)).count("default") == 3


def test_a_model_as_parameter_is_read_by_its_aliases():
    """B-30"""
    found = input_schema([Parameter("who", Person, True)])
    person = found["$defs"]["Person"]
    exactly(
        person,
        {
            "type": "object",
            "description": "Somebody.",
            "properties": {
                "userName": {"type": "string", "title": "The name"},
                "nick": {"type": "string"},
                "friends": {"type": "array", "default": [], "items": {"$ref": "#/$defs/Person"}},
            },
            "required": ["userName"],
        },
    )


def test_titles_are_kept_only_where_somebody_gave_them():
    class Named(BaseModel):
        model_config = ConfigDict(title="A thing")
        some_field: int
        other: Annotated[int, Field(title="The other")]

    found = property_of(Named)
    assert found["title"] == "A thing"
    assert found["properties"] == {
        "some_field": {"type": "integer"},
        "other": {"type": "integer", "title": "The other"},
    }
    assert "title" not in json.dumps(input_schema([Parameter("it", dict[str, list[Weather | Forecast]], True)]))


def test_small_definitions_are_inlined_and_large_ones_shared():
    """B-11"""

    @dataclass
    class Address:
        street: str
        city: str

    small = input_schema([Parameter("home", Address, True), Parameter("work", Address, True)])
    assert "$defs" not in small and "$ref" not in json.dumps(small)

    big = TypedDict("big", {f"a_rather_long_field_name_{n}": int for n in range(50)})  # type: ignore[misc]
    found = output_schema(tuple[big, big, big], which="all")  # type: ignore[valid-type]
    assert found is not None
    assert list(found["$defs"]) == ["big"]
    assert found["prefixItems"] == [{"$ref": "#/$defs/big"}] * 3
    assert "$defs" not in input_schema([Parameter("it", big, True)])


def test_recursion_stays_as_a_reference_under_an_object_root():
    found = output_schema(Tree, which="typed")
    body = {
        "type": "object",
        "properties": {
            "value": {"type": "integer"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        },
        "required": ["value", "children"],
    }
    exactly(found, {**body, "$defs": {"Tree": body}})
    taken = input_schema([Parameter("tree", Tree, True, description="A tree")])
    assert taken["properties"]["tree"] == {"description": "A tree", "$ref": "#/$defs/Tree"}
    assert list(taken["$defs"]) == ["Tree"]


def test_two_classes_of_one_name_do_not_share_a_definition():
    other = msgspec.defstruct("Tree", [("leaf", bool), ("branches", "list[Tree]")], namespace={}, module=__name__)
    other.__annotations__["branches"] = list[other]  # type: ignore[valid-type]
    found = input_schema([Parameter("one", Tree, True), Parameter("two", other, True)])
    assert len(found["$defs"]) == 2
    for name in ("one", "two"):
        target = found["properties"][name]["$ref"].removeprefix("#/$defs/")
        assert ("leaf" in found["$defs"][target]["properties"]) == (name == "two")


def test_unions_msgspec_cannot_tell_apart_are_choices():
    found = property_of(Forecast | Point | None)
    assert [choice["type"] for choice in found["anyOf"]] == ["object", "object", "null"]
    assert property_of(Path | str) == {"anyOf": [{"type": "string"}, {"type": "string"}]}


@pytest.mark.parametrize("hint", [Stranger, list[Stranger], type, Iterator[int]])
def test_an_unsupported_type_is_refused_and_the_parameter_named(hint):
    with pytest.raises(AuthorError, match="parameter city: "):
        input_schema([Parameter("city", hint, True)])


def test_an_unsupported_type_is_told_what_to_do():
    cure = "Stranger cannot be read from JSON; use a dataclass, a TypedDict or a model"
    with pytest.raises(AuthorError, match=cure):
        input_schema([Parameter("city", Stranger, True)])


def test_a_typed_dict_that_pydantic_does_not_take_may_hold_a_model():
    """B-18"""
    holder = TypedDict("holder", {"weather": Weather})  # noqa: UP013
    found = input_schema([Parameter("it", holder, True)])["properties"]["it"]
    assert found == {
        "type": "object",
        "properties": {"weather": property_of(Weather)},
        "required": ["weather"],
    }


EVERYTHING = [
    Parameter(f"p{n}", hint, n % 2 == 0, None if n % 2 else inspect.Parameter.empty)
    for n, (hint, _) in enumerate(NATIVE)
]


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_input_schema_is_valid_in_its_dialect_and_on_every_revision(revision):
    """R2511-SCHEMA-01, R26-SCHEMA-01, R2511-SCHEMA-03, R26-SCHEMA-03, R2506-TOOL-05, R24-TOOL-05"""
    records = [Row, Pair, Point, Tree, Forecast, Attributes, Weather, Person, WeatherData]
    more = [Parameter(f"r{n}", hint, True) for n, hint in enumerate(records)]
    found = input_schema([*EVERYTHING, *more])
    jsonschema_rs.Draft202012Validator(found)
    assert_valid(revision, "Tool", {"name": "it", "inputSchema": found})


# What is returned ---------------------------------------------------------------------------------

HINTS = [
    # hint, and the policies that make a schema of it
    (Weather, "model named typed all"),
    (Forecast, "named typed all"),
    (Row, "named typed all"),
    (Point, "named typed all"),
    (Attributes, "named typed all"),
    (Wired, "named typed all"),
    (Annotated[Weather, "the weather"], "model named typed all"),
    (Roots, "typed all"),
    (list[Forecast], "typed all"),
    (dict[str, Weather], "typed all"),
    (Forecast | None, "typed all"),
    (Forecast | Weather, "typed all"),
    (tuple[Forecast, ...], "typed all"),
    (tuple[Forecast, Forecast, Forecast], "typed all"),
    (Iterator[Forecast], "typed all"),
    (Generator[Forecast, None, None], "typed all"),
    (deque[Forecast], "typed all"),
    (str, "all"),
    (int, "all"),
    (float, "all"),
    (datetime, "all"),
    (UUID, "all"),
    (Decimal, "all"),
    (Path, "all"),
    (frozenset[str], "all"),
    (Unit, "all"),
    (list[str], "all"),
    (dict[str, Any], "all"),
    (dict, "all"),
    (Pair, "all"),
    (Array, "all"),
    (int | None, "all"),
    (tuple[int, str], "all"),
    (None, ""),
    (Any, ""),
    (object, ""),
    (inspect.Signature.empty, ""),
    (Stranger, ""),
    (list[Stranger], ""),
    (Mode, "all"),
    (Mixed, "all"),
    (bytes, ""),
    (list[bytes], ""),
    (Converted, ""),
    (list[Converted], ""),
    (tuple[str, Forecast], ""),
    (tuple[str, dict[str, Any]], ""),
    (tuple[str, Any], ""),
    (Image, ""),
    (list[Audio | str], ""),
    (File | None, ""),
    (ToolResult, ""),
    (types.CallToolResult, ""),
    (types.TextContent, ""),
    (list[types.ContentBlock], ""),
    (dict[str, types.Annotations], ""),
]


@pytest.mark.parametrize(("hint", "which"), HINTS, ids=lambda value: str(value)[-40:])
def test_a_policy_chooses_which_hints_are_a_promise(hint, which):
    """S003-22, S004-31, B-31"""
    made = [
        name for name in ("none", "model", "named", "typed", "all") if output_schema(hint, which=name) is not None
    ]
    assert made == which.split()


def test_the_official_packages_content_is_no_data():
    mcp_types = pytest.importorskip("mcp.types")
    assert output_schema(list[mcp_types.TextContent], which="all") is None
    assert output_schema(mcp_types.CallToolResult, which="all") is None


def test_what_may_be_null_stays_so_in_what_is_sent():
    found = output_schema(Forecast, which="named")
    assert found is not None
    assert found["properties"]["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_where_null_is_left_out_nothing_that_may_be_null_is_required():
    @dataclass
    class Partial:
        city: str
        note: str | None
        unit: Literal["c", None]
        tree: Tree
        anything: Any

    found = output_schema(Partial, which="named", drop_none=True)
    assert found is not None
    assert found["required"] == ["city"]
    assert output_schema(Partial, which="named")["required"] == ["city", "note", "unit", "tree", "anything"]  # type: ignore[index]


def test_bytes_inside_a_record_are_data():
    @dataclass
    class Blob:
        data: bytes

    assert output_schema(Blob, which="typed") is not None


def test_a_model_is_sent_by_its_aliases_with_what_it_computes():
    """B-30"""

    class Computed(BaseModel):
        seen_at: int = Field(serialization_alias="seenAt")
        amount: Decimal = Decimal(0)

        @pydantic.computed_field  # type: ignore[prop-decorator]
        @property
        def double(self) -> int:
            return self.seen_at * 2

    found = output_schema(Computed, which="model")
    assert found is not None
    assert list(found["properties"]) == ["seenAt", "amount", "double"]
    assert found["properties"]["amount"] == {"type": "string"}


def test_names_for_the_wire_are_the_names_in_the_schema():
    @dataclass
    class Holder:
        wired: list[Wired]

    body = {"type": "object", "properties": {"wireName": {"type": "integer"}}, "required": ["wireName"]}
    exactly(output_schema(Wired, which="named"), body)
    exactly(
        output_schema(dict[str, Holder], which="typed"),
        {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"wired": {"type": "array", "items": body}},
                "required": ["wired"],
            },
        },
    )


def test_a_field_with_a_name_for_the_wire_and_a_default_is_always_sent():
    @dataclass
    class Cluster:
        """A cluster."""

        name: str
        default_context: str = field(default="main", metadata={"json": "defaultContext"})

    texts = {"name": {"type": "string"}, "defaultContext": {"type": "string"}}
    body = {"type": "object", "description": "A cluster.", "properties": texts, "required": list(texts)}
    exactly(output_schema(Cluster, which="named"), body)


def test_fields_that_no_caller_gives_are_sent_and_listed():
    @dataclass
    class Square:
        side: int
        area: int = field(init=False)
        unit: str = field(init=False, default="m")

    @attrs.define
    class Circle:
        radius: int
        unit: str = attrs.field(init=False, default="m")

    square = {"side": {"type": "integer"}, "area": {"type": "integer"}, "unit": {"type": "string"}}
    exactly(
        output_schema(Square, which="named"),
        {"type": "object", "properties": square, "required": ["side", "unit"]},  # area may never be set
    )
    circle = {"radius": {"type": "integer"}, "unit": {"type": "string"}}
    exactly(output_schema(Circle, which="named"), {"type": "object", "properties": circle, "required": [*circle]})


def test_private_attributes_of_attrs_are_not_promised():
    found = output_schema(Attributes, which="named")
    exactly(found, {"type": "object", "properties": {"left": {"type": "integer"}}, "required": ["left"]})


def test_a_class_with_a_serializer_of_its_own_makes_no_promise():
    assert output_schema(list[Forecast], which="typed", opaque=[Forecast]) is None
    assert output_schema(list[Point], which="typed", opaque=[Forecast]) is not None


def test_a_description_goes_to_the_root():
    found = output_schema(list[int], which="all", description="The highs")
    exactly(found, {"type": "array", "description": "The highs", "items": {"type": "integer"}})


@dataclass
class Unresolved:
    other: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


def test_a_record_that_cannot_be_resolved_makes_no_promise_and_is_no_parameter():
    assert output_schema(Unresolved, which="all") is None
    with pytest.raises(AuthorError, match=r"parameter it: .*Nowhere"):
        input_schema([Parameter("it", Unresolved, True)])


def test_a_generic_record_is_made_of_what_it_was_given():
    @dataclass
    class Box(Generic[T]):
        inner: T

    found = output_schema(list[Box[int]], which="typed")
    assert found is not None
    assert found["items"]["properties"] == {"inner": {"type": "integer"}}


# Roots --------------------------------------------------------------------------------------------


def test_a_value_is_wrapped_with_its_definitions_at_the_new_root():
    exactly(
        wrap({"$schema": "x", "type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "null"}}}),
        {
            "$schema": "x",
            "type": "object",
            "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
            "required": ["result"],
            "$defs": {"A": {"type": "null"}},
        },
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#", "#/properties/result"),
        ("#/items", "#/properties/result/items"),
        ("#/$defs/A", "#/$defs/A"),
        ("#/definitions/A", "#/definitions/A"),
        ("#anchor", "#anchor"),
        ("https://example.com/x", "https://example.com/x"),
    ],
)
def test_references_still_lead_where_they_led(before, after):
    inner = {
        "type": "array",
        "items": {"anyOf": [{"$ref": before}, {"const": {"$ref": "#"}}]},
        "default": {"$ref": "#"},
    }
    found = wrap({**inner, "$defs": {"A": {"not": {"$ref": before}}}})
    result = found["properties"]["result"]
    assert result["items"]["anyOf"] == [{"$ref": after}, {"const": {"$ref": "#"}}]
    assert result["default"] == {"$ref": "#"}
    assert found["$defs"]["A"] == {"not": {"$ref": after}}


def test_a_schema_with_an_id_keeps_what_counts_from_it():
    inner = {"$id": "urn:x", "type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#"}}}
    assert wrap(inner) == {"type": "object", "properties": {"result": inner}, "required": ["result"]}


def test_a_wrapped_recursive_list_accepts_what_the_bare_one_accepts():
    inner = {"type": "array", "items": {"$ref": "#"}}
    judge = jsonschema_rs.validator_for(wrap(inner, "a/b"))
    assert judge.is_valid({"a/b": [[], [[]]]})
    assert not judge.is_valid({"a/b": [[1]]})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "object"}, True),
        ({"type": "array"}, False),
        ({"type": ["object", "null"]}, False),
        ({}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, False),
        ({"$ref": "#/$defs/B", "$defs": {}}, False),
        ({"$ref": "#"}, False),
        ({"allOf": [{"type": "object"}, {"required": ["a"]}]}, True),
        ({"anyOf": [{"type": "object"}, {"$ref": "#/$defs/A"}], "$defs": {"A": {"type": "object"}}}, True),
        ({"oneOf": [{"type": "object"}, {"type": "null"}]}, False),
        ({"anyOf": [True]}, False),
    ],
)
def test_whether_only_objects_are_admitted(given, expected):
    assert is_object(given) is expected


def test_an_object_says_so():
    exactly(as_object({"$ref": "#/$defs/A"}), {"type": "object", "$ref": "#/$defs/A"})
    already = {"properties": {}, "type": "object"}
    assert as_object(already) is already


def test_only_the_top_is_in_camel_case():
    found = to_camel(
        {
            "type": "object",
            "properties": {"default_context": {"properties": {"a_b": {}}}, "_private": {}, "x": {}, "a__b": {}},
            "required": ["default_context"],
        }
    )
    assert list(found["properties"]) == ["defaultContext", "_private", "x", "aB"]
    assert found["required"] == ["defaultContext"]
    assert found["properties"]["defaultContext"] == {"properties": {"a_b": {}}}


# By hand ------------------------------------------------------------------------------------------

MANUAL = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["success", "error"]},
        "data": {"type": "array", "items": {"type": "integer"}},
        "timestamp": {"type": "string", "format": "date-time"},
    },
    "required": ["status", "data"],
}


def test_a_schema_by_hand_is_listed_as_it_is():
    """S004-33"""
    exactly(check_handwritten(MANUAL, "it", output=True), MANUAL)
    odd = {
        "x-mine": [1],
        "title": "T",
        "type": "object",
        "properties": {"b": {"title": "B"}, "a": {}},
        "$comment": "!",
    }
    exactly(check_handwritten(odd, "it"), odd)
    assert check_handwritten(odd, "it") is not odd


@pytest.mark.parametrize("revision", REVISIONS)
def test_boolean_properties_become_objects_and_nothing_else_does(revision):
    """R24-TOOL-05, R2503-TOOL-05, R2506-TOOL-05, R2511-TOOL-05, R26-TOOL-05"""
    given = {
        "type": "object",
        "properties": {"any": True, "none": False, "deep": {"properties": {"x": True}}},
        "additionalProperties": False,
    }
    found = check_handwritten(given, "it")
    assert found["properties"] == {"any": {}, "none": {"not": {}}, "deep": {"properties": {"x": True}}}
    assert found["additionalProperties"] is False
    assert_valid(revision, "Tool", {"name": "it", "inputSchema": found})


def test_an_input_schema_has_an_object_at_its_root():
    """R2511-TOOL-05, R26-TOOL-05"""
    for given in ({}, {"type": "array"}, {"type": ["object"]}, {"properties": {}}):
        with pytest.raises(AuthorError, match='the input schema needs "type": "object" at its root'):
            check_handwritten(given, "the input schema")
    for given in (None, [], True, "object"):
        with pytest.raises(AuthorError, match="the input schema is to be a JSON object, not"):
            check_handwritten(given, "the input schema")
    assert check_handwritten({"type": "array"}, "the output schema", output=True) == {"type": "array"}


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "objct"},
        {"type": "object", "properties": []},
        {"type": "object", "required": "city"},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/Nowhere"}}},
        {"type": "object", "properties": {"a": {"minimum": "one"}}},
        {"type": "object", "default": {1, 2}, "properties": {"a": object()}},
    ],
)
def test_what_is_no_schema_is_refused(broken):
    """R2511-SCHEMA-03, R26-SCHEMA-03, B-11"""
    with pytest.raises(AuthorError, match="the output schema cannot stand: "):
        check_handwritten(broken, "the output schema", output=True)


@pytest.mark.parametrize(
    "reference", ["https://example.com/x.json", "http://127.0.0.1:9/x", "other.json", "file:///etc/passwd", "urn:x"]
)
def test_a_reference_out_of_the_schema_is_refused_and_never_fetched(reference):
    """R26-SCHEMA-04, R26-SCHEMA-05"""
    for place in ({"$ref": reference}, {"anyOf": [{"items": {"$ref": reference}}]}):
        with pytest.raises(AuthorError, match="leads out of it, and nothing is fetched"):
            check_handwritten({"type": "object", "properties": {"a": place}}, "it")


def test_an_unknown_dialect_is_refused_and_never_fetched():
    """R2511-SCHEMA-02, R26-SCHEMA-02, R26-SCHEMA-04"""
    with pytest.raises(AuthorError, match=r"it cannot stand: .*http://127\.0\.0\.1:9/dialect"):
        check_handwritten({"$schema": "http://127.0.0.1:9/dialect", "type": "object"}, "it")
    for known in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        assert check_handwritten({"$schema": known, "type": "object"}, "it")["$schema"] == known


def test_a_schema_by_hand_is_bounded_in_depth_and_size():
    """R26-SCHEMA-06"""
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(generate.MAX_DEPTH + 1):
        deep = {"type": "object", "properties": {"a": deep}}
    wide = {"type": "object", "properties": {str(n): {} for n in range(generate.MAX_PARTS + 1)}}
    around: dict[str, Any] = {"type": "object"}
    around["properties"] = {"a": around}
    for given in (deep, wide, around):
        with pytest.raises(AuthorError, match="it cannot stand: "):
            check_handwritten(given, "it")
