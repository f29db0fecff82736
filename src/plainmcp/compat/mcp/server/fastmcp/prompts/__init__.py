"""`mcp.server.fastmcp.prompts`."""

from ....pieces import Prompt

__all__ = ["Prompt"]
