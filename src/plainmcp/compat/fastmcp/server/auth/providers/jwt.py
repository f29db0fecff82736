"""`fastmcp.server.auth.providers.jwt`: verifiers of signed tokens, and of fixed ones."""

from typing import Any

from ....missing import IN_MODULES, stand_in
from ..auth import JWTVerifier, StaticTokenVerifier

__all__ = ["JWTVerifier", "StaticTokenVerifier"]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return stand_in(name, IN_MODULES["server.auth"])
