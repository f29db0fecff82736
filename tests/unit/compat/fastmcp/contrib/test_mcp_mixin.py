"""Methods of objects as tools, resources and prompts of FastMCP (D9). mcp-pdf is written so."""

import asyncio
from typing import Any

import pytest

from plainmcp.compat.fastmcp import Context, FastMCP
from plainmcp.compat.fastmcp.contrib.mcp_mixin import MCPMixin, mcp_prompt, mcp_resource, mcp_tool
from plainmcp.errors import AuthorError


class Shop(MCPMixin):
    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def never_read(self) -> str:
        raise RuntimeError("a property may do anything")

    @mcp_tool()
    def price(self, item: str) -> str:
        """The price."""
        return f"{item} of {self.name}"

    @mcp_tool(name="stock", description="How many", tags={"count"}, annotations={"readOnlyHint": True})
    async def count(self, ctx: Context, least: int = 1) -> int:
        return least

    @mcp_tool(enabled=False)
    def close(self) -> None:
        """Not offered."""

    @classmethod
    @mcp_tool()
    def kind(cls) -> str:
        return cls.__name__

    @mcp_resource("memo://note", mime_type="text/markdown")
    def note(self) -> str:
        return f"# {self.name}"

    @mcp_prompt()
    def ask(self, topic: str) -> str:
        return f"{topic}, {self.name}"


@pytest.mark.parametrize(("prefix", "tool", "uri"), [(None, "", ""), ("tea", "tea_", "tea+")])
def test_the_marked_methods_of_an_object_are_offered_by_a_server(prefix: str | None, tool: str, uri: str) -> None:
    """D9. With a prefix before their names and URIs."""
    mcp = FastMCP("shops")
    Shop("tea").register_all(mcp, prefix=prefix)

    async def use() -> None:
        tools = {one.name: one for one in await mcp.list_tools()}
        assert sorted(tools) == [f"{tool}kind", f"{tool}price", f"{tool}stock"]
        listed = tools[f"{tool}stock"]
        assert (listed.description, listed.tags, listed.annotations.readOnlyHint) == ("How many", {"count"}, True)
        assert tools[f"{tool}price"].description == "The price."
        called: Any = await mcp.call_tool(f"{tool}price", {"item": "cup"})
        assert called.structured_content == {"result": "cup of tea"}
        assert (await mcp.call_tool(f"{tool}kind")).structured_content == {"result": "Shop"}
        assert (await mcp.call_tool(f"{tool}stock")).structured_content == {"result": 1}
        [resource] = await mcp.list_resources()
        assert (resource.uri, resource.name, resource.mime_type) == (
            f"{uri}memo://note",
            f"{uri}note",
            "text/markdown",
        )
        assert (await mcp.read_resource(f"{uri}memo://note")).contents[0].content == "# tea"
        prompt = await mcp.render_prompt(f"{tool}ask", {"topic": "Milk"})
        assert prompt.messages[0].content.text == "Milk, tea"

    asyncio.run(use())


def test_a_wrong_option_fails_where_it_is_written() -> None:
    """D9. And what FastMCP has and plainmcp has not is refused when the object is registered."""
    with pytest.raises(TypeError, match=r"mcp_tool\(\) got unexpected keyword argument\(s\): \['colour'\]; it takes"):
        mcp_tool(colour="red")

    class Later(MCPMixin):
        @mcp_tool(task=True)
        def slow(self) -> None: ...

    with pytest.raises(AuthorError, match="there is no task= here"):
        Later().register_all(FastMCP("x"))
