"""`fastmcp.resources.base`."""

from ..pieces import ResourceContent, ResourceResult
from ..resource_types import Resource

__all__ = ["Resource", "ResourceContent", "ResourceResult"]
