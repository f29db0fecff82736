"""`mcp.server.lowlevel.helper_types` of `mcp` 1."""

from ...helper_types import ReadResourceContents

__all__ = ["ReadResourceContents"]
