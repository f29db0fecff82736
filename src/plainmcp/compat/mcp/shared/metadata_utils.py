"""`mcp.shared.metadata_utils`: what to show people for a tool, a prompt or a resource."""

from typing import Any

__all__ = ["get_display_name"]


def get_display_name(obj: Any) -> str:
    """The title of an object; of a tool without one the title of its annotations; else its name."""
    annotations = getattr(obj, "annotations", None)
    return str(obj.title or getattr(annotations, "title", None) or obj.name)
