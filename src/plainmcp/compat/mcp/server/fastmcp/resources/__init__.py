"""`mcp.server.fastmcp.resources`."""

from ....resource_templates import ResourceManager, ResourceTemplate
from ....resources import BinaryResource, DirectoryResource, HttpResource, Resource, TextResource
from ....resources import OlderFileResource as FileResource
from ....resources import OlderFunctionResource as FunctionResource

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
