"""What clients are told of arguments and results: the schemas of hints and signatures, on every revision."""

import dataclasses
import json
from typing import Any, Generic, NamedTuple, NotRequired, Required, TypedDict, TypeVar

import attrs
import msgspec
import pytest
import typing_extensions
from pydantic import BaseModel

from plainmcp import Server
from plainmcp.revisions import REVISIONS
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
