"""`mcp.server.streamable_http`: the names that servers use to store events; plainmcp stores events by itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "REQUEST_CANCELLED",
    "EventCallback",
    "EventId",
    "EventMessage",
    "EventStore",
    "StreamId",
]

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
