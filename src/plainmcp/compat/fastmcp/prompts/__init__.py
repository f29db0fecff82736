"""`fastmcp.prompts`: its module `prompt` of FastMCP 2, and its decorator of the same name."""

from ..components import FunctionPrompt, Prompt
from ..decorators import prompt
from ..pieces import Message, PromptResult
from . import prompt as _module  # first, so that the name below is the decorator

__all__ = ["FunctionPrompt", "Message", "Prompt", "PromptResult", "prompt"]

del _module
