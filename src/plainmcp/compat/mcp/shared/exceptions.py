"""`mcp.shared.exceptions` of `mcp` 1 and 2."""

from ..exceptions import MCPDeprecationWarning, MCPError, McpError, UrlElicitationRequiredError

__all__ = ["MCPDeprecationWarning", "MCPError", "McpError", "UrlElicitationRequiredError"]
