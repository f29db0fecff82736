"""`mcp.server.auth.provider`: verifiers of tokens; the other names can be imported, and are refused when used."""

from typing import Any

from ....access_token import AccessToken
from ....refused import refused_name
from ....token_verifiers import TokenVerifier

__all__ = ["AccessToken", "TokenVerifier"]

_ADVICE: dict[str, str] = dict.fromkeys(
    (
        "AuthorizationCode",
        "AuthorizationParams",
        "OAuthAuthorizationServerProvider",
        "RefreshToken",
        "construct_redirect_uri",
    ),
    "log users in at an authorization server, and pass token_verifier= and auth=, which check its tokens",
)


def __getattr__(name: str) -> Any:
    return refused_name(name, __name__, _ADVICE)
