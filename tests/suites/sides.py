"""Whose a name of the packages is: the client's, the server's, or that of both. Data for the runs and the rules.

What belongs to both, such as the types of the protocol, is that of the package in a file that has a client, because
the client compares classes; in any other file it comes from the facades.
"""

from typing import Literal

__all__ = ["PACKAGES", "Side", "is_below", "side_of"]

Side = Literal["client", "server", "both"]

PACKAGES = ("mcp", "mcp_types", "fastmcp")

_CLIENT = (
    "mcp.Client",
    "mcp.ClientSession",
    "mcp.ClientSessionGroup",
    "mcp.StdioServerParameters",
    "mcp.client",
    "mcp.os",  # how a client starts processes
    "mcp.shared._httpx_utils",
    "mcp.shared.memory",  # connects a client with a server
    "mcp.shared.progress",
    "mcp.shared.response_router",
    "mcp.shared.session",  # the half of a session that a client is
    "mcp.stdio_client",
    "fastmcp.Client",
    "fastmcp.ClientGroup",
    "fastmcp.client",
    "fastmcp.mcp_config",
    "fastmcp.utilities.asgi_transport",
    "fastmcp.utilities.http",
    "fastmcp.utilities.json_schema_type",  # classes for the structured content that a client receives
)

_BOTH = (
    "mcp.McpError",
    "mcp.MCPDeprecationWarning",
    "mcp.MCPError",
    "mcp.UrlElicitationRequiredError",
    "mcp.shared.auth",
    "mcp.shared.context",
    "mcp.shared.direct_dispatcher",
    "mcp.shared.dispatcher",
    "mcp.shared.exceptions",
    "mcp.shared.extension",
    "mcp.shared.inbound",
    "mcp.shared.jsonrpc_dispatcher",
    "mcp.shared.message",
    "mcp.shared.peer",
    "mcp.shared.subscriptions",
    "mcp.shared.transport_context",
    "mcp.shared.version",
    "mcp.types",
    "mcp_types",
    "fastmcp.exceptions",  # one set of classes for both sides: see our_side.py
    "fastmcp.utilities.tests",
)


def is_below(source: str, name: str, modules: tuple[str, ...]) -> bool:
    """Whether a name of a module is one of some names, or below one of some modules."""
    full = f"{source}.{name}."
    return any(full.startswith(f"{one}.") for one in modules)


def side_of(source: str, name: str = "") -> Side:
    """Whose a name of a module is."""
    if is_below(source, name, _CLIENT):
        return "client"
    return "both" if is_below(source, name, _BOTH) or (source == "mcp" and name == "types") else "server"
