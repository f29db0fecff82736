"""What clients are told of arguments and results: the schemas of hints and signatures, on every revision."""

import collections
import dataclasses
import enum
import inspect
import json
import typing
from collections import abc
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, Required, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions
from pydantic import BaseModel, Field

from plainmcp import Context, Policy, Server
from plainmcp.revisions import REVISIONS
from plainmcp.schema.subschemas import walk
from speaking import client

T = TypeVar("T")

every_revision = pytest.mark.parametrize("revision", list(REVISIONS))


def tool_of(revision: str, function: Any, **options: Any) -> dict[str, Any]:
    """A function as the only tool of a server, as it is listed."""
    server = Server("s", "1", **options)
    server.tool(name="tool", output_schema=True)(function)
    [tool] = client(server, revision).list_tools()
    return tool


def argument(revision: str, hint: Any, **options: Any) -> dict[str, Any]:
    """The schema of a parameter with this hint; with a `default` it may be left out."""

    def tool(it): ...

    if "default" in options:
        tool.__defaults__ = (options.pop("default"),)
    tool.__annotations__ = {"it": hint}
    return tool_of(revision, tool, **options)["inputSchema"]["properties"]["it"]


def result(revision: str, hint: Any, **options: Any) -> dict[str, Any] | None:
    """The schema of a result with this hint; None where the revision has no schemas of results."""

    def tool(): ...

    tool.__annotations__ = {"return": hint}
    return tool_of(revision, tool, **options).get("outputSchema")


def text_of(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


# The order of fields ------------------------------------------------------------------------------


class Base(TypedDict):
    zeta: int
    alpha: NotRequired[str]


class Middle(Base, total=False):
    mid: Required[int]
    beta: str


class Other(TypedDict):
    charlie: int
    able: "int"


class Everything(Middle, Other):
    delta: int
    aa: int


class Box(TypedDict, Generic[T]):
    zed: T
    are: list[T]


class Extended(typing_extensions.TypedDict):
    zed: typing_extensions.ReadOnly[int]
    are: typing_extensions.NotRequired[int]


@dataclasses.dataclass
class First:
    zeta: int
    alpha: int


@dataclasses.dataclass
class Second(First):
    mid: Everything
    beta: int = 0


@attrs.define
class Third:
    zeta: int
    alpha: int


@attrs.define
class Fourth(Third):
    mid: int = 1
    beta: int = 0


class Fifth(msgspec.Struct):
    zeta: int
    alpha: int


class Sixth(Fifth):
    mid: int
    beta: int


class Seventh(BaseModel):
    zeta: int
    alpha: int


class Eighth(Seventh):
    mid: int
    beta: int


class Ninth(NamedTuple):
    zeta: Everything


EVERYTHING = ["zeta", "alpha", "mid", "beta", "charlie", "able", "delta", "aa"]


@every_revision
@pytest.mark.parametrize(
    ("hint", "names"),
    [
        (Base, ["zeta", "alpha"]),
        (Middle, ["zeta", "alpha", "mid", "beta"]),
        (Everything, EVERYTHING),
        (Box[int], ["zed", "are"]),
        (Extended, ["zed", "are"]),
        (Second, ["zeta", "alpha", "mid", "beta"]),
        (Fourth, ["zeta", "alpha", "mid", "beta"]),
        (Sixth, ["zeta", "alpha", "mid", "beta"]),
        (Eighth, ["zeta", "alpha", "mid", "beta"]),
    ],
)
def test_fields_are_listed_in_the_order_in_which_they_are_declared(revision, hint, names):
    """V40: of every family of records, inherited ones first, in arguments and in results."""
    assert list(argument(revision, hint)["properties"]) == names
    schema = result(revision, hint)
    assert schema is None or list(schema["properties"]) == names
    assert (schema is None) == (REVISIONS[revision].structured == "none")


@every_revision
@pytest.mark.parametrize(
    ("hint", "find"),
    [
        (list[Everything], lambda it: it["items"]),
        (Everything | None, lambda it: it["anyOf"][0]),
        (dict[str, Everything], lambda it: it["additionalProperties"]),
        (Second, lambda it: it["properties"]["mid"]),
        (Ninth, lambda it: it["prefixItems"][0]),
    ],
)
def test_fields_inside_other_types_have_their_declared_order_too(revision, hint, find):
    """V40"""
    for policy in ("standard", "openmcp", "fastmcp", "serializer", "lean"):
        inner = find(argument(revision, hint, policy=policy))
        assert list(inner["properties"]) == EVERYTHING
        assert inner["required"] == ["zeta", "mid", "charlie", "able", "delta", "aa"]


def test_a_typed_dict_whose_names_cannot_be_resolved_is_sent_in_its_order():
    """V40: also where only the names of the fields are known."""

    class Unclear(TypedDict):
        zeta: "Missing"  # type: ignore[name-defined]  # noqa: F821
        alpha: int

    server = Server("s", "1")

    @server.tool
    def tool() -> list[Unclear]:
        return [{"zeta": 1, "alpha": 2, "more": 3}]  # type: ignore[typeddict-unknown-key]

    called = client(server, "2026-07-28").call("tool")
    assert json.loads(called["content"][0]["text"]) == {"zeta": 1, "alpha": 2}


# Null ---------------------------------------------------------------------------------------------

INTEGER_OR_NULL = {"anyOf": [{"type": "integer"}, {"type": "null"}]}


@every_revision
@pytest.mark.parametrize(
    ("hint", "default", "schema"),
    [
        (int | None, 10, {**INTEGER_OR_NULL, "default": 10}),
        (int | None, None, {"type": "integer"}),
        (int, None, {"type": "integer"}),
        (None | int | str, 3, {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}], "default": 3}),
        (Literal["a", "b", None], "a", {"enum": ["a", "b", None], "default": "a"}),
        (Literal["a", "b", None], None, {"type": "string", "enum": ["a", "b"]}),
        (Annotated[int | None, "How many"], 3, {"description": "How many", **INTEGER_OR_NULL, "default": 3}),
        (int | None, Field(default_factory=lambda: 3), INTEGER_OR_NULL),
        (int | None, Field(4), {**INTEGER_OR_NULL, "default": 4}),
        (int | None, Field(None), {"type": "integer"}),
    ],
)  # fmt: skip
def test_null_is_listed_unless_it_is_the_default(revision, hint, default, schema):
    """V41: `limit: int | None = 10`: a model could not ask for no limit."""
    assert argument(revision, hint, default=default) == schema


@dataclasses.dataclass
class LimitedRecord:
    most: int | None = 10
    least: int | None = None
    tags: list[str] | None = dataclasses.field(default_factory=list)


class LimitedStruct(msgspec.Struct):
    most: int | None = 10
    least: int | None = None
    tags: list[str] | None = []


@attrs.define
class LimitedAttrs:
    most: int | None = 10
    least: int | None = None
    tags: list[str] | None = attrs.field(factory=list)


class LimitedModel(BaseModel):
    most: int | None = 10
    least: int | None = None
    tags: list[str] | None = Field(default_factory=list)


LIMITED = pytest.mark.parametrize("kind", [LimitedRecord, LimitedStruct, LimitedAttrs, LimitedModel])


@every_revision
@LIMITED
def test_null_is_listed_in_fields_too_unless_it_is_the_default(revision, kind):
    """V41: in records of every family, inside other types too."""
    schema = argument(revision, list[kind])["items"]
    tags = schema["properties"].pop("tags")
    assert schema["properties"] == {"most": {**INTEGER_OR_NULL, "default": 10}, "least": {"type": "integer"}}
    assert tags["anyOf"] == [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]


@every_revision
@LIMITED
@pytest.mark.parametrize("lenient", [True, False])
def test_a_null_that_is_listed_reaches_the_function(revision, kind, lenient):
    """V41"""
    server, got, default = Server("s", "1", lenient_arguments=lenient), [], kind()

    @server.tool
    def find(limit: int | None = 10, record: kind | None = default) -> None:
        got.append((limit, record))

    called = client(server, revision)
    assert "isError" not in called.call("find", limit=None, record={"most": None, "least": None, "tags": None})
    assert "isError" not in called.call("find", record=None)
    assert got == [(None, kind(most=None, tags=None)), (10, None)]


def test_a_form_lists_no_null_for_what_may_be_left_out():
    """V41: forms have single values only; a field that is left empty is not sent."""
    asked = []

    def answer(params):
        asked.append(params["requestedSchema"]["properties"])
        return {"action": "accept", "content": {}}

    server = Server("s", "1")

    @server.tool
    def ask(ctx: Context) -> str:
        answered = ctx.elicit("How many?", LimitedForm)
        return repr(answered.data)

    called = client(server, "2025-11-25", answers={"elicitation/create": answer}).call("ask")
    assert asked == [{"most": {"type": "integer", "default": 10}, "least": {"type": "integer"}}]
    assert called["content"][0]["text"] == "LimitedForm(most=10, least=None)"


@dataclasses.dataclass
class LimitedForm:
    most: int | None = 10
    least: int | None = None


def test_a_schema_that_looks_like_pydantics_lists_every_null_as_before():
    """V41: the facades list what the packages list."""
    from plainmcp.compat.fastmcp import FastMCP

    server = FastMCP("s")

    @server.tool
    def find(limit: int | None = 10, least: int | None = None) -> None: ...

    [tool] = client(server, "2026-07-28").list_tools()
    assert tool["inputSchema"]["properties"] == {
        "limit": {**INTEGER_OR_NULL, "default": 10},
        "least": {**INTEGER_OR_NULL, "default": None},
    }


# Arrays -------------------------------------------------------------------------------------------


class Place(NamedTuple):
    name: str
    position: tuple[float, float] = (0.0, 0.0)


class Positional(msgspec.Struct, array_like=True):
    name: str
    rest: list


class Shaped(BaseModel):
    size: tuple[int, int] = (0, 0)
    pair: tuple[str, int]
    everything: list
    place: Place


ANY_ARRAY = {"type": "array", "items": {}}


@every_revision
@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (list, ANY_ARRAY),
        (list[Any], ANY_ARRAY),
        (typing.List, ANY_ARRAY),  # noqa: UP006
        (list[object], ANY_ARRAY),
        (list[T], ANY_ARRAY),
        (tuple, ANY_ARRAY),
        (tuple[Any, ...], ANY_ARRAY),
        (collections.deque, ANY_ARRAY),
        (abc.Sequence, ANY_ARRAY),
        (abc.Iterable[Any], ANY_ARRAY),
        (abc.Collection, ANY_ARRAY),
        (list[list], {"type": "array", "items": ANY_ARRAY}),
        (list | None, {"anyOf": [ANY_ARRAY, {"type": "null"}]}),
        (dict[str, list], {"type": "object", "additionalProperties": ANY_ARRAY}),
        (Annotated[list, msgspec.Meta(min_length=1)], {**ANY_ARRAY, "minItems": 1}),
        (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0, "items": {}}),
        (
            tuple[int, int],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "integer"}],
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "integer"},
            },
        ),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
                "items": {},
            },
        ),
    ],
)
def test_an_array_lists_its_items_also_where_they_may_be_anything(revision, hint, schema):
    """V42: VS Code refuses a tool for an array without an object under `items`, and Gemini a whole session."""
    assert argument(revision, hint) == schema


@every_revision
@pytest.mark.parametrize("policy", list(Policy.profiles))
@pytest.mark.parametrize(
    "hint", [Place, Positional, Shaped, set, frozenset[Place], abc.Mapping[str, Shaped], list[Place]]
)
def test_no_array_is_listed_without_the_schema_of_its_items(revision, policy, hint):
    """V42: inside named tuples, Structs and models of pydantic too, in arguments and in results."""
    for schema in (argument(revision, hint, policy=policy), result(revision, hint, policy=policy) or {}):
        arrays = [one for one, _ in walk(schema) if one.get("type") == "array"]
        assert all(isinstance(one.get("items"), dict) for one in arrays), schema
    assert [one for one, _ in walk(argument(revision, hint)) if one.get("type") == "array"]


def test_the_facades_list_the_items_of_arrays_too():
    """V42"""
    from plainmcp.compat.fastmcp import FastMCP

    server = FastMCP("s")

    @server.tool
    def find(it: list, pair: tuple[int, str], shaped: Shaped) -> None: ...

    [tool] = client(server, "2026-07-28").list_tools()
    arrays = [one for one, _ in walk(tool["inputSchema"]) if one.get("type") == "array"]
    assert len(arrays) > 5
    assert all(isinstance(one.get("items"), dict) for one in arrays), tool


@every_revision
def test_an_array_of_a_fixed_length_takes_this_many_items(revision):
    """V42: what is listed for the items does not make it longer."""
    server = Server("s", "1")

    @server.tool
    def take(pair: tuple[int, int], place: Place) -> str:
        return repr((pair, place))

    called = client(server, revision)
    assert text_of(called.call("take", pair=[1, 2], place=["Oslo", [1, 2]])) == (
        "((1, 2), Place(name='Oslo', position=(1.0, 2.0)))"
    )
    assert text_of(called.call("take", pair=[1, 2, 3], place=["Oslo", [1, 2], 3])) == (
        "pair: expected an array of 2 integers, got 3\nplace: expected an array of 1 to 2 items, got 3"
    )


# Docstrings of records ----------------------------------------------------------------------------


@dataclasses.dataclass
class DescribedRecord:
    """A city.

        An indented line.

    Attributes:
        name: Its name,
            as its people write it
        size: How large

    It may be old.
    """

    name: str
    size: Annotated[int, msgspec.Meta(description="Own words")] = 0


class DescribedStruct(msgspec.Struct):
    """A city.

        An indented line.

    Attributes:
        name: Its name,
            as its people write it
        size: How large

    It may be old.
    """

    name: str
    size: Annotated[int, msgspec.Meta(description="Own words")] = 0


@attrs.define
class DescribedAttrs:
    """A city.

        An indented line.

    Attributes
    ----------
    name : str
        Its name,
        as its people write it
    size : int
        How large

    It may be old.
    """

    name: str
    size: Annotated[int, msgspec.Meta(description="Own words")] = 0


class DescribedDict(TypedDict):
    """A city.

        An indented line.

    :ivar name: Its name,
        as its people write it
    :var size: How large

    It may be old.
    """

    name: str
    size: NotRequired[Annotated[int, msgspec.Meta(description="Own words")]]


class DescribedModel(BaseModel):
    """A city.

        An indented line.

    Attributes:
        name: Its name,
            as its people write it
        size: How large

    It may be old.
    """

    name: str
    size: Annotated[int, Field(description="Own words")] = 0


@pydantic.dataclasses.dataclass
class DescribedDataclass:
    """A city.

        An indented line.

    Attributes:
        name: Its name,
            as its people write it
        size: How large

    It may be old.
    """

    name: str = Field(validation_alias="name")
    size: Annotated[int, Field(description="Own words")] = 0


@dataclasses.dataclass
class Heir(DescribedRecord):
    """An heir.

    Attributes:
        size: How small
    """

    size: int = 0


RECORDS = [DescribedRecord, DescribedStruct, DescribedAttrs, DescribedDict, DescribedModel, DescribedDataclass]
NAME = {"type": "string", "description": "Its name, as its people write it"}
SIZE = {"type": "integer", "description": "Own words"}
CITY = {
    "type": "object",
    "description": "A city.\n\n    An indented line.\n\nIt may be old.",
    "properties": {"name": NAME, "size": {**SIZE, "default": 0}},
    "required": ["name"],
}


@every_revision
@pytest.mark.parametrize("kind", RECORDS)
def test_the_docstring_of_a_record_describes_its_fields(revision, kind):
    """V43: `Attributes:` stayed in the description of the record, with the indentation of the source below 3.13."""
    properties = CITY["properties"] if kind is not DescribedDict else {"name": NAME, "size": SIZE}
    assert argument(revision, kind) == CITY | {"properties": properties}
    assert argument(revision, list[kind])["items"] == CITY | {"properties": properties}
    schema = result(revision, kind)
    always = ["name"] if kind is DescribedDict else ["name", "size"]
    assert schema in (None, CITY | {"properties": {"name": NAME, "size": SIZE}, "required": always})


@every_revision
def test_fields_inherit_their_descriptions(revision):
    """V43"""
    assert argument(revision, Heir) == {
        "type": "object",
        "description": "An heir.",
        "properties": {"name": NAME, "size": {"type": "integer", "description": "How small", "default": 0}},
        "required": ["name"],
    }


class Dented(enum.Enum):
    """One of two.

    With more words.
    """

    ONE = 1


class Undivided(NamedTuple):
    """Two numbers.

    Attributes:
        x: The first
    """

    x: int
    y: int


@every_revision
def test_the_docstring_of_a_class_has_no_indentation_of_the_source(revision):
    """V43: on every version of Python."""
    assert argument(revision, Dented)["description"] == "One of two.\n\nWith more words."
    assert argument(revision, Undivided) == {
        "type": "array",
        "description": "Two numbers.",
        "prefixItems": [{"type": "integer", "description": "The first"}, {"type": "integer"}],
        "minItems": 2,
        "maxItems": 2,
        "items": {},
    }


@pytest.mark.parametrize("kind", RECORDS)
def test_the_facades_list_the_docstring_of_a_record_whole(kind):
    """V43: as pydantic lists it for the packages."""
    from plainmcp.compat.fastmcp import FastMCP

    server = FastMCP("s")

    def tool(it) -> None: ...

    tool.__annotations__ = {"it": kind, "return": None}
    server.tool(tool)
    [listed] = client(server, "2026-07-28").list_tools()
    schema = listed["inputSchema"]["properties"]["it"]
    assert schema["description"] == inspect.cleandoc(kind.__doc__)
    assert "description" not in schema["properties"]["name"]
    assert schema["properties"]["size"]["description"] == "Own words"
