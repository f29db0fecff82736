"""The types of the official SDK that servers rarely name: the handshake, subscriptions, and unions of messages.

`mcp.types` has them too: they are loaded when a program asks for one.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self, TypeAlias

import msgspec

from ...revisions import REVISIONS
from .content_types import (
    AudioContent,
    ImageContent,
    Implementation,
    Meta,
    TextContent,
    ToolResultContent,
    ToolUseContent,
)
from .handlers import REQUESTS, RESULTS
from .jsonrpc_types import JSONRPCMessage
from .request_types import (
    ClientCapabilities,
    CreateMessageRequest,
    ElicitRequest,
    ElicitRequestURLParams,
    ListRootsRequest,
    PingRequest,
    Request,
    RequestParams,
    ResourceTemplateReference,
    ServerCapabilities,
)
from .result_types import (
    CancelledNotification,
    CreateMessageResult,
    ElicitResult,
    EmptyResult,
    InitializedNotification,
    InitializeResult,
    ListRootsResult,
    LoggingMessageNotification,
    Notification,
    NotificationParams,
    ProgressNotification,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    Result,
    RootsListChangedNotification,
    ToolListChangedNotification,
)
from .wire_model import Model, Uri, to_wire

PROTOCOL_VERSION_META_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_META_KEY = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES_META_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_META_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_META_KEY = "io.modelcontextprotocol/serverInfo"

JSONRPC_VERSION = "2.0"
HEADER_MISMATCH = -32020
MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
UNSUPPORTED_PROTOCOL_VERSION = -32022
REQUEST_TIMEOUT = -32001

IconTheme: TypeAlias = Literal["light", "dark"]
IncludeContext: TypeAlias = Literal["none", "thisServer", "allServers"]
StopReason: TypeAlias = str
ResultType: TypeAlias = str
ElicitRequestedSchema: TypeAlias = dict[str, Any]
RequestParamsMeta: TypeAlias = dict[str, Any]
SamplingContent: TypeAlias = TextContent | ImageContent | AudioContent
SamplingMessageContentBlock: TypeAlias = SamplingContent | ToolUseContent | ToolResultContent
ResourceReference = ResourceTemplateReference
CreateMessageResultWithTools = CreateMessageResult
PaginatedRequest = Request
CacheableResult = Result
InputRequest: TypeAlias = CreateMessageRequest | ListRootsRequest | ElicitRequest
InputResponse: TypeAlias = CreateMessageResult | ListRootsResult | ElicitResult
InputRequests: TypeAlias = dict[str, InputRequest]
InputResponses: TypeAlias = dict[str, InputResponse]


class ToolChoice(Model):
    """`ToolChoice` of the SDK."""

    mode: Literal["auto", "required", "none"] | None = None


class InitializeRequestParams(RequestParams):
    """`InitializeRequestParams` of the SDK."""

    protocolVersion: str | int
    capabilities: ClientCapabilities
    clientInfo: Implementation


class InitializeRequest(Request):
    """`InitializeRequest` of the SDK."""

    method: str = "initialize"
    params: InitializeRequestParams


class DiscoverRequest(Request):
    """`DiscoverRequest` of the SDK."""

    method: str = "server/discover"
    params: RequestParams | None = None


class DiscoverResult(Result):
    """`DiscoverResult` of the SDK."""

    supportedVersions: list[str]
    capabilities: ServerCapabilities
    serverInfo: Implementation | None = None
    instructions: str | None = None
    ttlMs: int | None = None
    cacheScope: str | None = None


class InputResponseRequestParams(RequestParams):
    """`InputResponseRequestParams` of the SDK."""

    inputResponses: dict[str, Any] | None = None
    requestState: str | None = None


class SubscriptionFilter(Model):
    """`SubscriptionFilter` of the SDK."""

    toolsListChanged: bool | None = None
    promptsListChanged: bool | None = None
    resourcesListChanged: bool | None = None
    resourceSubscriptions: list[str] | None = None


class SubscriptionsListenRequestParams(RequestParams):
    """`SubscriptionsListenRequestParams` of the SDK."""

    notifications: SubscriptionFilter


class SubscriptionsListenRequest(Request):
    """`SubscriptionsListenRequest` of the SDK."""

    method: str = "subscriptions/listen"
    params: SubscriptionsListenRequestParams


class SubscriptionsListenResult(Result):
    """`SubscriptionsListenResult` of the SDK."""


class SubscriptionsAcknowledgedNotificationParams(NotificationParams):
    """`SubscriptionsAcknowledgedNotificationParams` of the SDK."""

    notifications: SubscriptionFilter


class SubscriptionsAcknowledgedNotification(Notification):
    """`SubscriptionsAcknowledgedNotification` of the SDK."""

    method: str = "notifications/subscriptions/acknowledged"
    params: SubscriptionsAcknowledgedNotificationParams


class CancelledNotificationParams(NotificationParams):
    """`CancelledNotificationParams` of the SDK."""

    requestId: str | int | None = None
    reason: str | None = None


class ResourceUpdatedNotificationParams(NotificationParams):
    """`ResourceUpdatedNotificationParams` of the SDK."""

    uri: Uri


class ElicitCompleteNotificationParams(NotificationParams):
    """`ElicitCompleteNotificationParams` of the SDK."""

    elicitationId: str


class ElicitCompleteNotification(Notification):
    """`ElicitCompleteNotification` of the SDK."""

    method: str = "notifications/elicitation/complete"
    params: ElicitCompleteNotificationParams


class ElicitationRequiredErrorData(Model):
    """`ElicitationRequiredErrorData` of the SDK."""

    elicitations: list[ElicitRequestURLParams]


class MissingRequiredClientCapabilityErrorData(Model):
    """`MissingRequiredClientCapabilityErrorData` of the SDK."""

    requiredCapabilities: ClientCapabilities
    meta: Meta | None = None


class UnsupportedProtocolVersionErrorData(Model):
    """`UnsupportedProtocolVersionErrorData` of the SDK."""

    supported: list[str]
    requested: str


# Unions -------------------------------------------------------------------------------------------


class _Union(Model):
    """Any of several messages, which is in `root`, as `mcp` 1 has it."""

    read: ClassVar[Any]
    """Makes one of the messages of data."""

    def __init__(self, root: Any = None, **values: Any) -> None:
        vars(self)["root"] = type(self).read(values) if root is None else root

    @classmethod
    def model_validate(cls, value: Any, **options: Any) -> Self:
        """The message of data."""
        return value if isinstance(value, cls) else cls(cls.read(to_wire(value)))

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The message as a dict."""
        return vars(self)["root"].model_dump(**options)  # type: ignore[no-any-return]


def _by_method(*kinds: Any) -> Callable[[dict[str, Any]], Any]:
    """A function that makes a message of data, by its method; raises ValueError."""
    by_method = {kind._defaults["method"]: kind for kind in kinds}

    def read(value: dict[str, Any]) -> Any:
        kind = by_method.get(value.get("method"))
        if kind is None:
            raise ValueError(f"{value.get('method')!r} is none of {', '.join(by_method)}")
        known = {name: one for name, one in value.items() if name in ("method", "params")}
        return kind(**known)

    return read


def _by_fields(*kinds: Any) -> Callable[[dict[str, Any]], Any]:
    """A function that makes a result of data, by the fields that it needs; raises ValueError."""

    def read(value: dict[str, Any]) -> Any:
        for kind in kinds:
            try:
                return kind(**value)
            except (TypeError, ValueError):
                continue
        raise ValueError(f"no result has the fields {', '.join(value)}")

    return read


_CLIENT_REQUESTS = (PingRequest, InitializeRequest, DiscoverRequest, SubscriptionsListenRequest, *REQUESTS.values())
_CLIENT_NOTIFICATIONS = (
    CancelledNotification,
    ProgressNotification,
    InitializedNotification,
    RootsListChangedNotification,
)
_SERVER_REQUESTS = (PingRequest, CreateMessageRequest, ListRootsRequest, ElicitRequest)
_SERVER_NOTIFICATIONS = (
    CancelledNotification,
    ProgressNotification,
    LoggingMessageNotification,
    ResourceUpdatedNotification,
    ResourceListChangedNotification,
    ToolListChangedNotification,
    PromptListChangedNotification,
    ElicitCompleteNotification,
    SubscriptionsAcknowledgedNotification,
)
_CLIENT_RESULTS = (CreateMessageResult, ListRootsResult, ElicitResult, EmptyResult)
_SERVER_RESULTS = (InitializeResult, DiscoverResult, *dict.fromkeys(RESULTS.values()), EmptyResult)


class ClientRequest(_Union):
    """`ClientRequest` of the SDK."""

    read = staticmethod(_by_method(*_CLIENT_REQUESTS))


class ClientNotification(_Union):
    """`ClientNotification` of the SDK."""

    read = staticmethod(_by_method(*_CLIENT_NOTIFICATIONS))


class ServerRequest(_Union):
    """`ServerRequest` of the SDK."""

    read = staticmethod(_by_method(*_SERVER_REQUESTS))


class ServerNotification(_Union):
    """`ServerNotification` of the SDK."""

    read = staticmethod(_by_method(*_SERVER_NOTIFICATIONS))


class ClientResult(_Union):
    """`ClientResult` of the SDK."""

    read = staticmethod(_by_fields(*_CLIENT_RESULTS))


ClientRequestType, ServerRequestType = ClientRequest, ServerRequest
ClientNotificationType, ServerNotificationType = ClientNotification, ServerNotification
ClientResultType = ServerResultType = Result


class _Adapter:
    """Reads any of several messages, with the methods of pydantic's adapters, as `mcp` 2 has it."""

    def __init__(self, read: Callable[[dict[str, Any]], Any]) -> None:
        self._read = read

    def validate_python(self, value: Any, **options: Any) -> Any:
        """The message of data; raises ValueError."""
        return value if isinstance(value, Model) else self._read(to_wire(value))

    def validate_json(self, raw: str | bytes, **options: Any) -> Any:
        """The message of JSON; raises ValueError."""
        return self._read(msgspec.json.decode(raw))

    def dump_python(self, value: Any, **options: Any) -> Any:
        """The data of a message."""
        return value.model_dump(**options)

    def dump_json(self, value: Any, **options: Any) -> bytes:
        """The JSON of a message."""
        return value.model_dump_json(**options).encode()  # type: ignore[no-any-return]


client_request_adapter = _Adapter(ClientRequest.read)
client_notification_adapter = _Adapter(ClientNotification.read)
client_result_adapter = _Adapter(ClientResult.read)
server_request_adapter = _Adapter(ServerRequest.read)
server_notification_adapter = _Adapter(ServerNotification.read)
server_result_adapter = _Adapter(_by_fields(*_SERVER_RESULTS))
jsonrpc_message_adapter = _Adapter(JSONRPCMessage.model_validate)

# Versions -----------------------------------------------------------------------------------------

HANDSHAKE_PROTOCOL_VERSIONS = tuple(one.name for one in REVISIONS.values() if one.handshake)
MODERN_PROTOCOL_VERSIONS = tuple(one.name for one in REVISIONS.values() if not one.handshake)
KNOWN_PROTOCOL_VERSIONS: tuple[str, ...] = HANDSHAKE_PROTOCOL_VERSIONS + MODERN_PROTOCOL_VERSIONS
SUPPORTED_PROTOCOL_VERSIONS = KNOWN_PROTOCOL_VERSIONS
LATEST_HANDSHAKE_VERSION = HANDSHAKE_PROTOCOL_VERSIONS[-1]
LATEST_MODERN_VERSION = MODERN_PROTOCOL_VERSIONS[-1]
OLDEST_SUPPORTED_VERSION = KNOWN_PROTOCOL_VERSIONS[0]


def is_version_at_least(version: str, other: str) -> bool:
    """Whether a revision is another one, or newer; raises ValueError if the other is not known."""
    if other not in KNOWN_PROTOCOL_VERSIONS:
        raise ValueError(f"{other!r} is not a known protocol version")
    return version in KNOWN_PROTOCOL_VERSIONS[KNOWN_PROTOCOL_VERSIONS.index(other) :]
