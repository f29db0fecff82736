"""`mcp.shared.message`: the objects with which messages are passed inside the SDK."""

from dataclasses import dataclass
from typing import Any

__all__ = ["ServerMessageMetadata", "SessionMessage"]


@dataclass
class ServerMessageMetadata:
    """The request that a message of the server belongs to."""

    related_request_id: Any = None
    request_context: Any = None


@dataclass
class SessionMessage:
    """A message, and what belongs to it."""

    message: Any
    metadata: Any = None
