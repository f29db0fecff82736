"""`fastmcp.server.auth.auth`: the providers that check tokens, and how they protect a server here."""

import asyncio
import time
from collections.abc import Collection, Mapping
from typing import Any

from .....auth.jwt import ALGORITHMS, JWT
from .....errors import AuthorError
from ....access_token import AccessToken, access_token_of
from ....token_verifiers import AdaptedVerifier, is_token_verifier, text_of_url

__all__ = ["AuthProvider", "JWTVerifier", "RemoteAuthProvider", "StaticTokenVerifier", "TokenVerifier", "to_auth"]


class AuthProvider:
    """What verifies the tokens of a server: `verify_token` returns an AccessToken, or None."""

    authorization_servers: Collection[Any] = ()

    def __init__(
        self, base_url: Any = None, required_scopes: list[str] | None = None, resource_base_url: Any = None
    ) -> None:
        self.base_url = base_url
        self.resource_base_url = resource_base_url
        self.required_scopes = required_scopes or []

    async def verify_token(self, token: str) -> Any:
        """Verify a token."""
        raise NotImplementedError


class TokenVerifier(AuthProvider):
    """The base class of verifiers: inherit, and write verify_token."""


class StaticTokenVerifier(TokenVerifier):
    """Fixed tokens, each with its client_id, scopes and perhaps expires_at."""

    def __init__(self, tokens: Mapping[str, Mapping[str, Any]], required_scopes: list[str] | None = None) -> None:
        super().__init__(required_scopes=required_scopes)
        self.tokens = tokens

    async def verify_token(self, token: str) -> Any:
        """The owner of a token."""
        known = self.tokens.get(token)
        if known is None or (known.get("expires_at") is not None and known["expires_at"] < time.time()):
            return None
        return AccessToken(
            client_id=known["client_id"],
            scopes=list(known.get("scopes") or ()),
            expires_at=known.get("expires_at"),
            subject=known.get("sub"),
            claims=known,
        )


class JWTVerifier(TokenVerifier):
    """Tokens that an issuer has signed, checked by plainmcp.auth.JWT with the keys at `jwks_uri`."""

    def __init__(
        self,
        *,
        public_key: Any = None,
        jwks_uri: str | None = None,
        issuer: str | list[str] | None = None,
        audience: str | list[str] | None = None,
        algorithm: str | None = None,
        required_scopes: list[str] | None = None,
        base_url: Any = None,
        **others: Any,
    ) -> None:
        super().__init__(base_url, required_scopes)
        algorithm = algorithm or "RS256"
        if public_key is not None or jwks_uri is None or not isinstance(issuer, str) or algorithm not in ALGORITHMS:
            raise AuthorError(
                "JWTVerifier takes jwks_uri= and one issuer= here, and no secret; plainmcp.auth.JWT also takes keys "
                "as data: pass it as auth=JWT(issuer, resource, jwks=…)"
            )
        audiences = [audience] if isinstance(audience, str) else audience or []
        self._native = JWT(
            issuer,
            audiences=audiences,
            audience_check=bool(audiences),
            jwks=jwks_uri,
            algorithms=[algorithm],
        )

    async def verify_token(self, token: str) -> Any:
        """The caller of a token."""
        return access_token_of(await asyncio.to_thread(self._native.verify, token))

    def verify_at_once(self, token: str) -> Any:
        """The caller of a token that can be verified without waiting for the issuer; see plainmcp.auth.JWT."""
        return access_token_of(self._native.verify_at_once(token))


class RemoteAuthProvider(AuthProvider):
    """A verifier, and the authorization servers at which clients log in."""

    def __init__(
        self, token_verifier: Any, authorization_servers: Collection[Any], base_url: Any, **others: Any
    ) -> None:
        scopes = getattr(token_verifier, "required_scopes", None)
        super().__init__(base_url, scopes, others.get("resource_base_url"))
        self.token_verifier = token_verifier
        self.verify_at_once = getattr(token_verifier, "verify_at_once", None)
        self.authorization_servers = authorization_servers

    async def verify_token(self, token: str) -> Any:
        """Verify a token with the verifier."""
        return await self.token_verifier.verify_token(token)


def to_auth(auth: Any, path: str) -> Any:
    """A provider of FastMCP as `auth=` of a server at a path; a verifier of plainmcp is one already."""
    if isinstance(auth, (list, tuple)):
        return [to_auth(one, path) for one in auth]
    if not is_token_verifier(auth):
        return auth
    base = text_of_url(getattr(auth, "resource_base_url", None) or getattr(auth, "base_url", None))
    servers = [text_of_url(server) or "" for server in getattr(auth, "authorization_servers", ())]
    return AdaptedVerifier(
        auth,
        scopes=getattr(auth, "required_scopes", None) or (),
        issuers=servers,
        resource=None if base is None else f"{base.rstrip('/')}/{path.lstrip('/')}".rstrip("/"),
    )
