"""Introspection: the verifier of tokens that only their authorization server can read (RFC 7662)."""

import time
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from urllib.parse import quote_plus, urlencode

from ..errors import AuthorError
from ..protocol.option_check import with_checked_options
from ..protocol.scopes import check_scopes
from . import fetch as fetching
from .claims import (
    Audience,
    Grants,
    TokenRefused,
    check_seconds,
    check_times,
    decode_object,
    principal_of,
    read_or_refuse,
)
from .principal import Principal, Unavailable

__all__ = ["Introspection"]

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Introspection:
    """A verifier that asks the authorization server about each token, at `endpoint`, as the client `client_id`.

    `issuer`, `resource`, `audiences` and `scopes` have the meaning that they have for JWT. An answer is used for
    `cache_seconds`, and never longer than the token is valid; a refusal for `refusal_seconds`.
    """

    @with_checked_options("Introspection", "write Introspection(endpoint, client_id=…, client_secret=…, resource=…)")
    def __init__(
        self,
        endpoint: str,
        *,
        client_id: str,
        client_secret: str,
        issuer: str | None = None,
        resource: str | None = None,
        audiences: Collection[str] = (),
        audience_check: bool = True,
        scopes: Collection[str] = (),
        challenge_scopes: Mapping[str, str] | None = None,
        grants: Grants | None = None,
        secret_in_body: bool = False,
        leeway: float = 0,
        cache_seconds: float = 30,
        refusal_seconds: float = 5,
        fetch: Callable[[str, bytes, Mapping[str, str]], bytes] = fetching.fetch,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._endpoint = fetching.check_url(endpoint, "endpoint=")
        if not client_id or not client_secret:
            raise AuthorError("client_id= and client_secret= are what the authorization server knows this server by")
        check_seconds(leeway=leeway, cache_seconds=cache_seconds, refusal_seconds=refusal_seconds)
        self.issuer = issuer
        self.resource = resource
        self.scopes = check_scopes(scopes, "scopes=")
        self.challenge_scopes = dict(challenge_scopes or {})
        check_scopes([*self.challenge_scopes.values()], "challenge_scopes=")
        self.cache_seconds = cache_seconds
        self.refusal_seconds = refusal_seconds
        self._audience = Audience(resource, audiences, check=audience_check)
        self._grants = grants
        self._leeway = leeway
        self._fetch = fetch
        self._now = now
        self._body: dict[str, str] = {}
        self._headers = dict(_FORM)
        if secret_in_body:
            self._body = {"client_id": client_id, "client_secret": client_secret}
        else:
            pair = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"  # RFC 6749, 2.3.1
            self._headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"

    def verify(self, token: str) -> Principal | None:
        """The caller of a token; None if it is not valid. Raises Unavailable if the server cannot be reached."""
        form = {"token": token, "token_type_hint": "access_token", **self._body}
        return read_or_refuse(self._read, self._fetch(self._endpoint, urlencode(form).encode(), self._headers))

    def _read(self, raw: bytes) -> Principal:
        try:
            answer = decode_object(raw)
        except ValueError:
            raise Unavailable("the answer of the introspection endpoint is not a JSON object") from None
        if answer.get("active") is not True:
            raise TokenRefused("it is not active")
        if self.issuer is not None and answer.get("iss", self.issuer) != self.issuer:
            raise TokenRefused("it is from another issuer")
        if str(answer.get("token_type", "Bearer")).lower() not in ("bearer", "access_token", "at+jwt"):
            raise TokenRefused("it is not a bearer token")
        if "cnf" in answer:
            raise TokenRefused("it is bound to a key of its client, which is not checked here")
        expires = check_times(answer, self._now(), self._leeway, needs_expiry=False)
        self._audience.check(answer)
        return principal_of(answer, self.issuer, expires, self._grants)
