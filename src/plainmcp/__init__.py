"""Plain Python in, exact MCP out: the names a user may rely on, and nothing else."""

from .context import Context
from .errors import ToolError
from .media import Audio, File, Image
from .policy import Policy
from .results import PromptResult, ResourceResult, ToolResult, full, structured, text
from .schema.signature import Depends
from .server import Server
from .values.normalize import normalize_prompt_result, normalize_resource_payload, normalize_tool_result

__all__ = [
    "Audio",
    "Context",
    "Depends",
    "File",
    "Image",
    "Policy",
    "PromptResult",
    "ResourceResult",
    "Server",
    "ToolError",
    "ToolResult",
    "full",
    "normalize_prompt_result",
    "normalize_resource_payload",
    "normalize_tool_result",
    "structured",
    "text",
]
