"""The configuration objects of OpenMCP: taken, and used as far as plainmcp has what they configure."""

from types import SimpleNamespace
from typing import Any

from ..mcp.settings import TransportSecuritySettings

__all__ = [
    "ASGIRunConfig",
    "ElicitationConfig",
    "NotificationFlags",
    "PingConfig",
    "SamplingConfig",
    "ServerConfig",
    "TransportSecuritySettings",
]


class NotificationFlags(SimpleNamespace):
    """Which changes of lists are announced; here all of them are."""


class SamplingConfig(SimpleNamespace):
    """How long and how often the client's model is asked."""


class ElicitationConfig(SimpleNamespace):
    """How long the user is waited for."""


class PingConfig(SimpleNamespace):
    """How often clients are asked for a sign of life; here they are not."""


class ASGIRunConfig(SimpleNamespace):
    """Where a server is served over HTTP."""


class ServerConfig(SimpleNamespace):
    """Several settings of a server at once."""

    def __init__(self, *, pagination_limit: int | None = None, icons: Any = None, **options: Any) -> None:
        super().__init__(pagination_limit=pagination_limit, icons=icons, **options)
