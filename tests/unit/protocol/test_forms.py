"""What types become as forms, exactly, and which answers fit them."""

import enum
import json
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
import pydantic
import pytest

from plainmcp.errors import AuthorError, ToolError
from plainmcp.protocol.forms import form_of, form_schema


class Unit(enum.Enum):
    FAHRENHEIT = "f"
    CELSIUS = "c"


@dataclass
class Forecast:
    city: str
    high: float
    note: str | None = None


class Pair(NamedTuple):
    left: int
    right: str = ""


class Tree(msgspec.Struct):
    value: int
    children: list["Tree"] = []


class Person(pydantic.BaseModel):
    friends: list["Person"] = []


def test_a_flat_record_is_a_form():
    @dataclass
    class Booking:
        name: Annotated[str, msgspec.Meta(description="Your name")]
        when: date
        unit: Unit
        seats: int = 2
        note: str | None = None
        extras: list[Literal["tea", "cake"]] = field(default_factory=list)
        ticket: UUID | None = None  # a format no form knows

    expected = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Your name"},
            "when": {"type": "string", "format": "date"},
            "unit": {"type": "string", "enum": ["f", "c"]},
            "seats": {"type": "integer", "default": 2},
            "note": {"type": "string"},
            "extras": {"type": "array", "items": {"type": "string", "enum": ["tea", "cake"]}},
            "ticket": {"type": "string"},
        },
        "required": ["name", "when", "unit"],
    }
    assert json.dumps(form_schema(Booking)) == json.dumps(expected)  # in this order, too


def test_the_choices_of_a_form_may_have_titles():
    choices = {"items": {"anyOf": [{"const": "t", "title": "Tea"}, {"const": "c", "title": "Cake"}]}}

    class Order(pydantic.BaseModel):
        extras: list[str] = pydantic.Field(json_schema_extra=choices)

    assert form_schema(Order)["properties"]["extras"] == {"type": "array", **choices}


@pytest.mark.parametrize("kind", [Tree, Person, Pair, int])
def test_what_is_not_flat_is_no_form(kind):
    with pytest.raises(AuthorError):
        form_schema(kind)


def test_a_field_that_fits_no_form_is_named():
    @dataclass
    class Trip:
        stops: list[Forecast]

    with pytest.raises(AuthorError, match=r"Trip.stops is neither a single value nor a choice"):
        form_schema(Trip)


def test_an_answer_becomes_a_value_of_its_type() -> None:
    schema, convert = form_of(Forecast)
    assert schema["required"] == ["city", "high"]
    assert convert({"city": "Rome", "high": 30.5}) == Forecast("Rome", 30.5)
    assert form_of(int)[1]({"value": 3}) == 3


@pytest.mark.parametrize("form", [Forecast, {"type": "object", "required": ["city"]}])
def test_an_answer_that_does_not_fit_is_refused(form: Any) -> None:
    """ELIC-03"""
    with pytest.raises(ToolError, match="does not fit the form"):
        form_of(form)[1]({"town": "Rome"})


def test_a_form_by_a_schema_keeps_the_answer_as_it_is() -> None:
    assert form_of({"type": "object"})[1]({"a": 1}) == {"a": 1}
