"""The names of OpenMCP (`dedalus-mcp`): decorators that mark functions, and a server that collects them.

Only names and differences are here; the rules are those of plainmcp with the policy "openmcp". `types` is
plainmcp.types, in place of `openmcp.types`; the other types of that package are attributes of this module.

>>> @tool(description="Add two numbers")
... async def add(a: int, b: int) -> int:
...     return a + b
>>> server = MCPServer("calculator")
>>> server.collect(add)
>>> server.tool_names
['add']
"""

import logging
from typing import Any

from ... import types
from ...policy import Policy
from ...schema.signature import Depends
from ...types import CallToolResult, ReadResourceResult
from ...values import normalize
from ..advice import CLIENT
from ..mcp import types as _sdk_types
from ..refused import refuse_name
from .configs import (
    ASGIRunConfig,
    ElicitationConfig,
    NotificationFlags,
    PingConfig,
    SamplingConfig,
    ServerConfig,
    TransportSecuritySettings,
)
from .context import Context, ProgressTracker, get_context, progress
from .exceptions import ConnectionResolutionError, ToolError, ToolErrorCode
from .marks import completion, prompt, resource, resource_template, tool
from .mcp_server import MCPServer
from .prompts import CompletionResult

__all__ = [
    "ASGIRunConfig",
    "CompletionResult",
    "ConnectionResolutionError",
    "Context",
    "Depends",
    "ElicitationConfig",
    "MCPServer",
    "NotificationFlags",
    "PingConfig",
    "ProgressTracker",
    "SamplingConfig",
    "ServerConfig",
    "ToolError",
    "ToolErrorCode",
    "TransportSecuritySettings",
    "completion",
    "get_context",
    "get_logger",
    "normalize_resource_payload",
    "normalize_tool_result",
    "progress",
    "prompt",
    "resource",
    "resource_template",
    "setup_logger",
    "tool",
    "types",
]

_CALLERS = "check callers in ASGI middleware, and pass asgi(principal=…)"
_SERVICES = "call services with your own client, and keep secrets in your own settings"
_ADVICE: dict[str, str] = {
    **dict.fromkeys(("MCPClient", "MCPConnectionError", "open_connection", "ClientCapabilitiesConfig"), CLIENT),
    **dict.fromkeys(
        ("AuthorizationConfig", "AuthorizationContext", "AuthorizationError", "AuthorizationProvider"), _CALLERS
    ),
    **dict.fromkeys(("JWTValidator", "JWTValidatorConfig"), _CALLERS),
    **dict.fromkeys(
        ("BaseTransport", "StreamableHTTPTransport"), "use asgi() or run_async(), or a connection of connect()"
    ),
    **dict.fromkeys(("EnvironmentCredentialLoader", "EnvironmentCredentials", "define_connector"), _SERVICES),
    **dict.fromkeys(("Binding", "Connection", "Credential", "Credentials", "SecretKeys", "SecretValues"), _SERVICES),
    **dict.fromkeys(("DispatchError", "DispatchErrorCode", "DispatchResponse"), _SERVICES),
    **dict.fromkeys(("HttpMethod", "HttpRequest", "HttpResponse"), _SERVICES),
    **dict.fromkeys(("NotificationSink", "DefaultNotificationSink"), "changes are announced by the server itself"),
}


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and hasattr(_sdk_types, name):
        return getattr(_sdk_types, name)
    if name not in _ADVICE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return refuse_name(name, __name__, _ADVICE[name])


def get_logger(name: str | None = None) -> logging.Logger:
    """The logger of a name."""
    return logging.getLogger(name)


def setup_logger(level: Any = logging.INFO, **options: Any) -> None:
    """Write log messages to standard error; its colours and formats are not here."""
    logging.basicConfig(level=level)


# The normalizers ----------------------------------------------------------------------------------


def normalize_tool_result(value: Any) -> CallToolResult:
    """The tool result that a return value becomes.

    >>> normalize_tool_result(["first", "second"]).structuredContent
    {'result': ['first', 'second']}
    """
    return normalize.normalize_tool_result(value, policy=Policy.openmcp)


def normalize_resource_payload(uri: str, mime_type: str | None, payload: Any) -> ReadResourceResult:
    """The resource result that a return value becomes.

    >>> normalize_resource_payload("memo://1", None, {"a": 1}).contents[0].mimeType
    'text/plain'
    """
    return normalize.normalize_resource_payload(uri, mime_type, payload, policy=Policy.openmcp)
