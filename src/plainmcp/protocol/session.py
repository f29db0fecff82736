"""The state of one client in the handshake revisions. Does not know transports or time."""

from typing import Any

from ..revisions import Revision

__all__ = ["Session"]


class Session:
    """The facts that one client sent in its handshake and after it."""

    __slots__ = ("capabilities", "client", "id", "log_level", "ready", "revision", "state", "subscribed")

    def __init__(self, log_level: str | None = "warning") -> None:
        self.id: str | None = None  # in HTTP
        self.revision: Revision | None = None  # the result of initialize
        self.capabilities: dict[str, Any] = {}
        self.client: dict[str, Any] = {}
        self.log_level = log_level  # until logging/setLevel changes it
        self.ready = False  # notifications/initialized has come
        self.subscribed: set[str] = set()
        self.state: dict[str, Any] = {}  # for the handlers

    def wants(self, event: str, uri: str | None) -> bool:
        """Whether this client gets a notification of a change."""
        if self.revision is None:
            return False
        return uri in self.subscribed if event == "resources/updated" else self.ready
