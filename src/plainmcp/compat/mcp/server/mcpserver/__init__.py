"""`mcp.server.mcpserver` of `mcp` 2."""

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
    "UserMessage",
]
