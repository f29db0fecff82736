"""`mcp.server.fastmcp` of `mcp` 1."""

from ...context import Context
from ...fast_mcp import FastMCP
from ...pieces import Audio, Image
from ...types import Icon

__all__ = ["Audio", "Context", "FastMCP", "Icon", "Image"]
