"""One file for `mcp` 1, untouched, under `plainmcp serve --drop-in`: four clients use it, on stdio and over HTTP.

Each speaks every revision that it knows. The Python clients offer one revision in the handshake and have no option
for another, so the tests change the constant that they offer; the TypeScript client has an option. The client of
`mcp` 1 does not know 2026-07-28.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import fastmcp
import mcp
import mcp.client.session
import mcp_types as types
import pytest
from fastmcp.client.transports import StdioTransport

from npm import NODE, installed
from realworld.environments import ROOT, interpreter_of
from talking import Program, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

ENVIRONMENT = dict(os.environ)  # the clients would pass on a part of it
HERE = Path(__file__).parent
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
REVISIONS = [*HANDSHAKE, "2026-07-28"]
SECONDS = 120

SERVER = '''
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import TextContent, ToolAnnotations
from pydantic import BaseModel


class Book(BaseModel):
    title: str
    year: int | None = None


class Place(BaseModel):
    shelf: str


@asynccontextmanager
async def lifespan(server: FastMCP) -> AsyncIterator[dict[str, str]]:
    yield {"shelf": "first"}


mcp = FastMCP("Library", instructions="Ask for books.", dependencies=["httpx"], lifespan=lifespan)


@mcp.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def find(title: str, ctx: Context) -> Book:
    """Find a book."""
    await ctx.report_progress(1, 2)
    await ctx.info("found")
    await asyncio.sleep(0.1)  # the TypeScript client drops progress that comes together with the response
    return Book(title=f"{title} on the {ctx.request_context.lifespan_context['shelf']} shelf")


@mcp.tool()
def blocks() -> list[TextContent]:
    return [TextContent(type="text", text="a"), TextContent(type="text", text="b")]


@mcp.tool()
def fail() -> str:
    raise ValueError("lost")


@mcp.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit(message="Which shelf?", schema=Place)
    return f"{answer.action}: {answer.data.shelf}" if answer.action == "accept" else answer.action


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


def expected(revision: str) -> dict[str, Any]:
    """What every client gets on a revision: `structuredContent` and questions exist since 2025-06-18."""
    structured = revision >= "2025-06-18"
    got: dict[str, Any] = {
        "revision": revision,
        "tools": ["find", "blocks", "fail", "ask"],
        "find": [
            ['{\n  "title": "Plain on the first shelf",\n  "year": null\n}'],
            {"title": "Plain on the first shelf", "year": None} if structured else None,
        ],
        "blocks": [["a", "b"], None],
        "fail": [["Error executing tool fail: lost"], None],
        "book": ["The text of Plain"],
        "review": ["Review Plain."],
        "heard": [[1, 2], "found"],
    }
    if structured:
        got["ask"] = [["accept: Which shelf?"], {"result": "accept: Which shelf?"}]
    return got


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, file: Path) -> list[str]:
    """A URL, or a command and its arguments."""
    if request.param == "http":
        return [request.getfixturevalue("url")]
    return [sys.executable, "-m", "plainmcp", "serve", "--drop-in", str(file)]


class Heard:
    """What a client was sent and asked while it called."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.messages.append(params.data)

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.messages.append([progress, total])

    async def elicit(self, context: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"shelf": params.message})

    async def elicit_by_fastmcp(self, message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"shelf": message}


async def use(client: Any, revision: str, heard: Heard) -> dict[str, Any]:
    """What a Python client sees, whichever package it is of."""

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        options: dict[str, Any]
        if isinstance(client, fastmcp.Client):
            options = {"raise_on_error": False, "progress_handler": heard.progress}
        else:
            options = {"progress_callback": heard.progress}
        result = await client.call_tool(name, arguments, **options)
        return [[block.text for block in result.content], result.structured_content]

    tools = await client.list_tools()
    contents = await client.read_resource("book://Plain")
    prompt = await client.get_prompt("review", {"title": "Plain"})
    got = {
        "revision": client.protocol_version,
        "tools": [tool.name for tool in getattr(tools, "tools", tools)],
        "find": await call("find", {"title": "Plain"}),
        "blocks": await call("blocks", {}),
        "fail": await call("fail", {}),
        "book": [one.text for one in getattr(contents, "contents", contents)],
        "review": [message.content.text for message in prompt.messages],
    }
    if revision >= "2025-06-18":
        got["ask"] = await call("ask", {})
    return {**got, "heard": heard.messages}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("package", ["mcp 2", "fastmcp"])
def test_a_python_client_of_today_uses_it(
    target: list[str], package: str, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, *arguments = target
    heard = Heard()
    handshake = revision in HANDSHAKE
    if handshake:
        monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)
    options: dict[str, Any] = {"mode": "legacy" if handshake else revision}
    if package == "fastmcp":
        client: Any = fastmcp.Client(
            StdioTransport(where, arguments, env=ENVIRONMENT, keep_alive=False) if arguments else where,
            log_handler=heard.log,
            elicitation_handler=heard.elicit_by_fastmcp,
            **options,
        )
    else:
        client = mcp.Client(
            mcp.StdioServerParameters(command=where, args=arguments, env=ENVIRONMENT) if arguments else where,
            logging_callback=heard.log,
            elicitation_callback=heard.elicit,
            log_level=None if handshake else "debug",
            **options,
        )

    async def run() -> dict[str, Any]:
        with anyio.fail_after(SECONDS):
            async with client:
                return await use(client, revision, heard)

    assert anyio.run(run) == expected(revision)


def test_the_client_of_mcp_1_uses_it(target: list[str]) -> None:
    python = interpreter_of("mcp1", ROOT / ".realworld")
    assert run_client(python, HERE / "drop_in_1.py", ",".join(HANDSHAKE), *target) == [
        expected(revision) for revision in HANDSHAKE
    ]


def test_the_typescript_client_uses_it(target: list[str]) -> None:
    client = installed("@modelcontextprotocol/client", "2.4.0")
    assert run_client(NODE, HERE / "drop_in.mjs", client, ",".join(REVISIONS), *target) == [
        expected(revision) for revision in REVISIONS
    ]


def run_client(*command: str | Path) -> Any:
    """What a client that is a program of its own prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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
