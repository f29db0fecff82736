"""`fastmcp.server.auth.auth`: the providers that check tokens, and how they protect a server here."""

import asyncio
import time
from base64 import urlsafe_b64decode
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

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


_MOST = 64
"""How many verifiers are kept: anyone can name another issuer or key in a token."""


class JWTVerifier(TokenVerifier):
    """Tokens that issuers have signed, checked by plainmcp.auth.JWT: with the keys at `jwks_uri`, or one as PEM.

    With a PEM and without `issuer`, any issuer is taken that has the key.
    """

    def __init__(
        self,
        *,
        public_key: str | bytes | None = None,
        jwks_uri: str | None = None,
        issuer: str | list[str] | None = None,
        audience: str | list[str] | None = None,
        algorithm: str | None = None,
        required_scopes: list[str] | None = None,
        base_url: Any = None,
        **others: Any,
    ) -> None:
        super().__init__(base_url, required_scopes)
        if public_key is None and jwks_uri is None:
            raise ValueError("Either public_key or jwks_uri must be provided")
        if public_key is not None and jwks_uri is not None:
            raise ValueError("Provide either public_key or jwks_uri, not both")
        self.algorithm = algorithm or "RS256"
        if self.algorithm not in ALGORITHMS:
            raise AuthorError(
                f"JWTVerifier takes no algorithm {self.algorithm} here, as with a secret whoever verifies could also "
                f"sign; it takes {', '.join(ALGORITHMS)}"
            )
        if jwks_uri is not None and issuer is None:
            raise AuthorError(
                "JWTVerifier takes issuer= with jwks_uri=: the name of the authorization server in tokens"
            )
        self.public_key, self.jwks_uri, self.issuer, self.audience = public_key, jwks_uri, issuer, audience
        self._key = None if public_key is None else _key_of_pem(public_key)
        self._issuers = None if issuer is None else {issuer} if isinstance(issuer, str) else set(issuer)
        self._natives: dict[tuple[str, str | None], JWT] = {}
        for one in self._issuers or ():
            self._native_of(one, None)  # raises

    def _native_of(self, issuer: str, key_id: str | None) -> JWT:
        """The verifier of the tokens of an issuer; a key that was given is that of any id."""
        if len(self._natives) >= _MOST:
            self._natives.clear()
        audiences = [self.audience] if isinstance(self.audience, str) else self.audience or []
        native = self._natives[issuer, key_id] = JWT(
            issuer,
            audiences=audiences,
            audience_check=bool(audiences),
            jwks=self.jwks_uri or {"keys": [{**(self._key or {}), **({"kid": key_id} if key_id else {})}]},
            algorithms=[self.algorithm],
        )
        return native

    def _native_for(self, token: str) -> JWT | None:
        """The verifier for the issuer that a token names; None if that is not one of those which are known."""
        header, claims = _parts_of(token)
        issuer, key_id = claims.get("iss"), header.get("kid") if self.jwks_uri is None else None
        if not isinstance(issuer, str) or not issuer or not isinstance(key_id, str | None):
            return None
        if self._issuers is not None and issuer not in self._issuers:
            return None
        return self._natives.get((issuer, key_id)) or self._native_of(issuer, key_id)

    async def verify_token(self, token: str) -> Any:
        """The caller of a token."""
        native = self._native_for(token)
        return None if native is None else access_token_of(await asyncio.to_thread(native.verify, token))

    def verify_at_once(self, token: str) -> Any:
        """The caller of a token that can be verified without waiting for the issuer; see plainmcp.auth.JWT."""
        native = self._native_for(token)
        return None if native is None else access_token_of(native.verify_at_once(token))


def _key_of_pem(pem: str | bytes) -> dict[str, Any]:
    """A public key as data; raises ValueError."""
    from joserfc.jwk import ECKey, OKPKey, RSAKey

    kinds: Any = (RSAKey, ECKey, OKPKey)
    for kind in kinds:
        try:
            return kind.import_key(pem).as_dict(private=False)  # type: ignore[no-any-return]
        except (ValueError, TypeError):
            continue
    raise ValueError("public_key= is the PEM of an RSA, EC or Ed25519 key")


def _parts_of(token: str) -> list[dict[str, Any]]:
    """The header and the claims of a token, which is not yet verified; both are empty if it is none."""
    try:
        raw = [urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in token.split(".")[:2]]
        header, claims = (msgspec.json.decode(part, type=dict[str, Any]) for part in raw)
        return [header, claims]
    except ValueError:  # also of base64 and of JSON
        return [{}, {}]


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
