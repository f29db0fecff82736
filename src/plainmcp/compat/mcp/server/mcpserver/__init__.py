"""`mcp.server.mcpserver` of `mcp` 2."""

from ...context import Context
from ...mcp_server import MCPServer
from ...pieces import Audio, Image
from ...types import Icon

__all__ = ["Audio", "Context", "Icon", "Image", "MCPServer"]
