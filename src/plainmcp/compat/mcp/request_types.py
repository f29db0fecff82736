"""The types of the official SDK for requests and capabilities: what its handlers and sessions get and pass on."""

from typing import Any, ClassVar, Literal, TypeAlias

from .content_types import AudioContent, ImageContent, Meta, Role, TextContent, ToolResultContent, ToolUseContent
from .wire_model import Model, Uri

__all__ = [
    "CallToolRequest",
    "CallToolRequestParams",
    "ClientCapabilities",
    "CompleteRequest",
    "CompleteRequestParams",
    "CompletionArgument",
    "CompletionContext",
    "CompletionsCapability",
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "ElicitRequest",
    "ElicitRequestFormParams",
    "ElicitRequestURLParams",
    "ElicitationCapability",
    "FormElicitationCapability",
    "GetPromptRequest",
    "GetPromptRequestParams",
    "ListPromptsRequest",
    "ListResourceTemplatesRequest",
    "ListResourcesRequest",
    "ListRootsRequest",
    "ListToolsRequest",
    "LoggingCapability",
    "LoggingLevel",
    "ModelHint",
    "ModelPreferences",
    "PaginatedRequestParams",
    "PingRequest",
    "PromptReference",
    "PromptsCapability",
    "ReadResourceRequest",
    "ReadResourceRequestParams",
    "Request",
    "RequestParams",
    "ResourceTemplateReference",
    "ResourcesCapability",
    "RootsCapability",
    "SamplingCapability",
    "SamplingContextCapability",
    "SamplingMessage",
    "SamplingToolsCapability",
    "ServerCapabilities",
    "SetLevelRequest",
    "SetLevelRequestParams",
    "SubscribeRequest",
    "SubscribeRequestParams",
    "ToolsCapability",
    "UnsubscribeRequest",
    "UnsubscribeRequestParams",
    "UrlElicitationCapability",
]

LoggingLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class RootsCapability(Model):
    """`RootsCapability` of the SDK."""

    listChanged: bool | None = None


class SamplingContextCapability(Model):
    """`SamplingContextCapability` of the SDK."""


class SamplingToolsCapability(Model):
    """`SamplingToolsCapability` of the SDK."""


class SamplingCapability(Model):
    """`SamplingCapability` of the SDK."""

    context: SamplingContextCapability | None = None
    tools: SamplingToolsCapability | None = None


class FormElicitationCapability(Model):
    """`FormElicitationCapability` of the SDK."""


class UrlElicitationCapability(Model):
    """`UrlElicitationCapability` of the SDK."""


class ElicitationCapability(Model):
    """`ElicitationCapability` of the SDK."""

    form: FormElicitationCapability | None = None
    url: UrlElicitationCapability | None = None


class ClientCapabilities(Model):
    """`ClientCapabilities` of the SDK."""

    experimental: dict[str, Any] | None = None
    sampling: SamplingCapability | None = None
    elicitation: ElicitationCapability | None = None
    roots: RootsCapability | None = None
    tasks: Any = None
    extensions: dict[str, Any] | None = None


class PromptsCapability(Model):
    """`PromptsCapability` of the SDK."""

    listChanged: bool | None = None


class ResourcesCapability(Model):
    """`ResourcesCapability` of the SDK."""

    subscribe: bool | None = None
    listChanged: bool | None = None


class ToolsCapability(Model):
    """`ToolsCapability` of the SDK."""

    listChanged: bool | None = None


class LoggingCapability(Model):
    """`LoggingCapability` of the SDK."""


class CompletionsCapability(Model):
    """`CompletionsCapability` of the SDK."""


class ServerCapabilities(Model):
    """`ServerCapabilities` of the SDK."""

    experimental: dict[str, Any] | None = None
    logging: LoggingCapability | None = None
    prompts: PromptsCapability | None = None
    resources: ResourcesCapability | None = None
    tools: ToolsCapability | None = None
    completions: CompletionsCapability | None = None
    tasks: Any = None
    extensions: dict[str, Any] | None = None


class RequestParams(Model):
    """`RequestParams` of the SDK."""

    meta: Any = None


class PaginatedRequestParams(RequestParams):
    """`PaginatedRequestParams` of the SDK."""

    cursor: str | None = None


class CallToolRequestParams(RequestParams):
    """`CallToolRequestParams` of the SDK."""

    name: str
    arguments: dict[str, Any] | None = None


class GetPromptRequestParams(RequestParams):
    """`GetPromptRequestParams` of the SDK."""

    name: str
    arguments: dict[str, str] | None = None


class ReadResourceRequestParams(RequestParams):
    """`ReadResourceRequestParams` of the SDK."""

    uri: Uri


class SubscribeRequestParams(RequestParams):
    """`SubscribeRequestParams` of the SDK."""

    uri: Uri


class UnsubscribeRequestParams(RequestParams):
    """`UnsubscribeRequestParams` of the SDK."""

    uri: Uri


class SetLevelRequestParams(RequestParams):
    """`SetLevelRequestParams` of the SDK."""

    level: LoggingLevel


class PromptReference(Model):
    """`PromptReference` of the SDK."""

    type: Literal["ref/prompt"] = "ref/prompt"
    name: str
    title: str | None = None


class ResourceTemplateReference(Model):
    """`ResourceTemplateReference` of the SDK."""

    type: Literal["ref/resource"] = "ref/resource"
    uri: str


class CompletionArgument(Model):
    """`CompletionArgument` of the SDK."""

    name: str
    value: str


class CompletionContext(Model):
    """`CompletionContext` of the SDK."""

    arguments: dict[str, str] | None = None


class CompleteRequestParams(RequestParams):
    """`CompleteRequestParams` of the SDK."""

    ref: ResourceTemplateReference | PromptReference
    argument: CompletionArgument
    context: CompletionContext | None = None


class ElicitRequestFormParams(RequestParams):
    """`ElicitRequestFormParams` of the SDK."""

    mode: Literal["form"] = "form"
    message: str
    requestedSchema: dict[str, Any]


class ElicitRequestURLParams(RequestParams):
    """`ElicitRequestURLParams` of the SDK."""

    mode: Literal["url"] = "url"
    message: str
    url: str
    elicitationId: str | None = None


class ModelHint(Model):
    """`ModelHint` of the SDK."""

    name: str | None = None


class ModelPreferences(Model):
    """`ModelPreferences` of the SDK."""

    hints: list[ModelHint] | None = None
    costPriority: float | None = None
    speedPriority: float | None = None
    intelligencePriority: float | None = None


_Content: TypeAlias = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent


class SamplingMessage(Model):
    """`SamplingMessage` of the SDK."""

    role: Role
    content: _Content | list[_Content]
    meta: Meta | None = None

    @property
    def content_as_list(self) -> list[Any]:
        """The content, as a list."""
        return self.content if isinstance(self.content, list) else [self.content]


class CreateMessageRequestParams(RequestParams):
    """`CreateMessageRequestParams` of the SDK."""

    messages: list[SamplingMessage]
    modelPreferences: ModelPreferences | None = None
    systemPrompt: str | None = None
    includeContext: str | None = None
    temperature: float | None = None
    maxTokens: int
    stopSequences: list[str] | None = None
    metadata: dict[str, Any] | None = None


class Request(Model):
    """`Request` of the SDK."""

    name_param: ClassVar[str | None] = None
    """The parameter whose value is the name in a header of the request; None if there is none."""

    method: str
    params: Any = None


class PingRequest(Request):
    """`PingRequest` of the SDK."""

    method: str = "ping"
    params: RequestParams | None = None


class ListToolsRequest(Request):
    """`ListToolsRequest` of the SDK."""

    method: str = "tools/list"
    params: PaginatedRequestParams | None = None


class CallToolRequest(Request):
    """`CallToolRequest` of the SDK."""

    method: str = "tools/call"
    params: CallToolRequestParams


class ListResourcesRequest(Request):
    """`ListResourcesRequest` of the SDK."""

    method: str = "resources/list"
    params: PaginatedRequestParams | None = None


class ListResourceTemplatesRequest(Request):
    """`ListResourceTemplatesRequest` of the SDK."""

    method: str = "resources/templates/list"
    params: PaginatedRequestParams | None = None


class ReadResourceRequest(Request):
    """`ReadResourceRequest` of the SDK."""

    method: str = "resources/read"
    params: ReadResourceRequestParams


class SubscribeRequest(Request):
    """`SubscribeRequest` of the SDK."""

    method: str = "resources/subscribe"
    params: SubscribeRequestParams


class UnsubscribeRequest(Request):
    """`UnsubscribeRequest` of the SDK."""

    method: str = "resources/unsubscribe"
    params: UnsubscribeRequestParams


class ListPromptsRequest(Request):
    """`ListPromptsRequest` of the SDK."""

    method: str = "prompts/list"
    params: PaginatedRequestParams | None = None


class GetPromptRequest(Request):
    """`GetPromptRequest` of the SDK."""

    method: str = "prompts/get"
    params: GetPromptRequestParams


class CompleteRequest(Request):
    """`CompleteRequest` of the SDK."""

    method: str = "completion/complete"
    params: CompleteRequestParams


class SetLevelRequest(Request):
    """`SetLevelRequest` of the SDK."""

    method: str = "logging/setLevel"
    params: SetLevelRequestParams


class CreateMessageRequest(Request):
    """`CreateMessageRequest` of the SDK."""

    method: str = "sampling/createMessage"
    params: CreateMessageRequestParams


class ListRootsRequest(Request):
    """`ListRootsRequest` of the SDK."""

    method: str = "roots/list"
    params: RequestParams | None = None


class ElicitRequest(Request):
    """`ElicitRequest` of the SDK."""

    method: str = "elicitation/create"
    params: ElicitRequestFormParams | ElicitRequestURLParams
