"""The types of the official SDK for results, errors and notifications: what its handlers return and send."""

from typing import Any, Literal, TypeAlias

from .content_types import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    ImageContent,
    Implementation,
    Meta,
    Prompt,
    PromptMessage,
    Resource,
    ResourceTemplate,
    Role,
    TextContent,
    TextResourceContents,
    Tool,
    ToolResultContent,
    ToolUseContent,
)
from .request_types import LoggingLevel, ServerCapabilities
from .wire_model import Model, ModelType, Uri

__all__ = [
    "CallToolResult",
    "CancelledNotification",
    "CompleteResult",
    "Completion",
    "CreateMessageResult",
    "ElicitResult",
    "EmptyResult",
    "ErrorData",
    "GetPromptResult",
    "InitializeResult",
    "InitializedNotification",
    "InputRequiredResult",
    "ListPromptsResult",
    "ListResourceTemplatesResult",
    "ListResourcesResult",
    "ListRootsResult",
    "ListToolsResult",
    "LoggingMessageNotification",
    "LoggingMessageNotificationParams",
    "Notification",
    "NotificationParams",
    "PaginatedResult",
    "ProgressNotification",
    "ProgressNotificationParams",
    "PromptListChangedNotification",
    "ReadResourceResult",
    "ResourceListChangedNotification",
    "ResourceUpdatedNotification",
    "Result",
    "Root",
    "RootsListChangedNotification",
    "ServerResult",
    "ToolListChangedNotification",
]


class Result(Model):
    """`Result` of the SDK."""

    meta: Meta | None = None


class EmptyResult(Result):
    """`EmptyResult` of the SDK."""


class PaginatedResult(Result):
    """`PaginatedResult` of the SDK."""

    nextCursor: str | None = None


class ListToolsResult(PaginatedResult):
    """`ListToolsResult` of the SDK."""

    tools: list[Tool]


class ListResourcesResult(PaginatedResult):
    """`ListResourcesResult` of the SDK."""

    resources: list[Resource]


class ListResourceTemplatesResult(PaginatedResult):
    """`ListResourceTemplatesResult` of the SDK."""

    resourceTemplates: list[ResourceTemplate]


class ListPromptsResult(PaginatedResult):
    """`ListPromptsResult` of the SDK."""

    prompts: list[Prompt]


class CallToolResult(Result):
    """`CallToolResult` of the SDK."""

    content: list[ContentBlock]
    structuredContent: Any = None
    isError: bool = False


class ReadResourceResult(Result):
    """`ReadResourceResult` of the SDK."""

    contents: list[TextResourceContents | BlobResourceContents]
    ttlMs: int | None = None
    cacheScope: str | None = None


class GetPromptResult(Result):
    """`GetPromptResult` of the SDK."""

    description: str | None = None
    messages: list[PromptMessage]


class Completion(Model):
    """`Completion` of the SDK."""

    values: list[str]
    total: int | None = None
    hasMore: bool | None = None


class CompleteResult(Result):
    """`CompleteResult` of the SDK."""

    completion: Completion


class InitializeResult(Result):
    """`InitializeResult` of the SDK."""

    protocolVersion: str
    capabilities: ServerCapabilities
    serverInfo: Implementation
    instructions: str | None = None


_Content: TypeAlias = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent


class CreateMessageResult(Result):
    """`CreateMessageResult` of the SDK."""

    role: Role
    content: _Content | list[_Content]
    model: str = ""
    stopReason: str | None = None

    @property
    def content_as_list(self) -> list[Any]:
        """The content, as a list."""
        return self.content if isinstance(self.content, list) else [self.content]


class Root(Model):
    """`Root` of the SDK."""

    uri: Uri
    name: str | None = None
    meta: Meta | None = None


class ListRootsResult(Result):
    """`ListRootsResult` of the SDK."""

    roots: list[Root]


class ElicitResult(Result):
    """`ElicitResult` of the SDK."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = None


class InputRequiredResult(Result):
    """`InputRequiredResult` of `mcp` 2."""

    resultType: str = "input_required"
    inputRequests: dict[str, Any] | None = None
    requestState: str | None = None


class ErrorData(Model):
    """`ErrorData` of the SDK."""

    code: int
    message: str
    data: Any = None


class ServerResult(metaclass=ModelType):
    """A result under the name `root`, as handlers of `mcp` 1 return it."""

    def __init__(self, root: Any) -> None:
        self.root = root


class Notification(Model):
    """`Notification` of the SDK."""

    method: str
    params: Any = None


class ProgressNotificationParams(Model):
    """`ProgressNotificationParams` of the SDK."""

    progressToken: str | int
    progress: float
    total: float | None = None
    message: str | None = None
    meta: Meta | None = None


class ProgressNotification(Notification):
    """`ProgressNotification` of the SDK."""

    method: str = "notifications/progress"


class LoggingMessageNotificationParams(Model):
    """`LoggingMessageNotificationParams` of the SDK."""

    level: LoggingLevel
    logger: str | None = None
    data: Any
    meta: Meta | None = None


class LoggingMessageNotification(Notification):
    """`LoggingMessageNotification` of the SDK."""

    method: str = "notifications/message"


class InitializedNotification(Notification):
    """`InitializedNotification` of the SDK."""

    method: str = "notifications/initialized"


class CancelledNotification(Notification):
    """`CancelledNotification` of the SDK."""

    method: str = "notifications/cancelled"


class ResourceUpdatedNotification(Notification):
    """`ResourceUpdatedNotification` of the SDK."""

    method: str = "notifications/resources/updated"


class ResourceListChangedNotification(Notification):
    """`ResourceListChangedNotification` of the SDK."""

    method: str = "notifications/resources/list_changed"


class ToolListChangedNotification(Notification):
    """`ToolListChangedNotification` of the SDK."""

    method: str = "notifications/tools/list_changed"


class PromptListChangedNotification(Notification):
    """`PromptListChangedNotification` of the SDK."""

    method: str = "notifications/prompts/list_changed"


class NotificationParams(Model):
    """`NotificationParams` of the SDK."""

    meta: Meta | None = None


class RootsListChangedNotification(Notification):
    """`RootsListChangedNotification` of the SDK."""

    method: str = "notifications/roots/list_changed"
