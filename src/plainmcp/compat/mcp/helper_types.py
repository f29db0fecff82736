"""What reading a resource gives inside a server of the official SDK: contents, and the error where there are none."""

from binascii import a2b_base64
from dataclasses import dataclass
from typing import Any

from ... import errors

__all__ = [
    "FastMCPError",
    "ReadResourceContents",
    "ResourceContent",
    "ResourceError",
    "ResourceNotFoundError",
    "contents_of",
]


class FastMCPError(errors.PlainMCPError):
    """The base of the errors of the SDK's servers."""


class ResourceError(FastMCPError, errors.ToolError):
    """A resource that cannot be read; the client sees the text."""


class ResourceNotFoundError(ResourceError, ValueError):
    """There is no resource at a URI; in `mcp` 1 this is a ValueError."""


@dataclass
class ReadResourceContents:
    """One piece of a resource: text or bytes, and their type."""

    content: str | bytes
    mime_type: str | None = None
    meta: dict[str, Any] | None = None


@dataclass(frozen=True)
class ResourceContent:
    """What a function returned for a resource, with the `_meta` of the resource."""

    content: Any
    mime_type: str | None = None
    meta: dict[str, Any] | None = None


def contents_of(answer: dict[str, Any]) -> list[ReadResourceContents]:
    """The contents in a response to resources/read; raises ResourceError."""
    if "error" in answer:
        message = answer["error"]["message"]
        raise (ResourceNotFoundError if message.startswith("Unknown resource: ") else ResourceError)(message)
    return [
        ReadResourceContents(one["text"] if "text" in one else a2b_base64(one["blob"]), one.get("mimeType"))
        for one in answer["result"]["contents"]
    ]
