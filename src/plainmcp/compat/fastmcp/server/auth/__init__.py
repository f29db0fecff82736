"""`fastmcp.server.auth`: the providers that check tokens. Those that log users in are refused when they are used."""

from ....access_token import AccessToken
from .auth import AuthProvider, JWTVerifier, RemoteAuthProvider, StaticTokenVerifier, TokenVerifier

__all__ = [
    "AccessToken",
    "AuthProvider",
    "JWTVerifier",
    "RemoteAuthProvider",
    "StaticTokenVerifier",
    "TokenVerifier",
]
