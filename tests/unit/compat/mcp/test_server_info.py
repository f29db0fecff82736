"""What a server says about itself, as attributes and in its handshake."""

from typing import Any

import pytest

from plainmcp.compat.mcp.server import MCPServer, Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.types import Icon
from plainmcp.testing import Client

ICON = Icon(src="https://example.com/icon.png", mimeType="image/png", sizes=["48x48"])


@pytest.mark.parametrize("kind", [FastMCP, MCPServer, Server])
def test_the_icons_and_the_page_of_a_server_are_shown(kind: Any) -> None:
    server = kind("shown", website_url="https://example.com", icons=[ICON])
    assert (server.website_url, server.icons) == ("https://example.com", [ICON])
    info = Client(server, "2025-11-25").initialized["serverInfo"]
    assert info["websiteUrl"] == "https://example.com"
    assert info["icons"] == [{"src": ICON.src, "mimeType": "image/png", "sizes": ["48x48"]}]


@pytest.mark.parametrize("kind", [FastMCP, MCPServer, Server])
def test_what_was_not_given_is_none(kind: Any) -> None:
    server = kind("bare")
    assert (server.name, server.title, server.description, server.website_url, server.icons) == (
        "bare",
        None,
        None,
        None,
        None,
    )


def test_a_server_of_mcp_2_has_no_version_unless_one_is_given() -> None:
    assert MCPServer("a").version == ""
    assert MCPServer("a", title="A", description="All", version="2").version == "2"
    assert MCPServer("a", title="A", description="All").description == "All"
