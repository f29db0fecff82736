"""`fastmcp.server.completions`."""

from ..complete import Completion

__all__ = ["Completion"]
