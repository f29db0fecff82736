"""Ordinary classes as results, as both SDKs document them: the annotated attributes are listed and sent (D11)."""

from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import pytest

from plainmcp.compat.mcp.server.fastmcp import FastMCP, Image
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.compat.mcp.types import TextContent
from plainmcp.testing import Client

KINDS = pytest.mark.parametrize("kind", [FastMCP, MCPServer])


class Profile:
    """A profile."""

    kinds: ClassVar[int] = 2
    _secret: str = "s"
    name: str
    age: int
    email: str | None = None
    tags: list[str] = []  # noqa: RUF012 - as authors write it

    def __init__(self, name: str, age: Any, *tags: str) -> None:
        self.name, self.age, self.tags = name, age, list(tags)
        self.unknown = "not annotated"


class Detailed(Profile):
    __slots__ = ("level",)
    level: int

    @property
    def double(self) -> int:
        return self.level * 2


class Empty:
    name: str


class Plain:
    def __str__(self) -> str:
        return "plain"


def server(kind: Any) -> Any:
    mcp = kind("people")

    @mcp.tool()
    def profile() -> Profile:
        return Profile("Ada", 36, "x")

    @mcp.tool()
    async def later() -> Profile:
        return Profile("Ada", 36)

    @mcp.tool()
    def as_dict() -> Profile:
        return {"name": "Ada", "age": 36}  # type: ignore[return-value]

    @mcp.tool()
    def detailed() -> Detailed:
        made = Detailed("Ada", 36)
        made.level = 3
        return made

    @mcp.tool()
    def wrong() -> Profile:
        return Profile("Ada", "old")

    @mcp.tool()
    def empty() -> Empty:
        return Empty()

    return mcp


# Written by a run of mcp 1.30 and 2.3, which list the default of `tags`, too.
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "age": {"type": "integer", "title": "Age"},
        "email": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Email"},
        "tags": {"type": "array", "items": {"type": "string"}, "title": "Tags"},
    },
    "required": ["name", "age"],
    "title": "Profile",
}
ADA = {"name": "Ada", "age": 36, "email": None, "tags": []}


@KINDS
def test_the_annotated_attributes_of_a_class_are_the_output_schema(kind: Any) -> None:
    """D11. Inherited ones too; not private ones, class variables, and those without a hint."""
    schemas = {tool["name"]: tool.get("outputSchema") for tool in Client(server(kind), "2025-06-18").list_tools()}
    assert schemas["profile"] == schemas["later"] == SCHEMA
    level = {"type": "integer", "title": "Level"}
    assert schemas["detailed"]["properties"] == {**SCHEMA["properties"], "level": level}  # type: ignore[dict-item]
    assert schemas["detailed"]["required"] == ["name", "age", "level"]


@KINDS
@pytest.mark.parametrize(
    ("tool", "data"),
    [
        ("profile", {**ADA, "tags": ["x"]}),
        ("later", ADA),
        ("as_dict", ADA),
        ("detailed", {**ADA, "level": 3}),
    ],
)
def test_the_attributes_are_sent_as_data(kind: Any, tool: str, data: dict[str, Any]) -> None:
    """D11."""
    assert Client(server(kind), "2025-06-18").call(tool)["structuredContent"] == data


@KINDS
@pytest.mark.parametrize("tool", ["wrong", "empty"])
def test_an_object_that_does_not_fit_its_class_is_an_error(kind: Any, tool: str) -> None:
    """D11."""
    result = Client(server(kind), "2025-06-18").call(tool)
    assert result["isError"] and "structuredContent" not in result


class Color(Enum):
    RED = "red"


class Opaque:
    handle: Plain


@KINDS
@pytest.mark.parametrize("hint", [Plain, Opaque, Path, Color, Image, TextContent, Exception, dict[str, Any]])
def test_other_classes_are_what_they_were(kind: Any, hint: Any) -> None:
    """D11. A class without hints, with a hint that has no JSON form, or whose values have a form of their own."""
    mcp = kind("other")

    def give() -> Any:
        raise NotImplementedError

    give.__annotations__["return"] = hint
    mcp.add_tool(give)
    [tool] = Client(mcp, "2025-06-18").list_tools()
    assert tool.get("outputSchema", {}).get("title") not in ("Plain", "Opaque", "Image", "TextContent")
