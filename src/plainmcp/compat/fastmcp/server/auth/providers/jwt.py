"""`fastmcp.server.auth.providers.jwt`: verifiers of signed tokens, and of fixed ones."""

from typing import Any

from ....missing import IN_MODULES, stand_in_of
from ..auth import JWTVerifier, StaticTokenVerifier

__all__ = ["JWTVerifier", "StaticTokenVerifier"]


def __getattr__(name: str) -> Any:
    return stand_in_of(__name__, name, IN_MODULES["server.auth"])
