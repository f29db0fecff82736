"""`fastmcp.prompts.base`."""

from ..components import Prompt
from ..pieces import Message, PromptResult

__all__ = ["Message", "Prompt", "PromptResult"]
