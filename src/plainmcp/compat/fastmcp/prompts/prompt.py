"""`fastmcp.prompts.prompt` of FastMCP 2."""

from ..components import FunctionPrompt, Prompt
from ..decorators import make_callable
from ..decorators import prompt as decorate
from ..pieces import Message

__all__ = ["FunctionPrompt", "Message", "Prompt", "PromptMessage", "decorate"]

PromptMessage = Message

make_callable(__name__)
