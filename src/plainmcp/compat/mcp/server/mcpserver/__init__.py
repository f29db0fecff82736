"""`mcp.server.mcpserver` of `mcp` 2."""

from types import SimpleNamespace

from ...context import AcceptedElicitation, CancelledElicitation, Context, DeclinedElicitation
from ...mcp_server import MCPServer
from ...pieces import AssistantMessage, Audio, Image, Message, UserMessage
from ...types import Icon

__all__ = [
    "AcceptedElicitation",
    "AssistantMessage",
    "Audio",
    "CancelledElicitation",
    "Context",
    "DeclinedElicitation",
    "Icon",
    "Image",
    "MCPServer",
    "Message",
    "RequestStateSecurity",
    "ResourceSecurity",
    "UserMessage",
]


class ResourceSecurity(SimpleNamespace):
    """Taken and not used: a variable of a URI never matches more than its segment."""


class RequestStateSecurity(SimpleNamespace):
    """Taken and not used: state that clients carry is always sealed."""

    @classmethod
    def ephemeral(cls) -> "RequestStateSecurity":
        """With a key of this process."""
        return cls()
