"""`fastmcp.resources.resource` of FastMCP 2."""

from ..resource_types import FunctionResource, Resource

__all__ = ["FunctionResource", "Resource"]
