"""`mcp.server.mcpserver.prompts`."""

from ....pieces import Prompt

__all__ = ["Prompt"]
