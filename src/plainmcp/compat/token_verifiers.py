"""Verifiers of tokens as other packages have them, with a method `verify_token(token)`: as `auth=` of a server here.

Only those that check tokens. What logs users in, or stands in for an authorization server, is another product.
"""

import inspect
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

from ..auth.claims import to_canonical
from ..auth.principal import Principal
from .access_token import principal_of

__all__ = ["AdaptedVerifier", "TokenVerifier", "is_same_url", "is_token_verifier", "text_of_url"]


class TokenVerifier:
    """The base class of verifiers: `verify_token` returns an AccessToken, or None for a token that is not valid."""

    async def verify_token(self, token: str) -> Any:
        """Verify a token."""
        raise NotImplementedError


class AdaptedVerifier:
    """A verifier of another package, as plainmcp asks it.

    With `audience`, a token must have been issued for this resource, as the verifier says.
    """

    def __init__(
        self,
        verifier: Any,
        *,
        scopes: Collection[str] = (),
        issuers: Collection[str] = (),
        resource: str | None = None,
        audience: str | None = None,
    ) -> None:
        self._verifier = verifier
        self.scopes = list(scopes)
        self.issuer = list(issuers) if issuers and resource else None  # clients need both to log in
        self.resource = resource
        self._audience = None if audience is None else to_canonical(audience)
        at_once = getattr(verifier, "verify_at_once", None)
        self.verify_at_once = None if at_once is None else lambda token: self._to_principal(at_once(token))
        """Verifies without waiting, if the verifier can: see JWT."""

    async def verify(self, token: str) -> Principal | None:
        """The caller of a token; None if it is not valid."""
        access = self._verifier.verify_token(token)
        return self._to_principal(await access if inspect.isawaitable(access) else access)

    def _to_principal(self, access: Any) -> Principal | None:
        if access is None:
            return None
        if self._audience is not None and to_canonical(str(getattr(access, "resource", ""))) != self._audience:
            return None
        return principal_of(access)


def is_token_verifier(value: Any) -> bool:
    """Whether a value verifies tokens, in the way of other packages."""
    return callable(getattr(value, "verify_token", None)) and not isinstance(value, type)


def is_same_url(one: str, other: str) -> bool:
    """Whether two URLs are the same, whatever the case of the host, and with or without a slash at the end."""
    first, second = (urlsplit(url.removesuffix("/")) for url in (one, other))
    return (first.scheme.lower(), first.hostname, _port_of(first), first.path, first.query) == (
        second.scheme.lower(),
        second.hostname,
        _port_of(second),
        second.path,
        second.query,
    )


def _port_of(url: Any) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme.lower())


def text_of_url(url: Any) -> str | None:
    """A URL as its author wrote it: pydantic adds a slash where there is no path, and clients compare it.

    >>> text_of_url("https://auth.example.com/"), text_of_url(None)
    ('https://auth.example.com/', None)
    """
    if url is None or isinstance(url, str):
        return url
    text = str(url)
    return text[:-1] if text.count("/") == 3 and text.endswith("/") else text
