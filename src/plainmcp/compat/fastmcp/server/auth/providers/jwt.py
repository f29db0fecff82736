"""`fastmcp.server.auth.providers.jwt`: verifiers of signed tokens, and of fixed ones."""

from ..auth import JWTVerifier, StaticTokenVerifier

__all__ = ["JWTVerifier", "StaticTokenVerifier"]
