"""`mcp.server.auth.settings`: how a server is protected; the other names are refused when they are used."""

import warnings
from types import SimpleNamespace
from typing import Any, Self

from ...shared.exceptions import MCPDeprecationWarning

__all__ = ["AuthSettings"]


class DeprecatedSetting(MCPDeprecationWarning, DeprecationWarning):
    """What the SDK will decide by itself in a next version: a warning as both of its versions have it."""


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
        if validate_token_resource and resource_server_url is None:
            raise ValueError("validate_token_resource requires resource_server_url")
        if validate_token_resource is None and resource_server_url is not None:
            text = "AuthSettings: validate_token_resource is not set; True checks that a token is for this server"
            warnings.warn(text, DeprecatedSetting, stacklevel=2)

    @classmethod
    def model_validate(cls, values: dict[str, Any]) -> Self:
        """The settings of data."""
        return cls(**values)
