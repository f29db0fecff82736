"""`fastmcp.server.auth.providers.jwt`: verifiers of signed tokens, and of fixed ones, and keys to try them with."""

import time
from typing import Any, NamedTuple, Self

from ..auth import JWTVerifier, StaticTokenVerifier

__all__ = ["JWTVerifier", "RSAKeyPair", "StaticTokenVerifier"]


class Secret:
    """A text that is not shown by mistake."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret('**********')"

    def get_secret_value(self) -> str:
        """The text."""
        return self._text


class RSAKeyPair(NamedTuple):
    """Keys for tests and development: the public one is for `JWTVerifier(public_key=…)`."""

    private_key: Any
    public_key: str

    @classmethod
    def generate(cls) -> Self:
        """New keys."""
        from joserfc.jwk import RSAKey

        key: Any = RSAKey.generate_key(2048, auto_kid=False)
        return cls(Secret(key.as_pem(private=True).decode()), key.as_pem(private=False).decode())

    def create_token(
        self,
        subject: str = "fastmcp-user",
        issuer: str = "https://fastmcp.example.com",
        audience: str | list[str] | None = None,
        scopes: list[str] | None = None,
        expires_in_seconds: int = 3600,
        additional_claims: dict[str, Any] | None = None,
        kid: str | None = None,
    ) -> str:
        """A token that the private key has signed."""
        from joserfc import jwt
        from joserfc.jwk import RSAKey

        now = int(time.time())
        claims: dict[str, Any] = {"sub": subject, "iss": issuer, "iat": now, "exp": now + expires_in_seconds}
        if scopes:
            claims["scope"] = " ".join(scopes)
        if audience:
            claims["aud"] = audience
        header = {"alg": "RS256"} if kid is None else {"alg": "RS256", "kid": kid}
        key = RSAKey.import_key(self.private_key.get_secret_value())
        return jwt.encode(header, claims | (additional_claims or {}), key)
