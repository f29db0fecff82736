"""`fastmcp.resources`: its module `resource` of FastMCP 2, and its decorator of the same name."""

from ..components import ResourceTemplate
from ..decorators import resource
from ..pieces import ResourceContent, ResourceResult
from ..resource_types import (
    BinaryResource,
    DirectoryResource,
    FileResource,
    FunctionResource,
    HttpResource,
    Resource,
    TextResource,
)
from . import resource as _module  # first, so that the name below is the decorator

__all__ = [
    "BinaryResource",
    "DirectoryResource",
    "FileResource",
    "FunctionResource",
    "HttpResource",
    "Resource",
    "ResourceContent",
    "ResourceResult",
    "ResourceTemplate",
    "TextResource",
    "resource",
]

del _module
