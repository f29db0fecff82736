"""`fastmcp.resources.function_resource`."""

from ..decorators import resource
from ..resource_types import FunctionResource

__all__ = ["FunctionResource", "resource"]
