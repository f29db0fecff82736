"""A program that uses the real package's types beside the facade: what it gets is an instance of them."""

import asyncio
import sys
from typing import Any

import mcp_types
import pytest
from mcp.shared.exceptions import MCPError

from plainmcp.compat.mcp import types
from plainmcp.compat.mcp.loaded_types import joined_error, to_loaded, to_server_result
from plainmcp.compat.mcp.server import Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.shared.exceptions import McpError
from plainmcp.testing import Client


def test_a_type_is_an_instance_of_the_real_class_under_both_names_of_its_fields() -> None:
    image = to_loaded(types.ImageContent(data="AA==", mimeType="image/png"))
    assert isinstance(image, mcp_types.ImageContent)
    assert (image.mime_type, image.mimeType) == ("image/png", "image/png")
    assert image == types.ImageContent(data="AA==", mimeType="image/png")
    assert image == mcp_types.ImageContent(type="image", data="AA==", mime_type="image/png")
    assert mcp_types.ImageContent(type="image", data="AA==", mime_type="image/png") == image
    assert image != types.ImageContent(data="AAA=", mimeType="image/png")
    with pytest.raises(AttributeError):
        _ = image.nothing


def test_a_program_without_the_package_gets_the_types_of_the_facade(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "mcp_types")
    monkeypatch.setitem(sys.modules, "mcp.types", types)  # as under --drop-in
    text = types.TextContent(text="a")
    assert to_loaded(text) is text
    assert type(to_server_result(text)) is types.ServerResult


def test_what_the_installed_version_does_not_know_stays_ours() -> None:
    odd = types.TextContent(text=None)  # type: ignore[arg-type]
    assert to_loaded(odd) is odd
    assert to_loaded("text") == "text"


def test_an_error_is_caught_as_the_real_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error = joined_error(McpError)(-32600, "no", {"a": 1})
    assert isinstance(error, MCPError)
    assert isinstance(error, McpError)
    assert (error.code, str(error), error.data) == (-32600, "no", {"a": 1})
    monkeypatch.delitem(sys.modules, "mcp.shared.exceptions")
    assert joined_error(McpError) is McpError


def test_completions_know_the_reference_by_its_real_class() -> None:
    mcp = FastMCP("x")

    @mcp.prompt()
    def write(language: str) -> str:
        return language

    @mcp.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        assert isinstance(ref, mcp_types.PromptReference)
        return mcp_types.Completion(values=[f"{ref.name} {argument.value}"])

    for revision in ("2025-06-18", "2026-07-28"):
        client = Client(mcp, revision)
        params = {"ref": {"type": "ref/prompt", "name": "write"}, "argument": {"name": "language", "value": "p"}}
        assert client.request("completion/complete", params)["completion"] == {"values": ["write p"]}


def test_a_question_that_fails_raises_the_real_error() -> None:
    mcp = FastMCP("x")

    @mcp.tool()
    async def ask() -> str:
        try:
            await mcp.get_context().session.list_roots()
        except MCPError as error:
            return error.error.message
        return "listed"

    assert Client(mcp, "2025-06-18").call("ask")["content"][0]["text"] == "List roots not supported"


def test_handlers_are_found_by_the_real_class_and_return_its_results() -> None:
    server = Server("low")

    @server.list_prompts()
    async def prompts() -> list[Any]:
        return [types.Prompt(name="p")]

    assert mcp_types.ListPromptsRequest in server.request_handlers
    assert mcp_types.ListToolsRequest not in server.request_handlers
    result = asyncio.run(server.request_handlers[mcp_types.ListPromptsRequest](None))
    assert isinstance(result, types.ServerResult)  # `mcp` 2 has no such class
    assert isinstance(result.root, mcp_types.ListPromptsResult)
    assert result.root.prompts[0].name == "p"
    with pytest.raises(KeyError):
        server.request_handlers[mcp_types.ListToolsRequest]
