"""The names of other packages, on top of plainmcp: a program written for one of them only changes its imports.

`install()` makes the imports of `mcp` and `fastmcp` lead here, so that not even these change.
"""

from .drop_in import install

__all__ = ["install"]
