"""The caller of a request, with the names that other packages have for an access token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..auth.principal import Principal

__all__ = ["AccessToken", "access_token_of", "principal_of"]


@dataclass(frozen=True, kw_only=True)
class AccessToken:
    """What is known of the token of a caller. The token itself is not kept: it must not be passed on."""

    client_id: str
    scopes: list[str]
    expires_at: int | None = None
    subject: str | None = None
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    resource: str | None = None
    token: str = ""


def access_token_of(principal: Any) -> Any:
    """The access token of a caller whom `auth=` has verified, or a principal with a token; None otherwise."""
    if isinstance(principal, Principal):
        return AccessToken(
            client_id=principal.client or principal.subject or "",
            scopes=sorted(principal.scopes),
            expires_at=None if principal.expires is None else int(principal.expires),
            subject=principal.subject,
            claims=principal.claims,
        )
    return principal if getattr(principal, "token", None) is not None else None


def principal_of(access: Any) -> Principal:
    """The caller of an access token of another package."""
    claims = getattr(access, "claims", None) or {}
    subject = getattr(access, "subject", None) or claims.get("sub")
    expires = access.expires_at
    return Principal(
        issuer=claims.get("iss"),
        subject=None if subject is None else str(subject),
        client=access.client_id,
        scopes=frozenset(access.scopes or ()),
        claims=claims,
        expires=None if expires is None else float(expires),
    )
