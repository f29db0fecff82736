"""`mcp.server.mcpserver` of `mcp` 2."""

from types import SimpleNamespace

from ...context import Context
from ...elicitations import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from ...mcp_server import MCPServer
from ...pieces import AssistantMessage, Audio, Image, Message, UserMessage
from ...resource_security import DEFAULT_RESOURCE_SECURITY, ResourceSecurity
from ...types import Icon

__all__ = [
    "DEFAULT_RESOURCE_SECURITY",
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


class RequestStateSecurity(SimpleNamespace):
    """Taken and not used: state that clients carry is always sealed."""

    @classmethod
    def ephemeral(cls) -> "RequestStateSecurity":
        """With a key of this process."""
        return cls()
