"""Cursors that no list gave out: taken where lists have no pages, as in the packages."""

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp.server.fastmcp import FastMCP as FastMCP1
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client


@pytest.mark.parametrize("kind", [FastMCP, FastMCP1, MCPServer])
@pytest.mark.parametrize("revision", ["2024-11-05", "2026-07-28"])
def test_a_list_without_pages_takes_any_cursor(kind: type, revision: str) -> None:
    client = Client(kind("x"), revision)
    assert client.request("tools/list", {"cursor": "any"})["tools"] == []
    assert client.request("resources/templates/list", {"cursor": "any"})["resourceTemplates"] == []


def test_a_list_in_pages_refuses_a_cursor_that_it_did_not_give_out() -> None:
    mcp = FastMCP("x", list_page_size=1)
    for name in ("a", "b"):
        mcp.tool(name=name)(lambda: 1)
    client = Client(mcp)
    first = client.request("tools/list")
    assert [tool["name"] for tool in client.request("tools/list", {"cursor": first["nextCursor"]})["tools"]] == ["b"]
    with pytest.raises(Exception, match="Invalid cursor"):
        client.request("tools/list", {"cursor": "any"})
