"""`mcp.server.fastmcp.resources.types`."""

from ....pieces import BinaryResource, FileResource, FunctionResource, TextResource

__all__ = ["BinaryResource", "FileResource", "FunctionResource", "TextResource"]
