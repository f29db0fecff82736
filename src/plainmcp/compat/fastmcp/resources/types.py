"""`fastmcp.resources.types`."""

from ..resource_types import BinaryResource, DirectoryResource, FileResource, HttpResource, TextResource

__all__ = ["BinaryResource", "DirectoryResource", "FileResource", "HttpResource", "TextResource"]
