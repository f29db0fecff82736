"""The types of the protocol in its newest revision, as msgspec Structs with the field names of the wire.

A field that is left out or None is absent from the wire; only `structuredContent` may be null there. Knows nothing of
policies, nor of what an older revision allows (see project).
"""

from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from .wire import codec

__all__ = [
    "BLOCKS",
    "Annotations",
    "AudioContent",
    "BlobResourceContents",
    "CallToolResult",
    "ContentBlock",
    "EmbeddedResource",
    "GetPromptResult",
    "Icon",
    "ImageContent",
    "Implementation",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "ReadResourceResult",
    "Resource",
    "ResourceContents",
    "ResourceLink",
    "ResourceTemplate",
    "Role",
    "TextContent",
    "TextResourceContents",
    "Tool",
    "ToolAnnotations",
    "ToolExecution",
    "parse_block",
    "parse_contents",
]

Role: TypeAlias = Literal["user", "assistant"]
Meta: TypeAlias = dict[str, Any]


class Wire(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The base of every type of the protocol: absent fields are left out, unknown ones refused."""

    def to_dict(self) -> dict[str, Any]:
        """The form on the wire, as plain data.

        >>> TextContent(text="hello").to_dict()
        {'type': 'text', 'text': 'hello'}
        """
        data: dict[str, Any] = codec.decode(codec.encode(self))
        return data

    def to_json(self) -> str:
        """The form on the wire, as JSON.

        >>> TextContent(text="hello").to_json()
        '{"type":"text","text":"hello"}'
        """
        return codec.encode(self).decode()


class Annotations(Wire, kw_only=True):
    """Hints for a client: the audience of something, its priority, and when it last changed."""

    audience: list[Role] | None = None
    priority: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    lastModified: str | None = None


class Icon(Wire, kw_only=True):
    """A picture a client may show beside a name."""

    src: str
    mimeType: str | None = None
    sizes: list[str] | None = None
    theme: Literal["light", "dark"] | None = None


# Content ----------------------------------------------------------------------------------------
# `type` comes from a factory because a plain default would be left out of the wire form.


class TextContent(Wire, kw_only=True):
    """Text for the model.

    >>> msgspec.json.encode(TextContent(type="text", text="hello"))
    b'{"type":"text","text":"hello"}'
    """

    type: Literal["text"] = field(default_factory=lambda: "text")
    text: str
    mimeType: str | None = None
    annotations: Annotations | None = None
    _meta: Meta | None = None


class ImageContent(Wire, kw_only=True):
    """An image; `data` is base64."""

    type: Literal["image"] = field(default_factory=lambda: "image")
    data: str
    mimeType: str
    annotations: Annotations | None = None
    _meta: Meta | None = None


class AudioContent(Wire, kw_only=True):
    """A sound; `data` is base64."""

    type: Literal["audio"] = field(default_factory=lambda: "audio")
    data: str
    mimeType: str
    annotations: Annotations | None = None
    _meta: Meta | None = None


class ResourceLink(Wire, kw_only=True):
    """A link to a resource that the client may read or subscribe to."""

    type: Literal["resource_link"] = field(default_factory=lambda: "resource_link")
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mimeType: str | None = None
    size: int | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | None = None
    _meta: Meta | None = None


class TextResourceContents(Wire, kw_only=True):
    """The text of a resource. `name`, `title` and `annotations` are an author's own additions."""

    uri: str
    name: str | None = None
    title: str | None = None
    mimeType: str | None = None
    text: str
    annotations: Annotations | None = None
    _meta: Meta | None = None


class BlobResourceContents(Wire, kw_only=True):
    """The bytes of a resource; `blob` is base64. `name`, `title` and `annotations` are an author's own additions."""

    uri: str
    name: str | None = None
    title: str | None = None
    mimeType: str | None = None
    blob: str
    annotations: Annotations | None = None
    _meta: Meta | None = None


ResourceContents: TypeAlias = TextResourceContents | BlobResourceContents


class EmbeddedResource(Wire, kw_only=True):
    """A resource sent with its contents."""

    type: Literal["resource"] = field(default_factory=lambda: "resource")
    resource: ResourceContents
    annotations: Annotations | None = None
    _meta: Meta | None = None


ContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
"""The kinds of content. A new kind is added here, and to the revisions that know it."""


def _type_of(kind: Any) -> str:
    """What a kind of content has in its field `type`."""
    made: str = kind.__struct_defaults__[kind.__struct_fields__.index("type")].factory()
    return made


BLOCKS: dict[str, type[ContentBlock]] = {_type_of(kind): kind for kind in get_args(ContentBlock)}
"""The kinds of content by their `type`."""


class PromptMessage(Wire, kw_only=True):
    """One message of a prompt."""

    role: Role
    content: ContentBlock


# Results ----------------------------------------------------------------------------------------


class CallToolResult(Wire, kw_only=True):
    """The result of tools/call. `structuredContent` left out is absent; None is the JSON null."""

    content: list[ContentBlock]
    structuredContent: Any | UnsetType = UNSET
    isError: bool | None = None
    resultType: str | None = None
    _meta: Meta | None = None


class ReadResourceResult(Wire, kw_only=True):
    """The result of resources/read."""

    contents: list[ResourceContents]
    resultType: str | None = None
    ttlMs: int | None = None
    cacheScope: Literal["public", "private"] | None = None
    _meta: Meta | None = None


class GetPromptResult(Wire, kw_only=True):
    """The result of prompts/get."""

    description: str | None = None
    messages: list[PromptMessage]
    resultType: str | None = None
    _meta: Meta | None = None


# Definitions ------------------------------------------------------------------------------------


class ToolAnnotations(Wire, kw_only=True):
    """Hints about what a tool does; a client treats them as untrusted."""

    title: str | None = None
    readOnlyHint: bool | None = None
    destructiveHint: bool | None = None
    idempotentHint: bool | None = None
    openWorldHint: bool | None = None


class ToolExecution(Wire, kw_only=True):
    """Whether a tool may run as a task."""

    taskSupport: Literal["forbidden", "optional", "required"] | None = None


class Tool(Wire, kw_only=True):
    """A tool as it is listed to clients."""

    name: str
    title: str | None = None
    description: str | None = None
    inputSchema: dict[str, Any]
    outputSchema: dict[str, Any] | None = None
    annotations: ToolAnnotations | None = None
    execution: ToolExecution | None = None
    icons: list[Icon] | None = None
    _meta: Meta | None = None


class Resource(Wire, kw_only=True):
    """A resource as it is listed to clients."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mimeType: str | None = None
    size: int | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | None = None
    _meta: Meta | None = None


class ResourceTemplate(Wire, kw_only=True):
    """A family of resources, by a template of their URI."""

    uriTemplate: str
    name: str
    title: str | None = None
    description: str | None = None
    mimeType: str | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | None = None
    _meta: Meta | None = None


class PromptArgument(Wire, kw_only=True):
    """An argument of a prompt."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None


class Prompt(Wire, kw_only=True):
    """A prompt as it is listed to clients."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: list[PromptArgument] | None = None
    icons: list[Icon] | None = None
    _meta: Meta | None = None


class Implementation(Wire, kw_only=True):
    """The name and version of a client or server."""

    name: str
    title: str | None = None
    version: str
    description: str | None = None
    websiteUrl: str | None = None
    icons: list[Icon] | None = None


# Reading the wire form --------------------------------------------------------------------------
# Strict: a key that no revision defines is refused, so that nothing is dropped silently.


def parse_block(data: Any) -> ContentBlock:
    """A content block from its wire form; raises msgspec.ValidationError.

    >>> parse_block({"type": "text", "text": "hello"}).text
    'hello'
    """
    kind = data.get("type") if isinstance(data, dict) else None
    block = BLOCKS.get(kind) if isinstance(kind, str) else None
    if block is None:
        raise msgspec.ValidationError(f"a content block has a type out of {', '.join(BLOCKS)}")
    if block is EmbeddedResource:
        parsed = codec.convert(data, _Embedded)
        return EmbeddedResource(
            resource=parse_contents(parsed.resource),
            annotations=parsed.annotations,
            _meta=parsed._meta,
        )
    result: ContentBlock = codec.convert(data, block)
    return result


class _Embedded(Wire, kw_only=True):
    """EmbeddedResource without its union, whose members msgspec cannot distinguish."""

    type: Literal["resource"]
    resource: Any
    annotations: Annotations | None = None
    _meta: Meta | None = None


def parse_contents(data: Any) -> ResourceContents:
    """Resource contents from their wire form; raises msgspec.ValidationError."""
    if isinstance(data, dict) and "blob" in data:
        return codec.convert(data, BlobResourceContents)
    return codec.convert(data, TextResourceContents)
