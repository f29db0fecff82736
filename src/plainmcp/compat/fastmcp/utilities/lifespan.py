"""`fastmcp.utilities.lifespan`."""

from ..joined_lifespan import combine_lifespans

__all__ = ["combine_lifespans"]
