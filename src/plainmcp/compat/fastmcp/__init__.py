"""The names of FastMCP: its server, its context, its middleware, and the classes that handlers return.

A program that is written for FastMCP 4.1, or has the constructor of FastMCP 2, only changes its imports: `fastmcp`
becomes `plainmcp.compat.fastmcp`, also in `fastmcp.server.middleware` and the like. Names that the package has in
several modules are all here, too. Its other public names can be imported, and are refused when they are used.

>>> mcp = FastMCP("Demo")
>>> @mcp.tool
... def add(a: int, b: int) -> int:
...     return a + b
>>> "add" in mcp.registry.tools
True
"""

from .components import FunctionPrompt, FunctionTool, Prompt, ResourceTemplate, Tool
from .context import (
    AcceptedElicitation,
    CancelledElicitation,
    Context,
    DeclinedElicitation,
    SamplingResult,
    get_context,
)
from .dependencies import (
    CurrentAccessToken,
    CurrentContext,
    CurrentFastMCP,
    CurrentHeaders,
    CurrentRequest,
    Depends,
    Progress,
    get_access_token,
    get_http_headers,
    get_http_request,
    get_server,
)
from .exceptions import FastMCPError, NotFoundError, PromptError, ResourceError, ToolError, ValidationError
from .fast_mcp import FastMCP
from .media_types import Audio, File, Image
from .middleware import CallNext, Middleware, MiddlewareContext
from .pieces import Message, PromptResult, ResourceContent, ResourceResult, ToolResult
from .resource_types import (
    BinaryResource,
    DirectoryResource,
    FileResource,
    FunctionResource,
    HttpResource,
    Resource,
    TextResource,
)
from .settings import settings
from .utilities.logging import get_logger

__all__ = [
    "AcceptedElicitation",
    "Audio",
    "BinaryResource",
    "CallNext",
    "CancelledElicitation",
    "Context",
    "CurrentAccessToken",
    "CurrentContext",
    "CurrentFastMCP",
    "CurrentHeaders",
    "CurrentRequest",
    "DeclinedElicitation",
    "Depends",
    "DirectoryResource",
    "FastMCP",
    "FastMCPError",
    "File",
    "FileResource",
    "FunctionPrompt",
    "FunctionResource",
    "FunctionTool",
    "HttpResource",
    "Image",
    "Message",
    "Middleware",
    "MiddlewareContext",
    "NotFoundError",
    "Progress",
    "Prompt",
    "PromptError",
    "PromptResult",
    "Resource",
    "ResourceContent",
    "ResourceError",
    "ResourceResult",
    "ResourceTemplate",
    "SamplingResult",
    "TextResource",
    "Tool",
    "ToolError",
    "ToolResult",
    "ValidationError",
    "get_access_token",
    "get_context",
    "get_http_headers",
    "get_http_request",
    "get_logger",
    "get_server",
    "settings",
]

__version__ = "4.1.6"
"""The version of FastMCP whose names and behaviour these are."""
