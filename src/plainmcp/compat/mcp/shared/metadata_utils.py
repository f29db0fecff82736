"""`mcp.shared.metadata_utils`: what to show people for a tool, a prompt or a resource."""

from typing import Any

__all__ = ["get_display_name"]


def get_display_name(obj: Any) -> str:
    """The title of an object; of a tool without one the title of its annotations; else its name."""
    titles = obj.title, getattr(getattr(obj, "annotations", None), "title", None)
    return str(next((title for title in titles if title is not None), obj.name))
