"""Servers under the facades that are clients of other servers: with the clients of the real packages (D4)."""

import subprocess
import sys
from pathlib import Path

import pytest

from serving import EXAMPLES
from talking import Program

# A server that asks another one, written for the SDK; and one for FastMCP.
SDK = f"""
import sys

import mcp.types as types
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("gateway")
ARGUMENTS = ["-m", "plainmcp", "serve", {str(EXAMPLES / "weather.py")!r}]
OTHER = StdioServerParameters(command=sys.executable, args=ARGUMENTS)


@mcp.tool()
async def ask(name: str) -> str:
    async with stdio_client(OTHER) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert all(isinstance(tool, types.Tool) for tool in tools)
        try:
            result = await session.call_tool(name, {{"city": "Oslo", "days": 1}})
        except McpError as error:
            return f"caught {{error.error.message}}"
        assert isinstance(result.content[0], types.TextContent)
        return f"{{[tool.name for tool in tools]}} {{result.content[0].text}}"
"""
FASTMCP = f"""
import sys

from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

mcp = FastMCP("gateway")
ARGUMENTS = ["-m", "plainmcp", "serve", {str(EXAMPLES / "weather.py")!r}]


@mcp.tool
async def ask(name: str) -> str:
    async with Client(StdioTransport(sys.executable, ARGUMENTS)) as client:
        tools = await client.list_tools()
        try:
            result = await client.call_tool("forecast", {{"city": "Oslo", "days": 1 if name == "forecast" else "x"}})
        except ToolError as error:
            return f"caught {{error}}"
        return f"{{[tool.name for tool in tools]}} {{result.content[0].text}}"
"""
FORECAST = '[\'compare\', \'forecast\'] {"city": "Oslo", "high": 19.5, "low": 13}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "caught"),
    [(SDK, "caught Unknown tool: gone"), (FASTMCP, "caught days: expected an integer, got a string")],
    ids=["sdk", "fastmcp"],
)
def test_a_server_of_the_facade_asks_another_one_with_the_real_client(tmp_path: Path, code: str, caught: str) -> None:
    """D4. It sees the types and catches the exceptions that it names, which are those of the facade."""
    file = tmp_path / "gateway.py"
    file.write_text(code, "utf-8")
    with Program("-m", "plainmcp", "serve", "--drop-in", file) as program:
        assert program.shake_hands()["serverInfo"]["name"] == "gateway"
        for number, (name, text) in enumerate((("forecast", FORECAST), ("gone", caught))):
            program.call(number, "ask", name=name)
            assert program.answer(number)["result"]["content"] == [{"type": "text", "text": text}]


PROGRAM = """
import sys
from plainmcp import compat

undo = compat.install()
import mcp, mcp.types, mcp.client.stdio, fastmcp, fastmcp.client.transports
from mcp import ClientSession
from fastmcp import Client, FastMCP

print(ClientSession.__module__, Client.__module__, mcp.client.stdio.stdio_client.__module__)
print(FastMCP.__module__, mcp.types.Tool.__module__, mcp.shared.exceptions.McpError.__module__)
print(sorted({module.__name__.partition(".")[0] for name, module in sys.modules.items() if name.startswith("mcp.")}))
import plainmcp.compat.mcp
print(plainmcp.compat.mcp.ClientSession is ClientSession)
undo()
import mcp.types
print(mcp.types.Tool.__module__)
"""
UNCHANGED = """
import mcp
from plainmcp.compat.mcp import ClientSession, types
from plainmcp.compat.mcp.client.session import ClientSession as Same
from plainmcp.compat.fastmcp import Client
import fastmcp
print(ClientSession is Same is mcp.ClientSession, Client is fastmcp.Client, types.Tool is mcp.types.Tool)
"""


def printed_by(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_real_package_is_beside_the_facade_and_not_in_its_place() -> None:
    """D4. Its modules are not found under their names; without `install` they are the program's own."""
    assert printed_by(PROGRAM) == [
        "mcp.client.session fastmcp.client.client mcp.client.stdio",
        "plainmcp.compat.fastmcp.fast_mcp plainmcp.compat.mcp.content_types plainmcp.compat.mcp.exceptions",
        "['plainmcp']",
        "True",
        "mcp_types._types",
    ]
    assert printed_by(UNCHANGED) == ["True True False"]
