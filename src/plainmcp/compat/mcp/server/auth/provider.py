"""`mcp.server.auth.provider`: its names can be imported, and are refused when they are used."""

from typing import Any

from ....refused import refused_name

__all__: list[str] = []

_ADVICE: dict[str, str] = dict.fromkeys(
    (
        "AccessToken",
        "AuthorizationCode",
        "AuthorizationParams",
        "OAuthAuthorizationServerProvider",
        "RefreshToken",
        "TokenVerifier",
        "construct_redirect_uri",
    ),
    "pass asgi(auth=…) or run(http=…, auth=…): plainmcp.auth has verifiers of keys and tokens",
)


def __getattr__(name: str) -> Any:
    return refused_name(name, __name__, _ADVICE)
