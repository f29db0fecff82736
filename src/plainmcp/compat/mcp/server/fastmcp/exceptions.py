"""`mcp.server.fastmcp.exceptions` of `mcp` 1."""

from ...exceptions import FastMCPError, InvalidSignature, ResourceError, ToolError, ValidationError

__all__ = ["FastMCPError", "InvalidSignature", "ResourceError", "ToolError", "ValidationError"]
