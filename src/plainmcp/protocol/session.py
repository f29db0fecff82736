"""What the handshake revisions make us remember of one client. Knows no transport and no clock."""

from typing import Any

from ..revisions import Revision

__all__ = ["Session"]


class Session:
    """One client, from its initialize on."""

    __slots__ = ("capabilities", "client", "log_level", "ready", "revision", "subscribed")

    def __init__(self) -> None:
        self.revision: Revision | None = None  # what initialize settled on
        self.capabilities: dict[str, Any] = {}
        self.client: dict[str, Any] = {}
        self.log_level: str | None = "warning"  # until logging/setLevel says otherwise
        self.ready = False  # the client said that it is initialized
        self.subscribed: set[str] = set()

    def wants(self, event: str, uri: str | None) -> bool:
        """Whether a change is this client's to be told of."""
        if self.revision is None:
            return False
        return uri in self.subscribed if event == "resources/updated" else self.ready
