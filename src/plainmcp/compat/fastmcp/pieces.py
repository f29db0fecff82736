"""The results that handlers of FastMCP return, and those that a program gets from its own server."""

import json
from binascii import a2b_base64
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ... import results
from ...foreign import classes
from .protocol_types import to_block

__all__ = [
    "Message",
    "PromptResult",
    "ResourceContent",
    "ResourceResult",
    "ToolResult",
    "contents_of",
    "to_prompt_result",
    "to_resource_result",
    "to_tool_result",
]


class ToolResult(results.ToolResult):
    """A tool's result under full control; `structured_content` is None when there is none."""

    __slots__ = ()

    def __init__(
        self,
        content: object = None,
        structured_content: Any = None,
        meta: dict[str, Any] | None = None,
        is_error: bool = False,
    ) -> None:
        if content is None and structured_content is None:
            raise ValueError("Either content or structured_content must be provided")
        super().__init__(content, structured_content, meta, is_error)
        self.structured_content = structured_content


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt: a text or content, and its role."""

    content: Any
    role: Literal["user", "assistant"] = "user"

    def __post_init__(self) -> None:
        content = self.content
        if isinstance(content, dict | list):
            content = msgspec.json.encode(content, enc_hook=str).decode()
        if isinstance(content, str):
            object.__setattr__(self, "content", to_block({"type": "text", "text": content}))


class PromptResult(results.PromptResult):
    """The messages of a prompt: from one text, or from a list of Messages."""

    __slots__ = ()

    def __init__(
        self, messages: Any = None, description: str | None = None, meta: dict[str, Any] | None = None
    ) -> None:
        if isinstance(messages, str):
            messages = [Message(messages)]
        elif isinstance(messages, Message | dict):
            raise TypeError(
                f"messages must be str or list of Messages, not {type(messages).__name__}: write [Message(…)]"
            )
        super().__init__(messages, description, meta)


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """One piece of a resource: text or bytes, and their type."""

    content: Any
    mime_type: str | None = None
    meta: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.mime_type is None:
            kinds: dict[type, str] = {str: "text/plain", bytes: "application/octet-stream"}
            object.__setattr__(self, "mime_type", kinds.get(type(self.content), "application/json"))
        if not isinstance(self.content, str | bytes):
            object.__setattr__(self, "content", msgspec.json.encode(self.content, enc_hook=_to_data).decode())


def _to_data(value: Any) -> Any:
    """A value that is not JSON as data that is."""
    return classes.dump_model(value) if classes.is_pydantic(type(value)) else str(value)


class ResourceResult(results.ResourceResult):
    """The pieces of a resource: from one text, from bytes, from data, or from a list of ResourceContents."""

    __slots__ = ()

    def __init__(self, contents: Any = None, meta: dict[str, Any] | None = None) -> None:
        if isinstance(contents, ResourceContent):
            raise TypeError("contents must be str, bytes, or list, or other data: write [ResourceContent(…)]")
        if isinstance(contents, list):
            for number, one in enumerate(contents):
                if not isinstance(one, ResourceContent):
                    raise TypeError(f"contents[{number}] must be ResourceContent, not {type(one).__name__}")
        elif contents is not None:
            contents = [ResourceContent(contents if isinstance(contents, str | bytes) else json.dumps(contents))]
        super().__init__(contents, meta)


def to_resource_result(value: Any, *, mime_type: str, meta: dict[str, Any] | None) -> Any:
    """What a resource returned, with the type and the `_meta` of the resource; data becomes JSON text."""
    if isinstance(value, list) and value and isinstance(value[0], ResourceContent):
        own = [{**(meta or {}), **(one.meta or {})} or None for one in value]
        value = [ResourceContent(one.content, one.mime_type, extra) for one, extra in zip(value, own, strict=True)]
        return ResourceResult(value)
    if isinstance(value, dict | list | tuple | int | float) or value is None:
        value = json.dumps(value)
    return ResourceResult([ResourceContent(value, mime_type, meta)]) if isinstance(value, str | bytes) else value


def to_prompt_result(value: Any, *, meta: dict[str, Any] | None) -> Any:
    """What a prompt returned, with the `_meta` of the prompt."""
    return value if meta is None or isinstance(value, PromptResult) else PromptResult(value, meta=meta)


def contents_of(result: dict[str, Any]) -> ResourceResult:
    """The contents in a result of resources/read."""
    return ResourceResult([_to_content(one) for one in result["contents"]])


def _to_content(one: dict[str, Any]) -> ResourceContent:
    content = one["text"] if "text" in one else a2b_base64(one["blob"])
    return ResourceContent(content, one.get("mimeType"), one.get("_meta"))


def to_tool_result(result: dict[str, Any]) -> ToolResult:
    """The result of tools/call, with its blocks as objects."""
    blocks = [to_block(block) for block in result.get("content", ())]
    structured, is_error = result.get("structuredContent"), bool(result.get("isError"))
    return ToolResult(blocks, structured, result.get("_meta"), is_error)
