"""The names of the official SDK, `mcp`, on top of plainmcp: replace `mcp` by `plainmcp.compat.mcp` in an import.

The modules are laid out as in the package: `server.fastmcp` and the low-level decorators of `mcp` 1, `MCPServer` and
the handlers of `mcp` 2, `types`, `server.stdio`, `shared.exceptions`.
"""

from typing import Any

from . import types
from .exceptions import MCPDeprecationWarning, MCPError, McpError, UrlElicitationRequiredError
from .session import ServerSession
from .stdio_streams import stdio_server

__all__ = [
    "MCPDeprecationWarning",
    "MCPError",
    "McpError",
    "ServerSession",
    "UrlElicitationRequiredError",
    "stdio_server",
    "types",
]

_CLIENT = (
    "plainmcp is the server side; keep the client of mcp in a program of its own, or use plainmcp.testing.Client"
)
_MISSING = dict.fromkeys(
    ("Client", "ClientSession", "ClientSessionGroup", "StdioServerParameters", "stdio_client"), _CLIENT
)


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise ImportError(f"plainmcp.compat.mcp has no {name}; {_MISSING[name]}", name=__name__)
    if hasattr(types, name):
        return getattr(types, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
