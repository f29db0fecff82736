"""`mcp.server.mcpserver.prompts.base`."""

from ....pieces import AssistantMessage, Message, Prompt, UserMessage
from ....types import PromptArgument

__all__ = ["AssistantMessage", "Message", "Prompt", "PromptArgument", "UserMessage"]
