"""Data of the wire as the types of `mcp.types`, which programs test for. They are loaded for those who need them."""

from typing import Any

__all__ = ["to_annotations", "to_block"]


def to_block(wire: dict[str, Any]) -> Any:
    """A content block."""
    from ..mcp import content_types
    from ..mcp.loaded_types import to_loaded

    kind: Any = {
        "text": content_types.TextContent,
        "image": content_types.ImageContent,
        "audio": content_types.AudioContent,
        "resource_link": content_types.ResourceLink,
    }.get(wire["type"], content_types.EmbeddedResource)
    return to_loaded(kind(**wire))


def to_annotations(kind: str, wire: Any) -> Any:
    """The annotations of a tool or a resource; None if there are none."""
    from ..mcp import content_types
    from ..mcp.loaded_types import to_loaded

    made: Any = content_types.ToolAnnotations if kind == "tool" else content_types.Annotations
    return None if wire is None else to_loaded(made(**wire))
