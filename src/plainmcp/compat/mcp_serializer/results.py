"""The result classes of mcp-serializer, under the name of their module there."""

from .prompt_result import PromptsResult
from .resource_result import ResourceResult
from .tool_result import ToolsResult

__all__ = ["PromptsResult", "ResourceResult", "ToolsResult"]
