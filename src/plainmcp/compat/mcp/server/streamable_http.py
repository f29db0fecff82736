"""`mcp.server.streamable_http`: the names that servers use to store events; plainmcp stores events by itself."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "CONTENT_TYPE_JSON",
    "CONTENT_TYPE_SSE",
    "GET_STREAM_KEY",
    "LAST_EVENT_ID_HEADER",
    "MCP_PROTOCOL_VERSION_HEADER",
    "MCP_SESSION_ID_HEADER",
    "REQUEST_CANCELLED",
    "SESSION_ID_PATTERN",
    "EventCallback",
    "EventId",
    "EventMessage",
    "EventStore",
    "StreamId",
]

MCP_SESSION_ID_HEADER = "mcp-session-id"
MCP_PROTOCOL_VERSION_HEADER = "mcp-protocol-version"
LAST_EVENT_ID_HEADER = "last-event-id"
CONTENT_TYPE_JSON = "application/json"
CONTENT_TYPE_SSE = "text/event-stream"
GET_STREAM_KEY = "_GET_stream"
SESSION_ID_PATTERN = re.compile(r"^[\x21-\x7E]+$")
"""Headers of HTTP, and the form of the id of a session."""

REQUEST_CANCELLED = -32800
"""The code with which `mcp` 2 answers a request that was cancelled; here such a request has no response."""

EventId: TypeAlias = str
StreamId: TypeAlias = str
EventCallback: TypeAlias = Callable[[Any], Any]


@dataclass
class EventMessage:
    """A message that is sent again, and its id."""

    message: Any
    event_id: str | None = None


class EventStore:
    """The base of stores for events: taken and not used, as a client that reconnects is served anyway."""
