"""`fastmcp.resources.template`."""

from ..components import ResourceTemplate

__all__ = ["ResourceTemplate"]
