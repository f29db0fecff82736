"""The classes that handlers of FastMCP return and raise, and functions to be registered later."""

from binascii import a2b_base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import msgspec

from ...errors import ToolError
from ...results import ResourceResult

__all__ = [
    "Message",
    "Prompt",
    "Resource",
    "ResourceContent",
    "ResourceError",
    "ResourceTemplate",
    "Tool",
    "contents_of",
]


class ResourceError(ToolError):
    """A resource that cannot be read; the client sees the text."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt: a text or content, and its role."""

    content: Any
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """One piece of a resource: text or bytes, and their type."""

    content: Any
    mime_type: str | None = None


def contents_of(raw: bytes) -> ResourceResult:
    """The contents in a response to resources/read; raises ResourceError."""
    answer: dict[str, Any] = msgspec.json.decode(raw)
    if "error" in answer:
        raise ResourceError(answer["error"]["message"])
    return ResourceResult([_piece(one) for one in answer["result"]["contents"]])


def _piece(one: dict[str, Any]) -> ResourceContent:
    return ResourceContent(one["text"] if "text" in one else a2b_base64(one["blob"]), one.get("mimeType"))


@dataclass(frozen=True, slots=True)
class _Offer:
    """A function and its options."""

    fn: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_function(cls, fn: Callable[..., Any], **options: Any) -> Self:
        """Keep a function and the options of its decorator until it is added to a server."""
        return cls(fn, options)


class Tool(_Offer):
    """A function for FastMCP.add_tool."""


class Prompt(_Offer):
    """A function for FastMCP.add_prompt."""


class Resource(_Offer):
    """A function for FastMCP.add_resource; its URI is the option `uri`."""


class ResourceTemplate(_Offer):
    """A function for FastMCP.add_template; its URI is the option `uri_template`."""
