"""The state of one client in the handshake revisions. Does not know transports or time."""

from copy import copy
from typing import Any

from ..errors import MethodNotFound
from ..revisions import Revision

__all__ = ["Session", "describe_lack", "not_offered"]


class Session:
    """The facts that one client sent in its handshake and after it."""

    __slots__ = (
        "capabilities",
        "client",
        "id",
        "log_level",
        "ready",
        "revision",
        "state",
        "subscribed",
        "why_unreachable",
    )

    def __init__(self, log_level: str | None = "warning") -> None:
        self.id: str | None = None  # in HTTP
        self.revision: Revision | None = None  # the result of initialize
        self.capabilities: dict[str, Any] = {}
        self.client: dict[str, Any] = {}
        self.log_level = log_level  # until logging/setLevel changes it
        self.ready = False  # notifications/initialized has come
        self.subscribed: set[str] = set()
        self.why_unreachable: str | None = None  # why nothing but responses can be sent to the client, if so
        self.state: dict[str, Any] = {}  # for the handlers

    def copy(self) -> "Session":
        """The same facts; a change of its subscriptions or its log level does not change this session."""
        other = copy(self)
        other.subscribed = set(self.subscribed)
        return other

    def wants(self, event: str, uri: str | None) -> bool:
        """Whether this client gets a notification of a change."""
        if self.revision is None:
            return False
        return uri in self.subscribed if event == "resources/updated" else self.ready


def not_offered(method: str, reason: str) -> MethodNotFound:
    """The error for a method that has no effect here, with the reason."""
    return MethodNotFound(f"{method} is not offered here: {reason}", {"method": method})


def describe_lack(session: Session | None) -> str:
    """Why a question that needs a capability of the client cannot be asked, as the end of a sentence."""
    if session is None or session.why_unreachable is None:
        return "which the client does not offer"
    return f"which cannot be asked here: {session.why_unreachable}"
