"""`mcp.server.auth.settings`: how a server is protected; the other names are refused when they are used."""

from types import SimpleNamespace
from typing import Any

from ....refused import refused_name

__all__ = ["AuthSettings"]

_ADVICE: dict[str, str] = dict.fromkeys(
    (
        "ClientRegistrationOptions",
        "RevocationOptions",
    ),
    "log users in at an authorization server, and pass token_verifier= and auth=, which check its tokens",
)


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


def __getattr__(name: str) -> Any:
    return refused_name(name, __name__, _ADVICE)
