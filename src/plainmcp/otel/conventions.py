"""OpenTelemetry's names for MCP servers, and which errors are faults of the server: in one place, because they move.

They follow the semantic conventions for MCP, whose status is development. Knows facts, and no API of OpenTelemetry.
"""

import json
from typing import Any

from ..observe import RequestFacts, SessionFacts
from ..revisions import REVISIONS

__all__ = [
    "BUCKETS",
    "CALLER_FAULTS",
    "OPERATION_DURATION",
    "SESSION_DURATION",
    "data_attributes",
    "end_attributes",
    "is_server_fault",
    "metric_attributes",
    "request_attributes",
    "session_attributes",
    "session_id_attributes",
    "span_name",
]

OPERATION_DURATION = "mcp.server.operation.duration"
SESSION_DURATION = "mcp.server.session.duration"
BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""The bounds of both histograms, in seconds."""
CALLER_FAULTS = frozenset({-32700, -32600, -32601, -32602, -32002})
"""The JSON-RPC codes of requests that the caller got wrong: a span with one of them has no error status."""

METHOD = "mcp.method.name"
OPERATION = "gen_ai.operation.name"
RESOURCE = "mcp.resource.uri"
SESSION = "mcp.session.id"
REVISION = "mcp.protocol.version"
REQUEST_ID = "jsonrpc.request.id"
ERROR_TYPE = "error.type"
STATUS_CODE = "rpc.response.status_code"
TRANSPORT = "network.transport"
PROTOCOL = "network.protocol.name"
PROTOCOL_VERSION = "network.protocol.version"
ADDRESS = "client.address"
PORT = "client.port"
ARGUMENTS = "gen_ai.tool.call.arguments"
RESULT = "gen_ai.tool.call.result"
VARIABLE = "gen_ai.prompt.variable."

_NAMES = {"tools/call": "gen_ai.tool.name", "prompts/get": "gen_ai.prompt.name"}
_OPERATIONS = {"tools/call": "execute_tool"}
_TOOL_ERROR = "tool_error"
_OTHER = "_OTHER"  # in the place of a method that the server does not have: clients could send any number of these
_MAX_TEXT = 500

Attributes = dict[str, str | int | float | bool]


def span_name(facts: RequestFacts) -> str:
    """The name of the span: the method and the tool or prompt, of which there are few; never a URI."""
    method = _method_of(facts)
    return f"{method} {facts.name}" if method in _NAMES and facts.is_known else method


def request_attributes(facts: RequestFacts) -> Attributes:
    """The attributes of a span that are known when the request begins."""
    method, name = facts.method or _OTHER, _limit(facts.name or "")
    found: dict[str, Any] = {METHOD: _limit(method), OPERATION: _OPERATIONS.get(method)}
    if name and method in _NAMES:
        found[_NAMES[method]] = name
    elif name and method.startswith("resources/"):
        found[RESOURCE] = name
    found[REQUEST_ID] = None if facts.request_id is None else _limit(str(facts.request_id))
    found |= {ADDRESS: facts.address, PORT: facts.port, **_network_attributes(facts)}
    return _present(found)


def session_id_attributes(facts: RequestFacts) -> Attributes:
    """The id of the session of a request, at its end; revisions without a handshake must not have one."""
    revision = facts.revision
    has_session = revision is not None and REVISIONS[revision].handshake
    return _present({SESSION: facts.session_id if has_session else None})


def end_attributes(facts: RequestFacts) -> Attributes:
    """The attributes of a span and of its duration that are known when the request has ended."""
    code = None if facts.error_code is None else str(facts.error_code)
    error = _TOOL_ERROR if facts.outcome == "tool_error" else code
    return _present({REVISION: facts.revision, ERROR_TYPE: error, STATUS_CODE: code})


def data_attributes(facts: RequestFacts, *, arguments: bool, results: bool) -> Attributes:
    """The attributes with the data of a call, for those who ask for them: at the end of the request."""
    found: Attributes = {}
    if facts.method == "tools/call":
        if arguments and facts.arguments is not None:
            found[ARGUMENTS] = _to_text(facts.arguments)
        if results and facts.result is not None:
            found[RESULT] = _to_text(facts.result)
    elif facts.method == "prompts/get" and arguments and isinstance(facts.arguments, dict):
        found |= {f"{VARIABLE}{name}": _to_text(value) for name, value in facts.arguments.items()}
    return found


def metric_attributes(facts: RequestFacts) -> Attributes:
    """The attributes of the duration of a request, each with few values."""
    method = _method_of(facts)
    found: dict[str, Any] = {METHOD: method, OPERATION: _OPERATIONS.get(method)}
    if method in _NAMES and facts.is_known:
        found[_NAMES[method]] = facts.name
    return _present({**found, **end_attributes(facts), **_network_attributes(facts)})


def session_attributes(facts: SessionFacts) -> Attributes:
    """The attributes of the duration of a session."""
    protocol = "http" if facts.transport == "tcp" else None
    return _present({REVISION: facts.revision, TRANSPORT: facts.transport, PROTOCOL: protocol})


def is_server_fault(facts: RequestFacts) -> bool:
    """Whether the span of a request has the status of an error."""
    return facts.outcome == "tool_error" or (facts.error_code is not None and facts.error_code not in CALLER_FAULTS)


def _network_attributes(facts: RequestFacts) -> dict[str, Any]:
    protocol = None if facts.http_method is None else "http"
    return {TRANSPORT: facts.transport, PROTOCOL: protocol, PROTOCOL_VERSION: facts.http_version}


def _method_of(facts: RequestFacts) -> str:
    """The method, if the server has it; a tool, prompt or resource that it does not have is no reason to hide it."""
    is_known = facts.method in (*_NAMES, "resources/read") or facts.is_known
    return facts.method if facts.method is not None and is_known else _OTHER


def _present(found: dict[str, Any]) -> Attributes:
    return {name: value for name, value in found.items() if value is not None}


def _limit(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
