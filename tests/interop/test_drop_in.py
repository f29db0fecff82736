"""One file for `mcp` 1, untouched, under `plainmcp serve --drop-in`: other clients use it, on stdio and over HTTP."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import fastmcp
import mcp
import pytest
from fastmcp.client.transports import StdioTransport

from talking import Program, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

ENVIRONMENT = dict(os.environ)  # the clients would pass on a part of it

SERVER = '''
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import TextContent, ToolAnnotations
from pydantic import BaseModel


class Book(BaseModel):
    title: str
    year: int | None = None


@asynccontextmanager
async def lifespan(server: FastMCP) -> AsyncIterator[dict[str, str]]:
    yield {"shelf": "first"}


mcp = FastMCP("Library", instructions="Ask for books.", dependencies=["httpx"], lifespan=lifespan)


@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def find(title: str, ctx: Context) -> Book:
    """Find a book."""
    await ctx.report_progress(1, 2)
    return Book(title=f"{title} on the {ctx.request_context.lifespan_context['shelf']} shelf")


@mcp.tool()
def blocks() -> list[TextContent]:
    return [TextContent(type="text", text="a"), TextContent(type="text", text="b")]


@mcp.tool()
def fail() -> str:
    raise ValueError("lost")


@mcp.resource("book://{title}")
def book(title: str) -> str:
    return f"The text of {title}"


@mcp.prompt()
def review(title: str) -> str:
    return f"Review {title}."


if __name__ == "__main__":
    mcp.run()
'''


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("drop-in") / "library.py"
    file.write_text(SERVER)
    return file


@pytest.fixture(scope="module")
def url(file: Path) -> Iterator[str]:
    with Program("-m", "plainmcp", "serve", "--drop-in", file, "--http", "127.0.0.1:0") as program:
        yield until(lambda: re.search(rb"serving MCP at (\S+)\n", program.stderr))[1].decode()


async def use(client: Any) -> dict[str, Any]:
    """What a client sees, whichever package it is of."""

    async def text_of(name: str, arguments: dict[str, Any]) -> Any:
        options = {"raise_on_error": False} if isinstance(client, fastmcp.Client) else {}
        result = await client.call_tool(name, arguments, **options)
        return [block.text for block in result.content], result.structured_content

    tools = await client.list_tools()
    contents = await client.read_resource("book://Plain")
    prompt = await client.get_prompt("review", {"title": "Plain"})
    return {
        "tools": [tool.name for tool in getattr(tools, "tools", tools)],
        "find": await text_of("find", {"title": "Plain"}),
        "blocks": await text_of("blocks", {}),
        "fail": await text_of("fail", {}),
        "book": [one.text for one in getattr(contents, "contents", contents)],
        "review": [message.content.text for message in prompt.messages],
    }


EXPECTED = {
    "tools": ["find", "blocks", "fail"],
    "find": (
        ['{\n  "title": "Plain on the first shelf",\n  "year": null\n}'],
        {"title": "Plain on the first shelf", "year": None},
    ),
    "blocks": (["a", "b"], None),
    "fail": (["Error executing tool fail: lost"], None),
    "book": ["The text of Plain"],
    "review": ["Review Plain."],
}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_client_uses_it(file: Path, url: str, transport: str, mode: Any) -> None:
    arguments = ["-m", "plainmcp", "serve", "--drop-in", str(file)]
    target: Any = (
        url
        if transport == "http"
        else mcp.StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT)
    )

    async def run() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with mcp.Client(target, mode=mode) as client:
                return await use(client)

    assert anyio.run(run) == EXPECTED


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_client_of_fastmcp_uses_it(file: Path, url: str, transport: str) -> None:
    arguments = ["-m", "plainmcp", "serve", "--drop-in", str(file)]
    target: Any = url if transport == "http" else StdioTransport(sys.executable, arguments, env=ENVIRONMENT)

    async def run() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with fastmcp.Client(target) as client:
                return await use(client)

    assert anyio.run(run) == EXPECTED


def test_a_program_that_starts_its_server_itself_is_run(tmp_path: Path) -> None:
    low = tmp_path / "low.py"
    low.write_text(
        "import asyncio\n"
        "from mcp.server import Server\n"
        "from mcp.server.stdio import stdio_server\n"
        "from mcp.types import TextContent, Tool\n\n\n"
        "async def main():\n"
        "    server = Server('low')\n\n"
        "    @server.list_tools()\n"
        "    async def tools():\n"
        "        return [Tool(name='hi', inputSchema={'type': 'object'})]\n\n"
        "    @server.call_tool()\n"
        "    async def call(name, arguments):\n"
        "        return [TextContent(type='text', text='hello')]\n\n"
        "    async with stdio_server() as (read, write):\n"
        "        await server.run(read, write, server.create_initialization_options())\n\n\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(main())\n"
    )
    arguments = ["-m", "plainmcp", "serve", "--drop-in", str(low)]

    async def run() -> Any:
        with anyio.fail_after(60):
            target = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=ENVIRONMENT)
            async with mcp.Client(target, mode="legacy") as client:
                return await client.call_tool("hi", {})

    assert anyio.run(run).content[0].text == "hello"
