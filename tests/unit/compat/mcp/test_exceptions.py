"""The exceptions of the official SDK and of FastMCP, in classes of the programs' own (D6)."""

from itertools import permutations
from typing import Any

import pytest

import plainmcp.compat.fastmcp.exceptions as fast
import plainmcp.compat.mcp.exceptions as sdk
from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server.fastmcp import FastMCP
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.testing import Client

# In the packages: which of their exceptions are subclasses of which others.
SDK = {
    "FastMCPError": {"ResourceError", "ResourceNotFoundError", "ToolError", "UnexpectedResourceError"}
    | {"UnexpectedToolError", "ValidationError"},
    "ResourceError": {"ResourceNotFoundError", "UnexpectedResourceError"},
    "ResourceNotFoundError": set(),
    "ToolError": {"UnexpectedToolError"},
    "UnexpectedResourceError": set(),
    "UnexpectedToolError": set(),
    "ValidationError": set(),
    "McpError": {"UrlElicitationRequiredError"},
    "UrlElicitationRequiredError": set(),
}
FAST: dict[str, set[str]] = {
    "FastMCPError": {"AuthorizationError", "PromptError", "ResourceError", "ToolError", "ValidationError"},
    "AuthorizationError": set(),
    "DisabledError": set(),
    "NotFoundError": set(),
    "PromptError": set(),
    "ResourceError": set(),
    "ToolError": set(),
    "ValidationError": set(),
}


@pytest.mark.parametrize(("module", "below"), [(sdk, SDK), (fast, FAST)])
def test_a_class_may_inherit_from_any_two_exceptions_as_in_the_package(module: Any, below: Any) -> None:
    """D6. mcp-server-odoo has `class MCPError(ToolError, ResourceError)`."""
    for first, second in permutations(below, 2):
        bases = getattr(module, first), getattr(module, second)
        assert issubclass(bases[1], bases[0]) == (second in below[first]), (first, second)
        if second not in below[first]:
            kind = type("Both", bases, {})
            assert kind.__mro__.index(bases[0]) < kind.__mro__.index(bases[1])


@pytest.mark.parametrize("make", [FastMCP, MCPServer, FastMCP4])
def test_the_text_of_such_an_exception_is_sent(make: Any) -> None:
    """D6. From a tool and from a resource."""
    module: Any = fast if make is FastMCP4 else sdk

    class Both(module.ToolError, module.ResourceError):  # type: ignore[misc,name-defined]
        pass

    mcp = make("shop")

    @mcp.tool()
    def fail() -> str:
        raise Both("sold out")

    @mcp.resource("memo://x")
    def note() -> str:
        raise Both("no note")

    client = Client(mcp, "2025-06-18")
    assert "sold out" in client.call("fail")["content"][0]["text"]
    with pytest.raises(Exception, match="no note"):
        client.read("memo://x")
