"""`mcp.server.auth.settings`: how a server is protected; the other names are refused when they are used."""

from types import SimpleNamespace
from typing import Any

__all__ = ["AuthSettings"]


class AuthSettings(SimpleNamespace):
    """The authorization server, the URL of this server, and the scopes that every request needs."""

    def __init__(
        self,
        *,
        issuer_url: Any,
        resource_server_url: Any = None,
        required_scopes: list[str] | None = None,
        validate_token_resource: bool | None = None,
        **others: Any,
    ) -> None:
        super().__init__(
            issuer_url=issuer_url,
            resource_server_url=resource_server_url,
            required_scopes=required_scopes,
            validate_token_resource=validate_token_resource,
            **others,
        )
