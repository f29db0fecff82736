"""`fastmcp.prompts.prompt` of FastMCP 2."""

from ..components import FunctionPrompt, Prompt
from ..pieces import Message

__all__ = ["FunctionPrompt", "Message", "Prompt", "PromptMessage"]

PromptMessage = Message
