"""`fastmcp.utilities.types`."""

from ..media_types import Audio, File, Image

__all__ = ["Audio", "File", "Image"]
