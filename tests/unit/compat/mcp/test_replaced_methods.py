"""Servers of the SDK whose methods a program replaces: they answer clients. mcp-server-odoo does so (D1)."""

from typing import Any

import pytest

from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP
from plainmcp.compat.mcp.server.fastmcp.exceptions import ToolError
from plainmcp.compat.mcp.server.mcpserver import Context as Context2
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client, RpcError


def guarded(base: Any) -> Any:
    class Guarded(base):  # type: ignore[misc]
        is_open = False

        async def call_tool(self, name: str, arguments: dict[str, Any], *more: Any) -> Any:
            if not self.is_open:
                raise ToolError("closed")
            return await super().call_tool(name, arguments, *more)

        async def list_tools(self) -> Any:
            return [tool for tool in await super().list_tools() if tool.name != "hidden"]

        async def read_resource(self, uri: Any, *more: Any) -> Any:
            contents = await super().read_resource(uri, *more)
            contents[0].content += "!"
            return contents

        async def get_prompt(self, name: str, arguments: Any = None, *more: Any) -> Any:
            return await super().get_prompt(name, {"topic": arguments["topic"].upper()}, *more)

    return Guarded


@pytest.mark.parametrize(("base", "context"), [(FastMCP, Context), (MCPServer, Context2)])
def test_the_methods_of_a_subclass_answer_clients(base: Any, context: Any) -> None:
    """D1. What they call of the class runs as a part of the request: its context, its log, its session."""
    mcp = guarded(base)("shop")

    @mcp.tool()
    async def greet(name: str, ctx: context) -> str:  # type: ignore[valid-type]
        await ctx.info(f"greeting {name}")
        return f"Hello, {name}, {ctx.session.client_params.clientInfo.name}"

    @mcp.tool()
    async def hidden() -> str:
        return "hidden"

    @mcp.resource("memo://note")
    def note() -> str:
        return "milk"

    @mcp.prompt()
    def ask(topic: str) -> str:
        return topic

    client = Client(mcp, "2025-06-18")
    assert [tool["name"] for tool in client.list_tools()] == ["greet"]
    assert client.call("greet", name="Ada") == {"content": [{"type": "text", "text": "closed"}], "isError": True}
    mcp.is_open = True
    result = client.call("greet", name="Ada")
    assert result["content"] == [{"type": "text", "text": "Hello, Ada, plainmcp-testing"}]
    assert result["structuredContent"] == {"result": "Hello, Ada, plainmcp-testing"}
    assert [one["params"]["data"] for one in client.notifications] == ["greeting Ada"]
    assert client.call("gone")["isError"] is True
    assert client.read("memo://note")["contents"][0]["text"] == "milk!"
    assert client.get_prompt("ask", topic="tea")["messages"][0]["content"]["text"] == "TEA"
    with pytest.raises(RpcError):
        client.read("memo://gone")


def test_a_method_that_is_set_on_one_server_answers_its_clients() -> None:
    """D1. With mcp 2, where the handlers call the methods of the server."""
    mcp = MCPServer("shop")

    @mcp.tool()
    async def greet(name: str, ctx: Context2) -> str:
        return f"Hello, {name}, {ctx.protocol_version}"

    call_tool = mcp.call_tool

    async def counted(name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        seen.append(name)
        return await call_tool(name, arguments, context)

    seen: list[str] = []
    mcp.call_tool = counted  # type: ignore[method-assign]
    for revision in ("2025-03-26", "2025-11-25", "2026-07-28"):
        text = Client(mcp, revision).call("greet", name="Ada")["content"][0]["text"]
        assert text == f"Hello, Ada, {revision}"
    assert seen == ["greet"] * 3
    assert Client(mcp, "2025-11-25").call("greet")["isError"] is True
