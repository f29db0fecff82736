"""The names of other packages, on top of plainmcp: a program written for one of them only changes its imports.

`install()` makes the imports of `mcp` and `fastmcp` lead here, so that not even these change.
"""

from .drop_in import install
from .facade_modules import add_facade_modules

__all__ = ["install"]

add_facade_modules()
