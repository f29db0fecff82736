"""`fastmcp.server.auth`: the providers that check tokens. Those that log users in are refused when they are used."""

from typing import Any

from ....access_token import AccessToken
from ...missing import IN_MODULES, IN_THE_PACKAGE, stand_in
from .auth import AuthProvider, JWTVerifier, RemoteAuthProvider, StaticTokenVerifier, TokenVerifier

__all__ = [
    "AccessToken",
    "AuthProvider",
    "JWTVerifier",
    "RemoteAuthProvider",
    "StaticTokenVerifier",
    "TokenVerifier",
]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return stand_in(name, IN_THE_PACKAGE.get(name) or IN_MODULES["server.auth"])
