"""`mcp.server.mcpserver.resources`."""

from ....managers import ResourceManager
from ....pieces import BinaryResource, FileResource, FunctionResource, Resource, TextResource

__all__ = ["BinaryResource", "FileResource", "FunctionResource", "Resource", "ResourceManager", "TextResource"]
