"""`fastmcp.prompts.base`."""

from ....results import PromptResult
from ..components import Prompt
from ..pieces import Message

__all__ = ["Message", "Prompt", "PromptResult"]
