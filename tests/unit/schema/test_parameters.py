"""Parameters of functions at the wire: `**others` with a type, and the keys of a TypedDict in Unpack."""

import enum
import typing
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NotRequired, Required, TypedDict, TypeVar, Unpack

import pytest
import typing_extensions
from pydantic import BaseModel, Field

from plainmcp import Context, Server
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import RpcError
from speaking import client

T = TypeVar("T")

every_revision = pytest.mark.parametrize("revision", list(REVISIONS))


class Unit(enum.Enum):
    CELSIUS = "c"


@dataclass
class Place:
    name: str


class Options(TypedDict, total=False):
    """Options of a forecast.

    Attributes:
        unit: Which unit
        days: not these words
    """

    unit: Required[Unit]
    days: Annotated[int | None, "How many"]
    place: Place


class Wider(Options):
    extra: NotRequired["list[int]"]


class Boxed(TypedDict, Generic[T]):
    item: T


class Modelled(BaseModel):
    size: int


def text_of(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


def tool_with(function: Any, **options: Any) -> Server:
    server = Server("s", "1", **options)
    server.tool(name="tool")(function)
    return server


@every_revision
@pytest.mark.parametrize(
    ("hint", "schema", "sent", "got"),
    [
        (int, {"type": "integer"}, {"a": "3"}, {"a": 3}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"a": None}, {"a": None}),
        (Unit, {"type": "string", "enum": ["c"]}, {"a": "c", "b": "c"}, {"a": Unit.CELSIUS, "b": Unit.CELSIUS}),
        (
            Place,
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            {"a": {"name": "Oslo"}},
            {"a": Place("Oslo")},
        ),
        (
            Modelled,
            {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]},
            {"a": {"size": "3"}},
            {"a": Modelled(size=3)},
        ),
        (
            Annotated[int, Field(ge=0), "How many"],
            {"type": "integer", "description": "How many", "minimum": 0},
            {"a": 1},
            {"a": 1},
        ),
        (Any, True, {"a": {}}, {"a": {}}),
        (object, {}, {"a": {}}, {"a": {}}),
    ],
)
def test_other_arguments_have_the_type_of_their_hint(revision, hint, schema, sent, got):
    """V46: `**others: int` listed and took anything."""
    seen: list[Any] = []

    def tool(city: str, **others) -> None:
        seen.append(others)

    tool.__annotations__["others"] = hint
    called = client(tool_with(tool), revision)
    [listed] = called.list_tools()
    assert listed["inputSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": schema,
    }
    assert "isError" not in called.call("tool", city="Oslo", **sent)
    assert seen == [got]


@every_revision
def test_other_arguments_that_do_not_fit_are_refused_with_their_names(revision):
    """V46"""

    def tool(city: str, ctx: Context, **others: int | Place) -> str: ...

    called = client(tool_with(tool), revision)
    assert text_of(called.call("tool", city=1, a="x", b={"nam": "Oslo"}, ctx=1)) == (
        "city: expected a string, got an integer\n"
        "a: expected an integer or an object with name, got a string\n"
        "b.name: missing; it takes a string; nam is not known, did you mean name?\n"
        "ctx: no such parameter; the parameters are city"
    )


@every_revision
def test_what_a_typed_dict_in_unpack_has_besides_its_keys_is_taken_too(revision):
    """V34, V46"""
    seen: list[Any] = []

    class Prices(typing_extensions.TypedDict, extra_items=int):
        city: str

    def tool(**others) -> None:
        seen.append(others)

    tool.__annotations__["others"] = Unpack[Prices]
    called = client(tool_with(tool), revision)
    [listed] = called.list_tools()
    assert listed["inputSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": {"type": "integer"},
    }
    assert "isError" not in called.call("tool", city="Oslo", tea=3)
    assert seen == [{"city": "Oslo", "tea": 3}]
    assert text_of(called.call("tool", city="Oslo", tea="much")) == "tea: expected an integer, got a string"


def test_the_docstring_describes_other_arguments():
    """V46"""

    def tool(**others: int) -> None:
        """Count.

        Args:
            **others: How many of each
        """

    [listed] = client(tool_with(tool), "2026-07-28").list_tools()
    assert listed["inputSchema"]["additionalProperties"] == {"type": "integer", "description": "How many of each"}


OPTIONS = {
    "unit": {"type": "string", "description": "Which unit", "enum": ["c"]},
    "days": {"description": "How many", "anyOf": [{"type": "integer"}, {"type": "null"}]},
    "place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
}


@every_revision
@pytest.mark.parametrize("unpack", [Unpack, typing_extensions.Unpack])
def test_the_keys_of_a_typed_dict_in_unpack_are_parameters(revision, unpack):
    """V46: they were not listed, and not checked."""
    seen: list[Any] = []

    def tool(city: str, **options) -> None:
        seen.append(options)

    tool.__annotations__["options"] = unpack[Options]
    called = client(tool_with(tool), revision)
    [listed] = called.list_tools()
    assert listed["inputSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}, **OPTIONS},
        "required": ["city", "unit"],
    }
    assert "isError" not in called.call("tool", city="Oslo", unit="c", days="3", place={"name": "Oslo"})
    assert "isError" not in called.call("tool", city="Oslo", unit="c", days=None)
    assert seen == [{"unit": Unit.CELSIUS, "days": 3, "place": Place("Oslo")}, {"unit": Unit.CELSIUS, "days": None}]
    assert text_of(called.call("tool", city="Oslo", unit="k", day=3)) == (
        'unit: expected "c"\nday: no such parameter; did you mean days?'
    )
    assert text_of(called.call("tool", city="Oslo")) == 'unit: missing; it takes "c"'


@pytest.mark.parametrize(
    ("hint", "names", "required"),
    [
        (Unpack[Wider], ["unit", "days", "place", "extra"], ["unit"]),
        ("Unpack[Wider]", ["unit", "days", "place", "extra"], ["unit"]),
        (Unpack[Boxed[int]], ["item"], ["item"]),
        (Unpack[TypedDict("Odd", {"in": int, "a-b": str})], ["in", "a-b"], ["in", "a-b"]),  # type: ignore[misc]
    ],
)
@pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "serializer", "lean", "kubernetes"])
def test_every_typed_dict_can_be_unpacked(hint, names, required, policy):
    """V46: inherited keys, generic ones, texts, and names that no parameter can have."""

    def tool(**options) -> str:
        return repr(options)

    tool.__annotations__["options"] = hint
    called = client(tool_with(tool, policy=policy), "2026-07-28")
    [listed] = called.list_tools()
    assert (list(listed["inputSchema"]["properties"]), listed["inputSchema"]["required"]) == (names, required)
    if "a-b" in names:
        assert text_of(called.call("tool", {"in": 1, "a-b": "x"})) == "{'in': 1, 'a-b': 'x'}"


@every_revision
def test_prompts_and_templates_have_the_arguments_of_their_hints_too(revision):
    """V46"""
    server = Server("s", "1")

    @server.prompt
    def ask(city: str, **options: Unpack[Options]) -> str:
        return repr(options)

    @server.prompt
    def count(**numbers: int) -> str:
        return repr(numbers)

    @server.resource("weather://{city}/{days}")
    def weather(city: str, **others: int) -> str:
        return repr((city, others))

    called = client(server, revision)
    first, second = called.list_prompts()
    assert [(one["name"], one["required"]) for one in first["arguments"]] == [
        ("city", True),
        ("unit", True),
        ("days", False),
        ("place", False),
    ]
    assert "arguments" not in second
    got = called.get_prompt("ask", city="Oslo", unit="c", days="3", place='{"name": "Oslo"}')
    assert got["messages"][0]["content"]["text"] == repr({"unit": Unit.CELSIUS, "days": 3, "place": Place("Oslo")})
    assert called.get_prompt("count", a="1")["messages"][0]["content"]["text"] == "{'a': 1}"
    with pytest.raises(RpcError, match="a: expected an integer, got a string"):
        called.get_prompt("count", a="x")
    assert called.read("weather://Oslo/3")["contents"][0]["text"] == "('Oslo', {'days': 3})"


def test_what_cannot_be_unpacked_is_refused_when_it_is_registered():
    """V46"""

    def whole(**options: Unpack[Place]) -> None: ...  # type: ignore[misc]

    def twice(unit: str, **options: Unpack[Options]) -> None: ...  # type: ignore[misc]

    def unclear(**options: [int]) -> None: ...  # type: ignore[valid-type]

    def strange(**options: Unpack[TypedDict("Strange", {"it": type})]) -> None: ...  # type: ignore[misc]

    for function, text in (
        (whole, "whole: **options: Unpack takes a TypedDict; for arguments of one type write **options: int"),
        (twice, "twice: unit is a parameter, and a key in **options as well; rename one of them"),
        (unclear, "unclear: the hint of options: [int] is not a type; write list[int]"),
        (strange, "strange: parameter it: type cannot be read from JSON; use a dataclass, a TypedDict or a model"),
    ):
        with pytest.raises(AuthorError) as raised:
            Server("s", "1").tool(function)
        assert str(raised.value) == text


def test_a_type_of_typing_is_read_as_its_class():
    def tool(**others: typing.Dict[str, int]) -> None: ...  # noqa: UP006

    [listed] = client(tool_with(tool), "2026-07-28").list_tools()
    assert listed["inputSchema"]["additionalProperties"] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
    }
