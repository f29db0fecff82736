"""`fastmcp.server.auth`: the providers that check tokens. Those that log users in are refused when they are used."""

from typing import Any

from ....access_token import AccessToken
from ...missing import IN_MODULES, stand_in_of
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
    return stand_in_of(__name__, name, IN_MODULES["server.auth"])
