"""The caller of a request, with the names that other packages have for an access token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..auth.principal import Principal

__all__ = ["AccessToken", "access_token_of"]


@dataclass(frozen=True)
class AccessToken:
    """What is known of the token of a caller. The token itself is not kept: it must not be passed on."""

    client_id: str
    scopes: list[str]
    expires_at: int | None
    subject: str | None
    claims: Mapping[str, Any]
    token: str = ""


def access_token_of(principal: Any) -> Any:
    """The access token of a caller whom `auth=` has verified, or a principal with a token; None otherwise."""
    if isinstance(principal, Principal):
        expires = None if principal.expires is None else int(principal.expires)
        client = principal.client or principal.subject or ""
        return AccessToken(client, sorted(principal.scopes), expires, principal.subject, principal.claims)
    return principal if getattr(principal, "token", None) is not None else None
