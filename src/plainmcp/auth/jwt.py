"""JSON Web Tokens: the verifier of access tokens that an issuer has signed. Needs joserfc: plainmcp[auth]."""

import binascii
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

from ..errors import AuthorError
from ..protocol.option_check import with_checked_options
from ..protocol.scopes import check_scopes
from . import fetch as fetching
from .claims import (
    Audience,
    Claims,
    Grants,
    TokenRefused,
    check_seconds,
    check_times,
    decode_object,
    principal_of,
    read_or_refuse,
)
from .key_set import KeySet, loader_of
from .principal import Principal, Unavailable

__all__ = ["ALGORITHMS", "JWT", "MAX_LENGTH"]

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""The algorithms that may be allowed. All have public keys: with a secret, whoever verifies could also sign."""
MAX_LENGTH = 16 * 2**10
"""The longest token, in characters."""

FindKeys = Callable[[str, str | None, float | None], list[Any]]
"""Returns the keys for an algorithm, a key id, and the time at which a token was issued."""

_DEFAULT = ("RS256", "PS256", "ES256", "EdDSA", "Ed25519")
_TYPES = ("at+jwt", "application/at+jwt")
_OTHER_TYPES = ("jwt", "application/jwt")
_ID_TOKEN = ("nonce", "at_hash", "c_hash")


class JWT:
    """A verifier of access tokens that are JSON Web Tokens.

    `issuer` is the authorization server, exactly as its tokens name it; `resource` is the public URL of this server,
    for which the tokens must have been issued, or for one of `audiences`. `scopes` are those that every request
    needs. The keys come from `jwks`: a URL, a file or data; without it, from the metadata of the issuer.
    """

    @with_checked_options("JWT", 'write JWT("https://auth.example.com", "https://api.example.com/mcp")')
    def __init__(
        self,
        issuer: str,
        resource: str | None = None,
        *,
        audiences: Collection[str] = (),
        audience_claim: str = "aud",
        audience_check: bool = True,
        scopes: Collection[str] = (),
        challenge_scopes: Mapping[str, str] | None = None,
        grants: Grants | None = None,
        jwks: Any = None,
        algorithms: Collection[str] = _DEFAULT,
        strict_type: bool = False,
        leeway: float = 30,
        cache_seconds: float = 300,
        keys_seconds: float = 3600,
        refresh_seconds: float = 30,
        fetch: Callable[[str], bytes] = fetching.fetch,
        now: Callable[[], float] = time.time,
    ) -> None:
        if find_spec("joserfc") is None:
            raise AuthorError("JWT takes joserfc: pip install 'plainmcp[auth]'")
        if not issuer:
            raise AuthorError('issuer= is the authorization server, such as "https://auth.example.com"')
        for algorithm in algorithms or [""]:
            if algorithm not in ALGORITHMS:
                raise AuthorError(f"algorithms= takes {', '.join(ALGORITHMS)}; not {algorithm!r}")
        check_seconds(leeway=leeway, cache_seconds=cache_seconds)
        check_seconds(keys_seconds=keys_seconds, refresh_seconds=refresh_seconds, least=0.001)
        self.issuer = issuer
        self.resource = resource
        self.scopes = check_scopes(scopes, "scopes=")
        self.challenge_scopes = dict(challenge_scopes or {})
        check_scopes([*self.challenge_scopes.values()], "challenge_scopes=")
        self.cache_seconds = cache_seconds
        self._audience = Audience(resource, audiences, claim=audience_claim, check=audience_check)
        self._algorithms = frozenset(algorithms)
        self._types = _TYPES if strict_type else (*_TYPES, *_OTHER_TYPES)
        self._is_strict = strict_type
        self._leeway = leeway
        self._grants = grants
        self._now = now
        self._verify_signature = _compile_signature_check(self._algorithms)
        load = loader_of(jwks, issuer, partial(_fetch_by, fetch))
        self._keys = KeySet(load, ttl_seconds=keys_seconds, refresh_seconds=refresh_seconds, clock=now)

    @property
    def version(self) -> int:
        """Changes when the keys of the issuer do."""
        return self._keys.version

    def verify(self, token: str) -> Principal | None:
        """The caller of a token; None if it is not valid. Raises Unavailable if the issuer cannot be reached."""
        return read_or_refuse(partial(self._verify, self._keys.find), token)

    def verify_at_once(self, token: str) -> Principal | None:
        """The same without waiting for the issuer; raises MustWait if keys have to be fetched first."""
        return read_or_refuse(partial(self._verify, self._keys.find_at_once), token)

    def _verify(self, find: FindKeys, token: str) -> Principal:
        """The claims are checked first: they cost little, and most tokens that are not for us are recognised by them.

        Nothing of them is used unless the signature is valid for exactly these bytes.
        """
        header, raw, claims = _split(token)
        self._check_header(header)
        if claims.get("iss") != self.issuer:
            raise TokenRefused("it is from another issuer")
        expires = check_times(claims, self._now(), self._leeway)
        self._audience.check(claims)
        _check_use(claims, header)
        self._check_signature(find, token, header, claims, raw)
        return principal_of(claims, self.issuer, expires, self._grants)

    def _check_header(self, header: dict[str, Any]) -> None:
        algorithm = header.get("alg")
        if not isinstance(algorithm, str) or algorithm not in self._algorithms:
            raise TokenRefused("its algorithm is not allowed")
        if "crit" in header or "b64" in header:
            raise TokenRefused("its header has extensions that must be understood")
        kind = header.get("typ")
        if kind is None and not self._is_strict:
            return
        if not isinstance(kind, str) or kind.lower() not in self._types:
            raise TokenRefused("its type is not that of an access token")

    def _check_signature(
        self, find: FindKeys, token: str, header: dict[str, Any], claims: Claims, raw: bytes
    ) -> None:
        key_id, issued = header.get("kid"), claims.get("iat")
        if key_id is not None and not isinstance(key_id, str):
            raise TokenRefused("its key id is not a text")
        for key in find(header["alg"], key_id, issued if isinstance(issued, (int, float)) else None):
            if self._verify_signature(token, key) == raw:
                return
        raise TokenRefused("its signature is not valid, or its key is unknown")


def _fetch_by(fetch: Callable[[str], bytes], url: str) -> bytes:
    """What a function fetches; its exceptions become Unavailable, because the issuer cannot be reached."""
    try:
        return fetch(url)
    except Unavailable:
        raise
    except Exception as error:
        raise Unavailable(f"the keys of the issuer cannot be fetched: {type(error).__name__}") from error


def _split(token: str) -> tuple[dict[str, Any], bytes, dict[str, Any]]:
    """The header and the claims of a token, and the bytes of its claims, before anything is verified."""
    parts = token.split(".") if len(token) <= MAX_LENGTH else []
    if len(parts) != 3:
        raise TokenRefused("it is not a signed token")
    try:
        header, raw = (urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in parts[:2])
        return decode_object(header), raw, decode_object(raw)
    except (ValueError, binascii.Error):
        raise TokenRefused("it cannot be decoded") from None


def _check_use(claims: Claims, header: dict[str, Any]) -> None:
    """Refuse tokens of other kinds, as far as they can be recognised: above all ID tokens, which are for clients."""
    if claims.get("token_use", "access") != "access":  # Cognito
        raise TokenRefused("it is not an access token")
    kind = claims.get("typ")  # Keycloak
    if isinstance(kind, str) and kind.lower() not in ("bearer", "at+jwt", "jwt"):
        raise TokenRefused("it is not an access token")
    if "cnf" in claims:
        raise TokenRefused("it is bound to a key of its client, which is not checked here")
    is_access = str(kind).lower() in ("bearer", "at+jwt") or str(header.get("typ")).lower() in _TYPES
    if not is_access and any(name in claims for name in _ID_TOKEN):
        raise TokenRefused("it is an ID token")


def _compile_signature_check(algorithms: frozenset[str]) -> Callable[[str, Any], bytes | None]:
    """The function that returns the bytes that a key has signed; None if it has not."""
    from joserfc import jws  # an extra, needed here only
    from joserfc.errors import JoseError

    class Allowed(jws.JWSRegistry):
        def get_alg(self, name: str) -> Any:
            """An algorithm that the author has allowed, without a warning that there are better ones."""
            if name not in algorithms:
                raise JoseError("the algorithm is not allowed")
            return self.algorithms[name]

    registry = Allowed(strict_check_header=False)  # headers that we do not use have no effect
    registry.max_header_length = registry.max_payload_length = registry.max_signature_length = MAX_LENGTH

    def verify_signature(token: str, key: Any) -> bytes | None:
        try:
            return jws.deserialize_compact(token, key, registry=registry).payload
        except (JoseError, ValueError, TypeError):
            return None

    return verify_signature
