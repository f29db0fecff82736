"""`mcp.shared`."""

from ..exceptions import MCPError, McpError

__all__ = ["MCPError", "McpError"]
