"""The names of FastMCP: its server, its context, and the classes that handlers return.

Only names and differences are here; the rules are those of plainmcp with the policy "fastmcp". Names that the package
has in several modules are all here: `from plainmcp.compat.fastmcp import FastMCP, Context, Image, ToolError`.

>>> mcp = FastMCP("Demo")
>>> @mcp.tool
... def add(a: int, b: int) -> int:
...     return a + b
>>> "add" in mcp.registry.tools
True
"""

from typing import Any

from ...errors import ToolError
from ...media import Audio, File, Image
from ...results import PromptResult, ResourceResult, ToolResult
from .context import (
    AcceptedElicitation,
    CancelledElicitation,
    Context,
    DeclinedElicitation,
    SamplingResult,
    get_context,
)
from .missing import IN_THE_PACKAGE
from .pieces import Message, Prompt, Resource, ResourceContent, ResourceError, ResourceTemplate, Tool
from .server import FastMCP

__all__ = [
    "AcceptedElicitation",
    "Audio",
    "CancelledElicitation",
    "Context",
    "DeclinedElicitation",
    "FastMCP",
    "File",
    "Image",
    "Message",
    "Prompt",
    "PromptResult",
    "Resource",
    "ResourceContent",
    "ResourceError",
    "ResourceResult",
    "ResourceTemplate",
    "SamplingResult",
    "Tool",
    "ToolError",
    "ToolResult",
    "get_context",
]


def __getattr__(name: str) -> Any:
    if name in IN_THE_PACKAGE:
        raise ImportError(f"plainmcp.compat.fastmcp has no {name}; {IN_THE_PACKAGE[name]}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
