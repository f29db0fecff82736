"""`fastmcp.resources.resource` of FastMCP 2."""

from ..decorators import make_callable
from ..decorators import resource as decorate
from ..resource_types import FunctionResource, Resource

__all__ = ["FunctionResource", "Resource", "decorate"]

make_callable(__name__)
