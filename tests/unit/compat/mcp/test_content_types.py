"""Content of the official SDK's names is content everywhere: what our own types become, byte for byte."""

import json
from typing import Any

import pytest

from plainmcp import Server, types
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp import types as sdk
from plainmcp.compat.mcp.server.fastmcp import FastMCP as SdkFastMCP
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.compat.openmcp import MCPServer as OpenMCP
from plainmcp.testing import Client, RpcError
from wire import REVISIONS

LINK = {"uri": "memo://1", "name": "one", "description": "The first"}
TEXT = {"uri": "memo://1", "mimeType": "text/plain", "text": "x"}
BLOB = {"uri": "memo://1", "mimeType": "image/png", "blob": "aGk="}
MADE: dict[str, tuple[Any, Any]] = {
    "text": (types.TextContent(text="x"), sdk.TextContent(type="text", text="x")),
    "image": (
        types.ImageContent(data="aGk=", mimeType="image/png"),
        sdk.ImageContent(type="image", data="aGk=", mimeType="image/png"),
    ),
    "audio": (
        types.AudioContent(data="aGk=", mimeType="audio/wav"),
        sdk.AudioContent(type="audio", data="aGk=", mimeType="audio/wav"),
    ),
    "link": (types.ResourceLink(**LINK), sdk.ResourceLink(type="resource_link", **LINK)),
    "text contents": (types.TextResourceContents(**TEXT), sdk.TextResourceContents(**TEXT)),
    "blob contents": (types.BlobResourceContents(**BLOB), sdk.BlobResourceContents(**BLOB)),
    "embedded": (
        types.EmbeddedResource(resource=types.TextResourceContents(**TEXT)),
        sdk.EmbeddedResource(type="resource", resource=sdk.TextResourceContents(**TEXT)),
    ),
}


def answers(server: Any, value: Any, revision: str) -> list[Any]:
    """What a server answers whose tool, resource and prompt return a value, alone and in a list."""

    def alone():  # type: ignore[no-untyped-def]
        """Give it."""
        return value

    def listed():  # type: ignore[no-untyped-def]
        """Give it in a list."""
        return [value]

    for function in (alone, listed):
        server.tool()(function)
        server.resource(f"memo://{function.__name__}")(function)
        server.prompt()(function)
    client = Client(getattr(server, "server", server), revision)
    asks = [(client.call, name) for name in ("alone", "listed")]
    asks += [(client.read, f"memo://{name}") for name in ("alone", "listed")]
    asks += [(client.get_prompt, name) for name in ("alone", "listed")]
    return [outcome(ask, name) for ask, name in asks]


def outcome(ask: Any, name: str) -> Any:
    try:
        return json.dumps(ask(name))
    except RpcError as error:
        return error.code


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("kind", MADE)
def test_content_of_the_sdk_is_what_our_own_content_is(kind: str, revision: str) -> None:
    """V31"""
    ours, theirs = MADE[kind]
    assert answers(Server("s"), theirs, revision) == answers(Server("s"), ours, revision)


@pytest.mark.parametrize("facade", [FastMCP, SdkFastMCP, MCPServer, OpenMCP], ids=lambda facade: facade.__module__)
@pytest.mark.parametrize("kind", MADE)
def test_content_of_the_sdk_is_content_for_every_facade(kind: str, facade: Any) -> None:
    """V31, S000-36, S000-37"""
    ours, theirs = MADE[kind]
    for revision in REVISIONS:
        assert answers(facade("s"), theirs, revision) == answers(facade("s"), ours, revision)


def test_a_subclass_of_content_with_a_plain_form_of_its_own_is_data() -> None:
    class Mine(sdk.ResourceLink):
        def __plain__(self) -> dict[str, str]:
            return {"mine": self.name}

    class Inherits(Mine):
        pass

    for kind in (Mine, Inherits):
        server = Server("s")
        server.tool(name="give")(lambda kind=kind: kind(type="resource_link", **LINK))
        assert Client(server).call("give")["structuredContent"] == {"mine": "one"}
