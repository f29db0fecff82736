"""`fastmcp.utilities.types`, with a name that documents import from here although FastMCP has it elsewhere."""

from ..media_types import Audio, File, Image
from ..pieces import ToolResult

__all__ = ["Audio", "File", "Image", "ToolResult"]
