"""`mcp.server.mcpserver` of `mcp` 2."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from ....refused import refused_name
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

_ADVICE: dict[str, str] = {
    **dict.fromkeys(("InvalidRequestState", "RequestStateBoundary"), "state that clients carry is always sealed"),
    "require_client_extension": "read ctx.client_capabilities in the handler",
}


class ResourceSecurity(SimpleNamespace):
    """Taken and not used: a variable of a URI never matches more than its segment."""


class RequestStateSecurity(SimpleNamespace):
    """Taken and not used: state that clients carry is always sealed."""

    @classmethod
    def ephemeral(cls) -> "RequestStateSecurity":
        """With a key of this process."""
        return cls()


_RESOLVING = ("Elicit", "ElicitationResult", "ListRoots", "Resolve", "Sample")


def __getattr__(name: str) -> Any:
    if name in _RESOLVING:
        return getattr(import_module("plainmcp.compat.mcp.resolve"), name)  # for those who use it
    return refused_name(name, __name__, _ADVICE)
