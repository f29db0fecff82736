"""Hints that are not types: an AuthorError when a tool, a prompt or a template is registered, with what to write."""

import collections.abc as abc
import dataclasses
import datetime
import json
import typing
from typing import Annotated, Any, Literal, Optional, TypedDict

import attrs
import msgspec
import pytest

from plainmcp import Policy, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from speaking import client


def refusal(hint: Any, *, default: Any = ..., policy: str = "standard", kind: str = "tool") -> str:
    """The error for a function with a parameter of this hint."""

    def forecast(city): ...

    if default is not ...:
        forecast.__defaults__ = (default,)
    forecast.__annotations__ = {"city": hint}
    server = Server("s", "1", policy=policy)
    register = {"tool": server.tool, "prompt": server.prompt, "template": server.resource("weather://{city}")}[kind]
    with pytest.raises(AuthorError) as raised:
        register(forecast)
    return str(raised.value)


def outer(): ...


MISTAKES = [
    ([int], "[int] is not a type; write list[int]"),
    ([int, str], "[int, str] is not a type; write list[int | str]"),
    ([], "[] is not a type; write list"),
    ([[int]], "[[int]] is not a type; write list[list[int]]"),
    ({"a": int, "b": str}, "{'a': int, 'b': str} is not a type; write a TypedDict or a dataclass with these fields"),
    ({str: int}, "{str: int} is not a type; write dict[str, int]"),
    ({}, "{} is not a type; write dict"),
    ((int, str), "(int, str) is not a type; write tuple[int, str], or int | str for one of them"),
    ({int}, "{int} is not a type; write set[int]"),
    (5, "5 is not a type; write Literal[5], or int with the default 5"),
    (2.5, "2.5 is not a type; write float with the default 2.5"),
    (True, "True is not a type; write Literal[True], or bool with the default True"),
    (any, "any is not a type; write Any, and import it from typing"),
    (datetime, "datetime is not a type; it is a module; write datetime.datetime"),
    (json, "json is not a type; it is a module; write a class that is in it"),
    (outer, "outer is not a type; it is a function; write a class"),
    (object(), "an object of object is not a type; write its class, object"),
    (list[5], "5 is not a type; write Literal[5], or int with the default 5"),
    (dict[str, [int]], "[int] is not a type; write list[int]"),
    (typing.List[list[5]], "5 is not a type; write Literal[5], or int with the default 5"),  # noqa: UP006
    (tuple[int, (str,)], "(str) is not a type; write tuple[str], or str for one of them"),
    ("5", "5 is not a type; write Literal[5], or int with the default 5"),
    ("[int]", "[int] is not a type; write list[int]"),
    ("int or None", "int or None is not a type; write int | None"),
    ("list[int or None]", "int or None is not a type; write int | None"),
    (list["int or str or None"], "int or str or None is not a type; write int | str | None"),
    ("Optional[int or Annotated[str, 'a or b']]", "int or Annotated[str, 'a or b'] is not a type; write"),
    ("a city", "'a city' is not a type; write one, and words about it in Annotated[str, 'a city']"),
]


@pytest.mark.parametrize("kind", ["tool", "prompt", "template"])
@pytest.mark.parametrize(("hint", "text"), MISTAKES)
def test_what_is_not_a_type_is_refused_with_what_to_write_instead(hint, text, kind):
    """V37: `x: [int]` was a raw TypeError without the tool or the parameter."""
    assert refusal(hint, kind=kind).startswith(f"forecast: the hint of city: {text}")


@pytest.mark.parametrize("policy", list(Policy.profiles))
@pytest.mark.parametrize("default", [None, 3, msgspec.UNSET])
@pytest.mark.parametrize("hint", [[int], 5, {"a": int}, "int or None"])
def test_what_is_not_a_type_is_refused_with_every_default_and_policy(hint, default, policy):
    """V37"""
    assert "is not a type; write" in refusal(hint, default=default, policy=policy)


def test_a_name_that_is_not_known_is_refused_with_its_parameter():
    """V37"""
    assert refusal("Nowhere").startswith("forecast: the hint of city, 'Nowhere', cannot be resolved")
    assert "forecast: the hint of city" in refusal(list["Nowhere"])  # noqa: F821


@dataclasses.dataclass
class Place:
    position: [float]


class Dictionary(TypedDict):
    position: "float or None"


@attrs.define
class Thing:
    position: 5


@dataclasses.dataclass
class Nested:
    things: list[Place]


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (Place, "Place.position: [float] is not a type; write list[float]"),
        (Place | None, "Place.position: [float] is not a type; write list[float]"),
        (Nested, "Nested.things: Place.position: [float] is not a type; write list[float]"),
        (list[Dictionary], "Dictionary.position: float or None is not a type; write float | None"),
        (Thing, "Thing.position: 5 is not a type; write Literal[5], or int with the default 5"),
        (Annotated[Place, "Where"], "Place.position: [float] is not a type; write list[float]"),
    ],
)
@pytest.mark.parametrize("kind", ["tool", "prompt", "template"])
def test_a_field_that_is_not_a_type_is_named_with_its_class(hint, text, kind):
    """V37: also inside other types."""
    assert refusal(hint, kind=kind) == f"forecast: parameter city: {text}"


@pytest.mark.parametrize("revision", list(REVISIONS))
@pytest.mark.parametrize("hint", [[int], 5, {"a": int}, list[5], Place, list[Thing]])
def test_a_return_hint_that_is_not_a_type_declares_nothing(hint, revision):
    """V37: nor is it a raw error."""
    server = Server("s", "1")

    def forecast():
        return 3

    forecast.__annotations__ = {"return": hint}
    server.tool(forecast)
    called = client(server, revision)
    [tool] = called.list_tools()
    assert "outputSchema" not in tool
    assert called.call("forecast")["content"] == [{"type": "text", "text": "3"}]


def test_what_only_looks_unusual_is_a_type():
    """V37: forms of typing, texts in metadata and in a Literal."""
    T = typing.TypeVar("T")
    server = Server("s", "1")

    @server.tool
    def forecast(
        a: None,
        b: "Literal['this or that', 'a b']",
        c: "Annotated[int | None, 'one or two', [int]]",
        d: Optional["int"],
        e: T,
        f: typing.List,  # noqa: UP006
        g: abc.Sequence["int | None"],
        h: typing.NewType("Id", int),
    ) -> None: ...

    [tool] = client(server, "2026-07-28").list_tools()
    assert list(tool["inputSchema"]["properties"]) == list("abcdefgh")
