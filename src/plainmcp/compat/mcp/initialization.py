"""The options of a handshake in the official SDK; the handshake itself is plainmcp's."""

from typing import Any

from ...server import Server
from .types import ServerCapabilities
from .wire_model import Model

__all__ = ["InitializationOptions", "NotificationOptions", "initialization_options_of"]


class NotificationOptions:
    """Which changes of lists a server announces; here it announces all of them."""

    def __init__(
        self, prompts_changed: bool = False, resources_changed: bool = False, tools_changed: bool = False
    ) -> None:
        self.prompts_changed = prompts_changed
        self.resources_changed = resources_changed
        self.tools_changed = tools_changed


class InitializationOptions(Model):
    """The name, the version and the capabilities of a server."""

    server_name: str = ""
    server_version: str = "0.0.0"
    capabilities: ServerCapabilities | None = None
    instructions: str | None = None
    website_url: str | None = None
    icons: list[Any] | None = None


def initialization_options_of(server: Server) -> InitializationOptions:
    """The options of the handshake of a server."""
    return InitializationOptions(
        server_name=server.info.name,
        server_version=server.info.version,
        capabilities=ServerCapabilities(**server.announced_capabilities()),
        instructions=server.instructions,
    )
