"""The initializer of mcp-serializer: what the response to initialize announces."""

from typing import Self

from .blocks import Data

__all__ = ["DEFAULT_VERSION", "MCPInitializer"]

DEFAULT_VERSION = "2024-11-05"


class MCPInitializer:
    """The announcements in the response to initialize; override `build_result` to vary them by client."""

    protocol_default_version = DEFAULT_VERSION

    def __init__(self, protocol_version: str | None = None, instructions: str | None = None) -> None:
        self.protocol_version = protocol_version or self.protocol_default_version
        self.instructions = instructions or ""
        self.server_info: Data = {}
        self.capabilities: Data = {}
        self.result: Data = {}

    def add_server_info(self, name: str, version: str, title: str | None = None) -> Self:
        """Set the name, version and title of the server."""
        self.server_info = {"name": name, "version": version, **({"title": title} if title else {})}
        return self

    def add_prompt(self, list_changed: bool = False) -> Self:
        """Announce prompts, if any are registered."""
        self.capabilities["prompts"] = {"listChanged": list_changed}
        return self

    def add_resources(self, subscribe: bool = False, list_changed: bool = False) -> Self:
        """Announce resources, if any are registered."""
        self.capabilities["resources"] = {"subscribe": subscribe, "listChanged": list_changed}
        return self

    def add_tools(self, list_changed: bool = False) -> Self:
        """Announce tools, if any are registered."""
        self.capabilities["tools"] = {"listChanged": list_changed}
        return self

    def build_result(self, client_params: Data) -> Data:
        """The result of initialize for the client's parameters."""
        self.result = {
            "protocolVersion": self.protocol_version,
            "capabilities": dict(self.capabilities),
            "serverInfo": dict(self.server_info),
        }
        if self.instructions:
            self.result["instructions"] = self.instructions
        return self.result
