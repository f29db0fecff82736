"""`fastmcp.resources.base`."""

from ....results import ResourceResult
from ..pieces import ResourceContent
from ..resource_types import Resource

__all__ = ["Resource", "ResourceContent", "ResourceResult"]
