"""The Context in pydantic: in functions that `validate_call` checks, and in fields of models (D8)."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, validate_call

from plainmcp import Context, Server
from plainmcp.compat.fastmcp import Context as Context4
from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server.fastmcp import Context as Context1
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.server.mcpserver import Context as Context2
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client

KINDS = [(FastMCP, Context1), (MCPServer, Context2), (FastMCP4, Context4), (Server, Context)]


@pytest.mark.parametrize(("make", "context"), KINDS)
def test_a_context_goes_through_pydantic_as_it_is(make: Any, context: Any) -> None:
    """D8. Also `Context[…]`, and a plain validate_call around a tool."""
    server = make("shop")

    class Job(BaseModel):
        ctx: context
        other: context | None = None

    def checked(count: int, ctx: Any) -> str:
        job = Job(ctx=ctx)
        return f"{count} {job.ctx is ctx} {job.other} {TypeAdapter(context[Any]).validate_python(ctx) is ctx}"

    checked.__annotations__["ctx"] = context
    server.tool()(validate_call(checked))

    async def later(count: int, ctx: Any) -> str:
        return checked(count, ctx)

    later.__annotations__["ctx"] = context
    server.tool()(validate_call(config=ConfigDict(arbitrary_types_allowed=True))(later))
    client = Client(server, "2025-06-18")
    for name in ("checked", "later"):
        assert client.call(name, count=3)["content"][0]["text"] == "3 True None True"
    assert [list(tool["inputSchema"]["properties"]) for tool in client.list_tools()] == [["count"], ["count"]]
    with pytest.raises(ValidationError, match="instance of"):
        Job(ctx="text")
