"""`mcp.server.mcpserver.server` of `mcp` 2."""

from ...context import Context
from ...mcp_server import MCPServer
from ...settings import Settings

__all__ = ["Context", "MCPServer", "Settings"]
