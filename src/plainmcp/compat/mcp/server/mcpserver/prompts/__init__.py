"""`mcp.server.mcpserver.prompts`."""

from ....prompts import Prompt, PromptManager

__all__ = ["Prompt", "PromptManager"]
