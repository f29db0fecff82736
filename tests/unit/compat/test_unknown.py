"""What servers of the facades answer for names and URIs that they do not have, on every revision."""

from typing import Any

import msgspec
import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp.server.fastmcp import FastMCP as FastMCP1
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

ANSWERS: dict[str, Any] = {
    "mcp 1": (
        FastMCP1,
        "Unknown tool: nope",
        {"code": 0, "message": "Unknown prompt: nope"},
        {"code": 0, "message": "Unknown resource: a://nope"},
    ),
    "mcp 2": (
        MCPServer,
        "Unknown tool: nope",
        {"code": 0, "message": "Unknown prompt: nope"},
        {"code": -32602, "message": "Unknown resource: a://nope", "data": {"uri": "a://nope"}},
    ),
    "FastMCP": (
        FastMCP,
        "Unknown tool: 'nope'",
        {"code": -32602, "message": "Unknown prompt: 'nope'"},
        {"code": -32602, "message": "Resource not found: 'a://nope'", "data": {"uri": "a://nope"}},
    ),
}


@pytest.mark.parametrize("revision", list(REVISIONS))
@pytest.mark.parametrize("package", list(ANSWERS))
def test_an_unknown_name_is_answered_as_the_package_does(package: str, revision: str) -> None:
    kind, tool, prompt, resource = ANSWERS[package]
    empty, full = kind("empty"), kind("full")
    full.tool()(lambda_like)
    full.prompt()(lambda_like)
    full.resource("a://b")(lambda_like)
    for server in (empty, full):
        assert server.handle(_message("prompts/get", revision, name="nope")) == _error(prompt)
        assert server.handle(_message("resources/read", revision, uri="a://nope")) == _error(resource)
        result = msgspec.json.decode(server.handle(_message("tools/call", revision, name="nope")))["result"]
        assert (result["content"], result["isError"]) == ([{"type": "text", "text": tool}], True)
        assert "result" in msgspec.json.decode(server.handle(_message("tools/list", revision)))


def lambda_like() -> str:
    return ""


def _message(method: str, revision: str, **params: Any) -> dict[str, Any]:
    row = REVISIONS[revision]
    prefix = "io.modelcontextprotocol"
    meta = {
        f"{prefix}/protocolVersion": revision,
        f"{prefix}/clientInfo": {"name": "test", "version": "1"},
        f"{prefix}/clientCapabilities": {},
    }
    own = {} if row.handshake else {"_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | own}


def _error(error: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "error": error})


def test_a_tool_that_is_removed_is_unknown_again() -> None:
    server = MCPServer("demo")
    server.add_tool(lambda_like)
    server.remove_tool("lambda_like")
    result = Client(server, "2025-11-25").call("lambda_like")
    assert result == {"content": [{"type": "text", "text": "Unknown tool: lambda_like"}], "isError": True}
