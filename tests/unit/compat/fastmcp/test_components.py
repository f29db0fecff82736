"""Tools, prompts and resources of FastMCP as objects: what programs read of them, and what they change (D7)."""

import asyncio
from typing import Any

import msgspec
import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.prompts import FunctionPrompt, Prompt
from plainmcp.compat.fastmcp.resources import FunctionResource, Resource, ResourceTemplate, TextResource
from plainmcp.compat.fastmcp.tools import FunctionTool, Tool
from plainmcp.errors import AuthorError


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
    "required": ["a"],
    "additionalProperties": False,
}


def shop() -> FastMCP:
    mcp = FastMCP("shop")
    mcp.tool(add, annotations={"readOnlyHint": True}, meta={"own": 1})

    @mcp.prompt
    def ask(topic: str = "tea") -> str:
        """Ask."""
        return topic

    @mcp.resource("memo://note")
    def note() -> str:
        """A note."""
        return "milk"

    @mcp.resource("memo://{name}")
    def any_note(name: str) -> str:
        """Any note."""
        return name

    return mcp


async def all_of(mcp: FastMCP) -> list[Any]:
    lists = (mcp.list_tools(), mcp.list_prompts(), mcp.list_resources(), mcp.list_resource_templates())
    return [one for each in lists for one in await each]


def wire(mcp: FastMCP, method: str, key: str) -> Any:
    """A list, as a client is sent it."""
    raw = mcp.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}, revision="2025-11-25")
    return msgspec.json.decode(raw or b"")["result"][key]


def test_the_objects_of_functions_describe_themselves_before_they_are_registered() -> None:
    """D7. Their schemas are there, and what is changed is registered."""
    tool = Tool.from_function(add)
    assert isinstance(tool, FunctionTool) and tool.fn is add
    assert (tool.name, tool.title, tool.description, tool.parameters) == (
        "add",
        None,
        "Add two numbers.",
        PARAMETERS,
    )
    assert tool.output_schema["properties"] == {"result": {"type": "integer"}}
    assert asyncio.run(tool.run({"a": 2})).structured_content == {"result": 3}
    prompt = Prompt.from_function(lambda topic, tone="kind": topic, name="ask")
    assert isinstance(prompt, FunctionPrompt)
    assert [(one.name, one.required) for one in prompt.arguments] == [("topic", True), ("tone", False)]
    assert isinstance(Resource.from_function(lambda: "x", "memo://x", name="x"), FunctionResource)
    with pytest.raises(AttributeError):
        _ = Tool().no_such_attribute

    tool.description, tool.parameters["properties"]["a"]["description"] = "Sum.", "The first"
    mcp = FastMCP("shop", tools=[tool])
    [listed] = wire(mcp, "tools/list", "tools")
    first = {"type": "integer", "description": "The first"}
    assert (listed["description"], listed["inputSchema"]["properties"]["a"]) == ("Sum.", first)
    tool.title = "Sum"  # it stands for the tool of the server now
    assert wire(mcp, "tools/list", "tools")[0]["title"] == "Sum"


def test_what_is_changed_on_a_registered_object_is_listed() -> None:
    """D7. An object is the same one as long as the feature is registered, as in FastMCP 4."""
    mcp = shop()

    async def change() -> None:
        tool = await mcp.get_tool("add")
        assert tool is await mcp.get_tool("add") and isinstance(tool, FunctionTool)
        assert (tool.title, tool.meta, tool.tags, tool.fn(1)) == (None, {"own": 1}, set(), 2)
        assert tool.annotations.readOnlyHint is True
        for one in await all_of(mcp):
            one.description = f"new: {one.description}"
        tool.parameters["properties"]["a"]["description"] = "The first"
        assert (await mcp.get_tool("add")).parameters is tool.parameters
        tool.tags, tool.output_schema = {"b", "a"}, None
        tool.meta = {"own": 2}
        assert (await mcp.call_tool("add", {"a": 1})).structured_content is None
        (await mcp.get_prompt("ask")).title = "Ask away"

    asyncio.run(change())
    [tool] = wire(mcp, "tools/list", "tools")
    assert tool == {
        "name": "add",
        "title": "Add",
        "description": "new: Add two numbers.",
        "inputSchema": {
            **PARAMETERS,
            "properties": {
                **PARAMETERS["properties"],  # type: ignore[dict-item]
                "a": {"type": "integer", "description": "The first"},
            },
        },
        "annotations": {"readOnlyHint": True},
        "_meta": {"own": 2, "fastmcp": {"tags": ["a", "b"]}},
    }
    [prompt] = wire(mcp, "prompts/list", "prompts")
    assert (prompt["title"], prompt["description"]) == ("Ask away", "new: Ask.")
    assert wire(mcp, "resources/list", "resources")[0]["description"] == "new: A note."
    assert wire(mcp, "resources/templates/list", "resourceTemplates")[0]["description"] == "new: Any note."


def test_an_object_gives_the_definition_that_clients_are_sent() -> None:
    """D7. As an object of mcp.types, which programs read and dump; with what was changed, tags included."""
    mcp = shop()

    async def change() -> list[Any]:
        tool, prompt = await mcp.get_tool("add"), await mcp.get_prompt("ask")
        (resource,), (template,) = await mcp.list_resources(), await mcp.list_resource_templates()
        tool.tags, tool.meta, prompt.description = {"b", "a"}, None, "Other."
        assert tool.to_mcp_tool().inputSchema == tool.parameters
        other = tool.to_mcp_tool(name="sum_up", _meta={"x": 1})
        assert (other.name, other.title, other.meta, tool.name) == ("sum_up", "Sum Up", {"x": 1}, "add")
        return [
            tool.to_mcp_tool(),
            prompt.to_mcp_prompt(),
            resource.to_mcp_resource(),
            template.to_mcp_template(),
        ]

    definitions = asyncio.run(change())
    lists = {
        "tools": "tools",
        "prompts": "prompts",
        "resources": "resources",
        "resources/templates": "resourceTemplates",
    }
    for definition, (kind, member) in zip(definitions, lists.items(), strict=True):
        [listed] = wire(mcp, f"{kind}/list", member)
        assert definition.model_dump(mode="json", by_alias=True, exclude_none=True) == listed
    assert definitions[0].meta == {"fastmcp": {"tags": ["a", "b"]}}


def test_a_tool_describes_itself_to_a_client_before_it_is_registered() -> None:
    """D7."""
    tool = Tool.from_function(lambda a: a, name="as_is", description="As it is.").to_mcp_tool()
    assert (tool.name, tool.title, tool.description) == ("as_is", "As Is", "As it is.")
    assert tool.inputSchema["required"] == ["a"]


def test_a_copy_is_another_tool() -> None:
    """D7. And an object of a tool that was removed can still be run."""
    mcp = shop()

    async def change() -> None:
        tool = await mcp.get_tool("add")
        mcp.add_tool(tool.model_copy(update={"name": "plus", "description": "Plus."}))
        assert [one.name for one in await mcp.list_tools()] == ["add", "plus"]
        assert (await mcp.call_tool("plus", {"a": 4})).structured_content == {"result": 5}
        mcp.remove_tool("add")
        tool.description = "gone"
        assert [one.description for one in await mcp.list_tools()] == ["Plus."]
        assert (await tool.run({"a": 4})).structured_content == {"result": 5}

    asyncio.run(change())


def test_objects_of_mounted_servers_only_describe() -> None:
    """D7. The server that has them changes them; a resource object that is added stays itself."""
    outer, inner = FastMCP("outer"), shop()
    outer.mount(inner, "inner")
    text = TextResource(uri="memo://text", text="x", name="text")
    outer.add_resource(text)

    async def change() -> None:
        (await outer.get_tool("inner_add")).description = "not there"
        (await inner.get_tool("add")).description = "there"
        assert (await outer.get_tool("inner_add")).description == "there"
        assert await outer.get_resource("memo://text") is text
        text.description = "A text"
        assert [one.description for one in await outer.list_resources()][-1] == "A text"

    asyncio.run(change())
    with pytest.raises(AuthorError, match="is not registered"):
        asyncio.run(ResourceTemplate().model_copy()._owner())
