"""`FastMCP` of `mcp` 1: its constructor, and what becomes of exceptions in its tools."""

import logging
from collections.abc import Callable
from typing import Any

from .high_level import HighLevelServer
from .prompts import Prompt
from .resource_templates import ResourceManager
from .settings import set_verifier, settings_of
from .tools import Tool as AnyTool
from .tools import ToolManager as AnyToolManager

__all__ = ["FastMCP", "Tool", "ToolManager"]

_log = logging.getLogger("plainmcp")


class Tool(AnyTool):
    """A function as a tool of `FastMCP`."""


class ToolManager(AnyToolManager):
    """The tools of a `FastMCP`."""

    tool_class = Tool


class FastMCP(HighLevelServer):
    """A server with the decorators of `mcp` 1; takes the arguments of its `FastMCP`.

    >>> mcp = FastMCP("Demo", dependencies=["httpx"], port=9000)
    >>> @mcp.tool()
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> mcp.settings.port, list(mcp.registry.tools.features)
    (9000, ['add'])
    """

    tool_manager_class = ToolManager

    def __init__(
        self,
        name: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Any = None,
        auth_server_provider: Any = None,
        token_verifier: Any = None,
        event_store: Any = None,
        retry_interval: int | None = None,
        *,
        tools: Any = None,
        lifespan: Callable[[Any], Any] | None = None,
        version: str | None = None,
        **options: Any,
    ) -> None:
        self.settings = settings_of(options)
        set_verifier(self.settings, token_verifier, auth_server_provider)
        self._event_store, self._retry_interval = event_store, retry_interval
        self._auth_server_provider, self._token_verifier = auth_server_provider, token_verifier
        self.dependencies = self.settings.dependencies
        for option in options:
            _log.warning("FastMCP(%s=) is not an option of mcp 1, and is ignored", option)
        super().__init__(
            name or "FastMCP",
            version,
            instructions=instructions,
            website_url=website_url,
            icons=icons,
            tools=tools,
            lifespan=lifespan,
        )
        self._mcp_server = self.low_level

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls


Tool.server_class = FastMCP
Prompt.server_class = FastMCP  # of a prompt or a manager that is not in a server
ResourceManager.server_class = FastMCP
