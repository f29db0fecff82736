"""Other people's clients, which validate what they get, against a server with a tool for every kind of hint."""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import fastmcp
import mcp
import pytest
import uvicorn

from interop import hinted
from npm import NODE, installed
from plainmcp import Server

SCRIPT = Path(__file__).parent / "hints.mjs"
SECONDS = 60

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
MODES = ["legacy", "2026-07-28"]  # the former is 2025-11-25


@pytest.fixture(scope="module")
def hints_url() -> Iterator[str]:
    """Where the server is."""
    with served(hinted.server()) as url:
        yield url


@contextmanager
def served(server: Server) -> Iterator[str]:
    """A server at a port of its own."""
    serving = uvicorn.Server(uvicorn.Config(server.asgi(), log_level="warning"))
    # Opened again by its number, a socket knows that it speaks TCP, and asyncio sends what it has at once.
    listening = socket.socket(fileno=socket.create_server(("127.0.0.1", 0)).detach())
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        serving.should_exit = True
        thread.join()
        listening.close()


async def call(client: Any, tools: list[Any]) -> dict[str, Any]:
    """What a client has to show for each tool: its structured content, or a complaint."""
    got: dict[str, Any] = {}
    for tool in tools:
        try:
            result = await client.call_tool(tool.name)
            got[tool.name] = result.content[0].text if result.is_error else result.structured_content
        except Exception as error:  # whatever a client says of a result it does not like
            got[tool.name] = str(error).partition("\n")[0]
    return got


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_takes_the_result_of_every_hint(hints_url: str, mode: str) -> None:
    async def talk() -> dict[str, Any]:
        with anyio.fail_after(SECONDS):
            async with mcp.Client(hints_url, mode=mode) as client:
                return await call(client, (await client.list_tools()).tools)

    hinted.check(anyio.run(talk))


@pytest.mark.parametrize("mode", MODES)
def test_the_fastmcp_client_takes_the_result_of_every_hint(hints_url: str, mode: str) -> None:
    async def talk() -> dict[str, Any]:
        with anyio.fail_after(SECONDS):
            async with fastmcp.Client(hints_url, mode=mode) as client:
                return await call(client, await client.list_tools())

    hinted.check(anyio.run(talk))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("hint", "value", "data"),
    [
        (int, 1, 1),
        (str, "a", "a"),
        (list[int], [1, 2], [1, 2]),
        (int | None, None, None),
        (dict[str, int] | None, {"a": 1}, {"a": 1}),
        (dict[str, int], {"a": 1}, {"a": 1}),
    ],
    ids=str,
)
def test_the_fastmcp_client_unwraps_what_a_server_of_its_policy_wraps(
    hint: Any, value: Any, data: Any, mode: str
) -> None:
    server = Server("wrapping", policy="fastmcp")

    def tool() -> Any:
        return value

    tool.__annotations__["return"] = hint
    server.tool(tool)

    async def talk() -> Any:
        with anyio.fail_after(SECONDS):
            async with fastmcp.Client(url, mode=mode) as client:
                return (await client.call_tool("tool")).data

    with served(server) as url:
        assert anyio.run(talk) == data


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", "2026-07-28"])
def test_the_typescript_client_takes_the_result_of_every_hint(hints_url: str, revision: str) -> None:
    client = installed("@modelcontextprotocol/client", "2.4.0")
    command = [NODE, SCRIPT, client, hints_url, revision]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    heard = json.loads(done.stdout)
    assert heard["revision"] == revision
    hinted.check(heard["got"])
