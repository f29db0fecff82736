"""`mcp.server.fastmcp.prompts`."""

from ....prompts import Prompt, PromptManager

__all__ = ["Prompt", "PromptManager"]
