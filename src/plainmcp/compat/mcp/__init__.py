"""The names of the official SDK, `mcp`, on top of plainmcp: replace `mcp` by `plainmcp.compat.mcp` in an import.

The modules are laid out as in the package: `server.fastmcp` and the low-level decorators of `mcp` 1, `MCPServer` and
the handlers of `mcp` 2, `types`, `server.stdio`, `shared.exceptions`.
"""

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
