"""The claims of an access token: whether it is valid now and for this server, and who its caller is.

Knows the forms in which authorization servers write scopes, clients and audiences. Knows no signatures.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from ..errors import AuthorError, ParseError
from ..protocol.scopes import split_scopes
from ..wire.codec import check_depth
from .principal import Principal

__all__ = [
    "Audience",
    "TokenRefused",
    "check_seconds",
    "check_times",
    "decode_object",
    "principal_of",
    "read_or_refuse",
    "scopes_of_claims",
    "to_canonical",
]

_log = logging.getLogger("plainmcp")

T = TypeVar("T")
Claims = Mapping[str, Any]
Grants = Callable[[Claims], Collection[str]]
"""Returns more scopes for the claims of a token, such as for its roles."""

_CLIENTS = ("client_id", "azp", "appid", "cid")  # RFC 9068; Auth0, Keycloak and Entra; older Entra; Okta
_SCOPES = ("scope", "scp", "scopes")  # RFC 9068; Entra and Okta; others


class TokenRefused(Exception):
    """A token is not valid; the text says why, without anything of the token."""


def read_or_refuse(read: Callable[[T], Principal], token: T) -> Principal | None:
    """The caller of a token; None if it is refused, and the log says why."""
    try:
        return read(token)
    except TokenRefused as reason:
        _log.info("a token was refused: %s", reason)
        return None


def decode_object(raw: Any) -> dict[str, Any]:
    """A JSON object that others wrote, which does not nest deeper than a message may; raises ValueError."""
    data = raw.encode(errors="replace") if isinstance(raw, str) else raw
    try:
        check_depth(data)
        return msgspec.json.decode(data, type=dict[str, Any])
    except (ParseError, msgspec.MsgspecError, UnicodeError, TypeError):
        raise ValueError("it is not a JSON object") from None


def to_canonical(uri: str) -> str:
    """A URI for comparisons: scheme and host in lowercase, and without a slash at its end (R26-AUTH-16).

    >>> to_canonical("HTTPS://API.example.com/Mcp/"), to_canonical("api://1234")
    ('https://api.example.com/Mcp', 'api://1234')
    """
    scheme, mark, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    text = f"{scheme.lower()}{mark}{host.lower()}{slash}{path}" if mark else uri
    return text[:-1] if text.endswith("/") else text


class Audience:
    """The audiences for which tokens are accepted: the URL of the server, and others (R26-AUTH-05)."""

    def __init__(
        self, resource: str | None, audiences: Collection[str], *, claim: str = "aud", check: bool = True
    ) -> None:
        if not all(type(one) is str and one for one in audiences):
            raise AuthorError('audiences= is a list of texts, such as ["api://notes"]')
        if resource is not None and not urlsplit(resource).hostname:
            raise AuthorError(
                f'resource= is the public URL of the server, such as "https://api.example.com/mcp"; not {resource!r}'
            )
        accepted = {*audiences} | ({resource} if resource is not None else set())
        if check and not accepted:
            raise AuthorError(
                "give resource=, the public URL of the server, or audiences=: a token for another server must be "
                "refused. audience_check=False accepts the tokens of all servers that have the same issuer"
            )
        self._accepted = {to_canonical(one) for one in accepted}
        self._claim = claim
        self._check = check

    def check(self, claims: Claims) -> None:
        """Refuse a token that was issued for another server, or for none; raises TokenRefused."""
        if not self._check:
            return
        value = claims.get(self._claim)
        values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if not any(isinstance(one, str) and to_canonical(one) in self._accepted for one in values):
            raise TokenRefused("it is not for this server: its audience is another one")


def check_seconds(*, least: float = 0, **options: float) -> None:
    """Refuse options that are not numbers of seconds, or less than there must be; raises AuthorError."""
    for name, value in options.items():
        if not value >= least:
            raise AuthorError(f"{name}= is a number of seconds, at least {least:g}; not {value!r}")


def check_times(claims: Claims, now: float, leeway: float, *, needs_expiry: bool = True) -> float | None:
    """When a token expires; raises TokenRefused if it has expired, or is not valid yet."""
    expires, begins, issued = (_number_of(claims, name) for name in ("exp", "nbf", "iat"))
    if expires is None:
        if needs_expiry:
            raise TokenRefused("it has no exp")
    elif now >= expires + leeway:
        raise TokenRefused("it has expired")
    if any(one is not None and one > now + leeway for one in (begins, issued)):
        raise TokenRefused("it is not valid yet")
    return None if expires is None else expires + leeway


def _number_of(claims: Claims, name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e15:
        raise TokenRefused(f"its {name} is not a time")
    return float(value)


def scopes_of_claims(claims: Claims, grants: Grants | None = None) -> frozenset[str]:
    """The scopes of a token, in every form that authorization servers write them."""
    scopes: set[str] = set()
    for name in _SCOPES:
        value = claims.get(name)
        if isinstance(value, str):
            scopes |= set(split_scopes(value))
        elif isinstance(value, list):
            scopes |= {one for one in value if isinstance(one, str)}
    return frozenset(scopes if grants is None else scopes | {*grants(claims)})


def principal_of(
    claims: Claims, issuer: str | None, expires: float | None, grants: Grants | None = None
) -> Principal:
    """The caller; raises TokenRefused if a token names neither a subject nor a client."""
    subject = claims.get("sub")
    client = next((claims[name] for name in _CLIENTS if isinstance(claims.get(name), str)), None)
    if subject is not None and (not isinstance(subject, str) or not subject):
        raise TokenRefused("its sub is not a text")
    if subject is None and not client:
        raise TokenRefused("it has neither sub nor client_id")
    return Principal(issuer, subject, client, scopes_of_claims(claims, grants), claims, expires)
