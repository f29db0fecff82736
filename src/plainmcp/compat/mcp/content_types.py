"""The types of the official SDK that servers return and list: content, contents and definitions."""

from typing import Any, Literal, TypeAlias, get_args

from .wire_model import Model, Uri

__all__ = [
    "Annotations",
    "AudioContent",
    "BaseMetadata",
    "BlobResourceContents",
    "Content",
    "ContentBlock",
    "EmbeddedResource",
    "Icon",
    "ImageContent",
    "Implementation",
    "Meta",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
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
    "ToolResultContent",
    "ToolUseContent",
]

Role: TypeAlias = Literal["user", "assistant"]
Meta: TypeAlias = dict[str, Any]


class Annotations(Model):
    """`Annotations` of the SDK."""

    audience: list[Role] | None = None
    priority: float | None = None
    lastModified: str | None = None

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if self.priority is not None and not 0 <= self.priority <= 1:
            raise ValueError(f"priority is between 0 and 1, not {self.priority}")
        if self.audience is not None and not set(self.audience) <= set(get_args(Role)):
            raise ValueError(f"audience has user and assistant, not {self.audience}")


class Icon(Model):
    """`Icon` of the SDK."""

    src: str
    mimeType: str | None = None
    sizes: list[str] | None = None
    theme: str | None = None


class BaseMetadata(Model):
    """`BaseMetadata` of the SDK."""

    name: str
    title: str | None = None


class Implementation(BaseMetadata):
    """`Implementation` of the SDK."""

    version: str
    description: str | None = None
    websiteUrl: str | None = None
    icons: list[Icon] | None = None


class ResourceContents(Model):
    """`ResourceContents` of the SDK."""

    uri: Uri
    mimeType: str | None = None
    meta: Meta | None = None


class TextResourceContents(ResourceContents):
    """`TextResourceContents` of the SDK."""

    text: str


class BlobResourceContents(ResourceContents):
    """`BlobResourceContents` of the SDK."""

    blob: str


class TextContent(Model):
    """`TextContent` of the SDK."""

    type: Literal["text"] = "text"
    text: str
    annotations: Annotations | None = None
    meta: Meta | None = None


class ImageContent(Model):
    """`ImageContent` of the SDK."""

    type: Literal["image"] = "image"
    data: str
    mimeType: str
    annotations: Annotations | None = None
    meta: Meta | None = None


class AudioContent(Model):
    """`AudioContent` of the SDK."""

    type: Literal["audio"] = "audio"
    data: str
    mimeType: str
    annotations: Annotations | None = None
    meta: Meta | None = None


class Resource(BaseMetadata):
    """`Resource` of the SDK."""

    uri: Uri
    description: str | None = None
    mimeType: str | None = None
    size: int | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None


class ResourceLink(Resource):
    """`ResourceLink` of the SDK."""

    type: Literal["resource_link"] = "resource_link"


class EmbeddedResource(Model):
    """`EmbeddedResource` of the SDK."""

    type: Literal["resource"] = "resource"
    resource: TextResourceContents | BlobResourceContents
    annotations: Annotations | None = None
    meta: Meta | None = None


class ToolUseContent(Model):
    """`ToolUseContent` of the SDK."""

    type: Literal["tool_use"] = "tool_use"
    name: str
    id: str
    input: dict[str, Any]
    meta: Meta | None = None


class ResourceTemplate(BaseMetadata):
    """`ResourceTemplate` of the SDK."""

    uriTemplate: str
    description: str | None = None
    mimeType: str | None = None
    icons: list[Icon] | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None


class PromptArgument(Model):
    """`PromptArgument` of the SDK."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None


class Prompt(BaseMetadata):
    """`Prompt` of the SDK."""

    description: str | None = None
    arguments: list[PromptArgument] | None = None
    icons: list[Icon] | None = None
    meta: Meta | None = None


class ToolAnnotations(Model):
    """`ToolAnnotations` of the SDK."""

    title: str | None = None
    readOnlyHint: bool | None = None
    destructiveHint: bool | None = None
    idempotentHint: bool | None = None
    openWorldHint: bool | None = None


class ToolExecution(Model):
    """`ToolExecution` of the SDK."""

    taskSupport: str | None = None


class Tool(BaseMetadata):
    """`Tool` of the SDK."""

    description: str | None = None
    inputSchema: dict[str, Any]
    outputSchema: dict[str, Any] | None = None
    icons: list[Icon] | None = None
    annotations: ToolAnnotations | None = None
    meta: Meta | None = None
    execution: ToolExecution | None = None


ContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
Content: TypeAlias = ContentBlock


class ToolResultContent(Model):
    """`ToolResultContent` of the SDK."""

    type: Literal["tool_result"] = "tool_result"
    toolUseId: str
    content: list[ContentBlock] = []  # noqa: RUF012 - a new list for each object
    structuredContent: Any = None
    isError: bool | None = None
    meta: Meta | None = None


class PromptMessage(Model):
    """`PromptMessage` of the SDK."""

    role: Role
    content: ContentBlock
