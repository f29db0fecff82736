"""`mcp.server.mcpserver.exceptions` of `mcp` 2."""

from ...exceptions import (
    InvalidSignature,
    ResourceError,
    ResourceNotFoundError,
    ToolError,
    UnexpectedResourceError,
    UnexpectedToolError,
    ValidationError,
)

__all__ = [
    "InvalidSignature",
    "ResourceError",
    "ResourceNotFoundError",
    "ToolError",
    "UnexpectedResourceError",
    "UnexpectedToolError",
    "ValidationError",
]
