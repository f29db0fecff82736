"""Generated titles in the schemas of tools: those that the real package lists; only $defs are resolved."""

import asyncio
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from mcp.server.mcpserver import MCPServer as RealServer
from pydantic import BaseModel, Field

from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client


class Color(enum.Enum):
    RED = "r"


class Inner(BaseModel):
    my_value: int = 3


class Outer(BaseModel):
    some_name: str
    inner: Inner
    color: Color
    maybe: Inner | None = None
    rows: list[Inner] = []


@dataclass
class Point:
    x_axis: float


def use(
    a_b: int,
    outer: Outer,
    point: Point,
    choice: Literal["x", "y"] = "x",
    other: int | None = None,
    counts: dict[str, int] = {},  # noqa: B006
    named: Annotated[str, Field(title="Own", description="d")] = "",
) -> Outer:
    raise NotImplementedError


def texts() -> list[str]:
    raise NotImplementedError


def counts() -> dict[str, int]:
    raise NotImplementedError


def _resolve(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema with its references replaced, in any order of keys."""
    if isinstance(schema, list):
        return [_resolve(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolve(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {key: _resolve(one, definitions) for key, one in schema.items() if key != "$defs"}


async def _listed_by_the_package(function: Any) -> Any:
    real = RealServer("x")
    real.tool()(function)
    return (await real.list_tools())[0]


@pytest.mark.parametrize("function", [use, texts, counts])
def test_titles_are_those_of_the_package(function: Any) -> None:
    mcp = MCPServer("x")
    mcp.tool()(function)
    ours = Client(mcp, "2025-11-25").list_tools()[0]
    theirs = asyncio.run(_listed_by_the_package(function))
    for mine, real in ((ours["inputSchema"], theirs.input_schema), (ours["outputSchema"], theirs.output_schema)):
        assert mine == _resolve(real, real.get("$defs", {}))
