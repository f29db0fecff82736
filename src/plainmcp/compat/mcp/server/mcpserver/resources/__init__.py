"""`mcp.server.mcpserver.resources`."""

from ....resource_templates import ResourceManager, ResourceTemplate
from ....resources import (
    BinaryResource,
    DirectoryResource,
    FileResource,
    FunctionResource,
    HttpResource,
    Resource,
    TextResource,
)

__all__ = [
    "BinaryResource",
    "DirectoryResource",
    "FileResource",
    "FunctionResource",
    "HttpResource",
    "Resource",
    "ResourceManager",
    "ResourceTemplate",
    "TextResource",
]
