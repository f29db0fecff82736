"""`fastmcp.prompts.function_prompt`."""

from ..components import FunctionPrompt
from ..decorators import prompt

__all__ = ["FunctionPrompt", "prompt"]
