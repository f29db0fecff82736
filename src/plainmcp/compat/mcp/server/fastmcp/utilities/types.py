"""`mcp.server.fastmcp.utilities.types`."""

from ....pieces import Audio, Image

__all__ = ["Audio", "Image"]
