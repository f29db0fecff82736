"""Tools of the official SDK as objects: what programs read of them, and what they change (D7)."""

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from plainmcp.compat.mcp.server.fastmcp import Context, FastMCP
from plainmcp.compat.mcp.server.fastmcp.exceptions import ToolError
from plainmcp.compat.mcp.server.fastmcp.tools import Tool
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.compat.mcp.server.mcpserver.tools import Tool as Tool2
from plainmcp.compat.mcp.types import ToolAnnotations
from plainmcp.testing import Client


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def ask(server: Any, method: str, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return msgspec.json.decode(server.handle(message))["result"]


def call(server: Any, name: str, **arguments: Any) -> Any:
    return ask(server, "tools/call", name=name, arguments=arguments)["content"][0]["text"]


PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "integer", "title": "A"}, "b": {"type": "integer", "default": 1, "title": "B"}},
    "required": ["a"],
    "title": "addArguments",
}
OUTPUT = {
    "type": "object",
    "properties": {"result": {"type": "integer", "title": "Result"}},
    "required": ["result"],
    "title": "addOutput",
}


@pytest.mark.parametrize(("kind", "server"), [(Tool, FastMCP), (Tool2, MCPServer)])
def test_the_tool_of_a_function_describes_itself_before_it_is_registered(kind: Any, server: Any) -> None:
    """D7. And is registered with what was changed meanwhile."""
    tool = kind.from_function(add, annotations=ToolAnnotations(readOnlyHint=True))
    assert (tool.name, tool.title, tool.description) == ("add", None, "Add two numbers.")
    assert (tool.parameters, tool.output_schema, tool.context_kwarg) == (PARAMETERS, OUTPUT, None)
    assert tool.annotations.readOnlyHint and tool.fn is add and not tool.is_async
    assert kind.from_function(add, name="plus", description="Plus.").description == "Plus."
    tool.description, tool.parameters["properties"]["a"]["description"] = "Sum.", "The first"
    mcp = server("shop", tools=[tool])
    [listed] = ask(mcp, "tools/list")["tools"]
    first = {"type": "integer", "title": "A", "description": "The first"}
    assert (listed["description"], listed["inputSchema"]["properties"]["a"]) == ("Sum.", first)
    assert listed["annotations"] == {"readOnlyHint": True}
    assert call(mcp, "add", a=2) == "3"


def test_what_is_changed_on_a_registered_tool_is_listed_and_called() -> None:
    """D7. Also after the list was asked for, and a tool is one object as long as it is registered."""
    mcp = FastMCP("shop")
    mcp.add_tool(add)
    [before] = ask(mcp, "tools/list")["tools"]
    tool = mcp._tool_manager.get_tool("add")
    assert tool is not None and tool is mcp._tool_manager._tools["add"] and isinstance(tool, Tool)
    tool.description += " And more."
    tool.title = "Sum"
    tool.annotations = ToolAnnotations(readOnlyHint=True)
    changed = {"description": "Add two numbers. And more.", "title": "Sum", "annotations": {"readOnlyHint": True}}
    assert ask(mcp, "tools/list")["tools"] == [{**before, **changed}]
    tool.parameters["properties"]["a"]["description"] = "The first"
    assert ask(mcp, "tools/list")["tools"][0]["inputSchema"]["properties"]["a"]["description"] == "The first"
    tool.output_schema["properties"]["result"]["description"] = "The sum"
    for revision in ("2025-06-18", "2026-07-28"):
        [listed] = Client(mcp, revision).list_tools()
        assert listed["outputSchema"]["properties"]["result"]["description"] == "The sum"
    tool.output_schema = None
    result = ask(mcp, "tools/call", name="add", arguments={"a": 1})
    assert result == {"content": [{"type": "text", "text": "2"}]}
    assert "outputSchema" not in ask(mcp, "tools/list")["tools"][0]
    tool.name = "plus"
    assert [one["name"] for one in ask(mcp, "tools/list")["tools"]] == ["plus"] and call(mcp, "plus", a=1) == "2"


def test_another_function_can_be_called_with_the_arguments_and_the_context() -> None:
    """D7. django-mcp-server registers a method, and then sets what calls it for the request."""
    mcp = FastMCP("shop")

    async def price(item: str, count: int = 1) -> dict[str, Any]:
        """The price of an item."""
        raise NotImplementedError

    def quote(**arguments: Any) -> Any:
        async def answer() -> dict[str, Any]:
            return {**arguments, "where": type(arguments["where"]).__name__}

        return answer()

    tool = mcp._tool_manager.add_tool(price)
    assert tool.context_kwarg is None
    tool.context_kwarg, tool.fn = "where", quote
    result = ask(mcp, "tools/call", name="price", arguments={"item": "tea"})
    assert result["structuredContent"] == {"item": "tea", "count": 1, "where": "Context"}
    assert "item: missing" in call(mcp, "price")

    @mcp.tool()
    def plain(ctx: Context, word: str) -> str:
        return word

    mcp._tool_manager._tools["plain"].fn = lambda ctx, word: f"{word} {ctx.request_id}"
    assert call(mcp, "plain", word="one") == "one 1"


def test_tools_can_be_taken_out_of_the_managers_dict_and_put_into_it() -> None:
    """D7. Programs do so to hide or to rename tools."""
    mcp, other = FastMCP("shop"), FastMCP("other")
    mcp.add_tool(add)
    tool = mcp._tool_manager._tools.pop("add")
    assert ask(mcp, "tools/list")["tools"] == [] and list(mcp._tool_manager._tools) == []
    other._tool_manager._tools["plus"] = tool
    assert [one["name"] for one in ask(other, "tools/list")["tools"]] == ["plus"]
    assert call(other, "plus", a=4) == "5" and other._tool_manager.get_tool("plus") is tool
    del other._tool_manager._tools["plus"]
    assert len(other._tool_manager._tools) == 0


def test_a_tool_can_be_run_by_the_program_itself() -> None:
    """D7. It raises ToolError, in the words of the SDK."""
    mcp = FastMCP("shop")
    mcp.add_tool(add)

    @mcp.tool()
    async def whoami(ctx: Context) -> str:
        return str(ctx)

    manager = mcp._tool_manager
    assert asyncio.run(manager.call_tool("add", {"a": 2})) == 3
    content, data = asyncio.run(manager.call_tool("add", {"a": 2}, convert_result=True))
    assert (content[0].text, data) == ("3", {"result": 3})
    context = SimpleNamespace()
    assert asyncio.run(manager._tools["whoami"].run({}, context=context)) == str(context)
    for name, text in (("add", "Error executing tool add: "), ("gone", "Unknown tool: gone")):
        with pytest.raises(ToolError, match=text):
            asyncio.run(manager.call_tool(name, {}))
