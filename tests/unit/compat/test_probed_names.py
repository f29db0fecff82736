"""What programs find when they ask a server for its attributes: `hasattr(mcp, "capabilities")` and the like (D10).

The names are those that published programs ask for. A server of a facade is a server of plainmcp as well, so it has
the methods of both; it has no other names that the class of the package does not have.
"""

from typing import Any

import pytest

from plainmcp import Server as PlainServer
from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server import MCPServer, Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP

# Written by a run of mcp 1.30, mcp 2.3 and FastMCP 4.1.
ABSENT = {
    FastMCP: "capabilities tools resources prompts _tools _resources _prompts tool_manager _lowlevel_server _server "
    "server app state storage get_tools _list_tools get_tool _call_tool run_stdio import_server on_event router stop "
    "shutdown providers notification_options http_app _additional_http_routes experimental request_context",
    MCPServer: "capabilities tools resources prompts _tools _resources _prompts tool_manager _mcp_server _server "
    "server app state storage get_tools _list_tools get_tool _call_tool run_stdio import_server on_event router stop "
    "shutdown providers notification_options http_app _additional_http_routes experimental request_context",
    Server: "capabilities tools resources prompts _tools _resources _prompts tool_manager _tool_manager _mcp_server "
    "_server server app state storage get_tools _list_tools get_tool _call_tool run_stdio import_server on_event "
    "router stop shutdown providers notification_options http_app get_context",
    FastMCP4: "capabilities tools resources prompts _tools _resources _prompts tool_manager _tool_manager "
    "_resource_manager _prompt_manager _lowlevel_server _server server app state storage _call_tool run_stdio "
    "on_event router stop shutdown notification_options session_manager experimental request_context get_context",
}
PRESENT = {
    FastMCP: "_tool_manager _resource_manager _prompt_manager _mcp_server list_tools call_tool streamable_http_app "
    "sse_app run run_stdio_async run_streamable_http_async run_sse_async add_tool remove_tool settings custom_route "
    "dependencies instructions name icons website_url get_context completion _event_store",
    MCPServer: "_tool_manager _resource_manager _prompt_manager _lowlevel_server list_tools call_tool run middleware "
    "streamable_http_app sse_app run_stdio_async run_streamable_http_async run_sse_async add_tool remove_tool "
    "settings custom_route dependencies instructions name version title description icons website_url completion",
    Server: "list_tools call_tool run instructions name version icons website_url request_handlers",
    FastMCP4: "list_tools get_tool call_tool http_app run run_async run_stdio_async run_http_async add_tool enable "
    "add_middleware middleware mount disable custom_route instructions name version icons website_url auth "
    "local_provider strict_input_validation",
}


@pytest.mark.parametrize("kind", [FastMCP, MCPServer, Server, FastMCP4])
def test_a_program_finds_the_attributes_of_the_package_and_the_methods_of_plainmcp(kind: Any) -> None:
    """D10. unity-mcp calls `mcp.capabilities(…)` if there is such an attribute."""
    server = kind("shop")
    found = [name for name in ABSENT[kind].split() if hasattr(server, name)]
    assert [name for name in found if not hasattr(PlainServer, name)] == []
    assert "capabilities" not in found
    assert [name for name in PRESENT[kind].split() if not hasattr(server, name)] == []
