"""Official checks on every message that a server sends, for `testing.Client(check=official.check)`.

Each message is validated against its revision's schema.json, with the definition of its method, and, if possible,
with the official SDK too. A test that uses it fails if a message is not valid.
"""

import json
from typing import Any, NoReturn

import mcp_types.methods as sdk

from schemas import assert_valid, definitions
from wire import NULL_ID, WITHOUT_HANDSHAKE

__all__ = ["check", "check_answer", "check_sent", "definition_of"]

RESULTS = {
    "completion/complete": "CompleteResult",
    "initialize": "InitializeResult",
    "logging/setLevel": "EmptyResult",
    "ping": "EmptyResult",
    "prompts/get": "GetPromptResult",
    "prompts/list": "ListPromptsResult",
    "resources/list": "ListResourcesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/unsubscribe": "EmptyResult",
    "server/discover": "DiscoverResult",
    "subscriptions/listen": "SubscriptionsListenResult",
    "tools/call": "CallToolResult",
    "tools/list": "ListToolsResult",
}
"""What each method is answered with, by the name the schemas give it."""

SENT = {
    "elicitation/create": "ElicitRequest",
    "roots/list": "ListRootsRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "notifications/cancelled": "CancelledNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
}
"""What a server may send besides answers."""

QUESTIONS = frozenset(method for method in SENT if not method.startswith("notifications/"))
MAY_ASK = ("tools/call", "prompts/get", "resources/read")  # R26-MRTR-02
CACHEABLE = ("prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover")
CACHED = (*CACHEABLE, "tools/list")  # R26-CACHE-01
ERRORS = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}
BARE_ERRORS = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def check(revision: Any, method: str, raw: bytes) -> None:
    """Fail unless a message is a valid answer to `method`, or a valid notification or request of that name."""
    name = revision if isinstance(revision, str) else revision.name
    message = decoded(raw)
    if isinstance(message, list):
        assert name == "2025-03-26", f"{name} has no batches"
        assert message, "an empty batch"
        for one in message:
            _check_response(name, None, one)
    elif "method" in message:
        assert message["method"] == method
        check_sent(name, raw)
    else:
        _check_response(name, method, message)


def check_answer(revision: str, raw: bytes, method: str | None = None) -> None:
    """Fail unless a message is a valid response, to `method` if that is known."""
    message = decoded(raw)
    for one in message if isinstance(message, list) else [message]:
        _check_response(revision, method, one)


def check_sent(revision: str, raw: bytes) -> None:
    """Fail unless a message is a notification or a request a server may send on that revision."""
    message = decoded(raw)
    method = message["method"]
    assert method in SENT, f"{method} is nothing a server sends"
    if method in QUESTIONS:
        assert revision not in WITHOUT_HANDSHAKE, f"{revision}: a server never asks (R26-BASE-23)"
        assert isinstance(message["id"], str | int) and not isinstance(message["id"], bool)
        assert_valid(revision, "JSONRPCRequest", message)
    else:
        assert "id" not in message, "a notification has no id"
        assert_valid(revision, "JSONRPCNotification", message)
    assert_valid(revision, SENT[method], message)
    surface: Any = sdk.SERVER_REQUESTS if method in QUESTIONS else sdk.SERVER_NOTIFICATIONS
    parse: Any = sdk.parse_server_request if method in QUESTIONS else sdk.parse_server_notification
    if (method, revision) in surface:
        parse(method, revision, message.get("params"))


def definition_of(revision: str, method: str, result: dict[str, Any]) -> str:
    """The definition a result of that method must have."""
    if result.get("resultType") == "input_required":
        assert method in MAY_ASK, f"{method} may not ask for input (R26-MRTR-02)"
        return "InputRequiredResult"
    return RESULTS[method]


def _check_response(revision: str, method: str | None, message: dict[str, Any]) -> None:
    assert set(message) <= {"jsonrpc", "id", "result", "error"}, f"fields of no response: {sorted(message)}"
    assert ("result" in message) != ("error" in message), "a response has one of result and error"
    if "error" in message:
        _check_error(revision, message)
    else:
        _check_result(revision, method, message)


def _check_error(revision: str, message: dict[str, Any]) -> None:
    null, error = revision in NULL_ID, message["error"]
    if null:
        assert "id" in message
    envelope = _with_valid_id(message, null=null)
    assert_valid(
        revision, "JSONRPCErrorResponse" if _has(revision, "JSONRPCErrorResponse") else "JSONRPCError", envelope
    )
    assert isinstance(error["code"], int) and isinstance(error["message"], str) and error["message"]
    code = error["code"]
    if revision not in WITHOUT_HANDSHAKE:
        assert code not in ERRORS, f"{revision} has no error {code}"
        return
    assert not (-32099 <= code <= -32000) or code in ERRORS, f"{code} is not for {revision} (R26-BASE-14 to 16)"
    if code in ERRORS:
        assert_valid(revision, ERRORS[code], envelope)
    if code in BARE_ERRORS:
        assert_valid(revision, BARE_ERRORS[code], error)


def _check_result(revision: str, method: str | None, message: dict[str, Any]) -> None:
    result = message["result"]
    response = "JSONRPCResultResponse" if _has(revision, "JSONRPCResultResponse") else "JSONRPCResponse"
    assert_valid(revision, response, _with_valid_id(message, null=False))
    if revision in WITHOUT_HANDSHAKE:
        assert result["resultType"] in ("complete", "input_required"), "R26-BASE-13"
        assert SERVER_INFO in result["_meta"], "R26-META-07"
    if method is None:
        assert_valid(revision, "ServerResult", result)
        return
    definition = definition_of(revision, method, result)
    assert_valid(revision, definition, result)
    if definition == "InputRequiredResult":
        assert "inputRequests" in result or "requestState" in result, "R26-MRTR-03"
        assert "ttlMs" not in result and "cacheScope" not in result, "R26-CACHE-02"
    elif revision not in WITHOUT_HANDSHAKE:
        assert "ttlMs" not in result and "cacheScope" not in result
    else:
        assert (method in CACHED) == ("ttlMs" in result) == ("cacheScope" in result), "R26-CACHE-01"
    if (method, revision) in sdk.SERVER_RESULTS:
        sdk.validate_server_result(method, revision, result)


def _with_valid_id(message: dict[str, Any], null: bool) -> dict[str, Any]:
    """The message with an id a schema allows: a fraction, or null, is what the peer brought about."""
    given = message.get("id")
    if isinstance(given, float) or (null and "id" in message and given is None):
        return message | {"id": 0}
    if isinstance(given, str) and any("\ud800" <= letter <= "\udfff" for letter in given):
        return message | {"id": "half of a letter"}
    return message


def _has(revision: str, definition: str) -> bool:
    return definition in definitions(revision)


def decoded(raw: bytes) -> Any:
    """A message as any client reads it: UTF-8, and JSON without constants that are none."""
    return json.loads(raw.decode("utf-8"), parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")
