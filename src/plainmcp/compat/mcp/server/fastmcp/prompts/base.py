"""`mcp.server.fastmcp.prompts.base`."""

from ....content_types import PromptArgument
from ....pieces import AssistantMessage, Message, UserMessage
from ....prompts import Prompt

__all__ = ["AssistantMessage", "Message", "Prompt", "PromptArgument", "UserMessage"]
