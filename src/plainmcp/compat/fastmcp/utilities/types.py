"""`fastmcp.utilities.types`."""

from ..pieces import Audio, File, Image

__all__ = ["Audio", "File", "Image"]
