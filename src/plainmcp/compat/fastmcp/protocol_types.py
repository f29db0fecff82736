"""Data of the wire as the types of `mcp.types`, which programs test for. They are loaded for those who need them."""

from typing import Any

__all__ = ["to_annotations", "to_block", "to_feature_type"]


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


def to_feature_type(kind: str, wire: dict[str, Any]) -> Any:
    """The definition of a feature, as a client is sent it."""
    from ..mcp import content_types
    from ..mcp.loaded_types import to_loaded

    kinds: dict[str, Any] = {
        "tool": content_types.Tool,
        "prompt": content_types.Prompt,
        "resource": content_types.Resource,
        "template": content_types.ResourceTemplate,
    }
    return to_loaded(kinds[kind](**wire))
