"""The answers to callers who may not pass: which status, which challenge, which body (RFC 6750, RFC 9728).

Functions of data, without I/O. Knows neither tokens nor how they are checked; no answer has a part of one.
"""

import re
from collections.abc import Collection, Mapping

from ...errors import AuthorError, InsufficientScope
from ...wire import codec
from .response import JSON, Response

__all__ = ["NO_STORE", "PLAIN", "Challenges"]

NO_STORE = (b"cache-control", b"no-store")
_VALUE = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*")  # of RFC 6750: without quotes, backslashes and line breaks

_NO_TOKEN = "This server needs an access token: send the header Authorization: Bearer <token>."
_GARBLED = "The header Authorization comes once, as Bearer and one token."
_INVALID = "The access token is expired, revoked, or not one for this server."
_SCOPE = "The access token lacks a scope."
_UNAVAILABLE = "The access token cannot be checked at the moment; try again later."


class Challenges:
    """The answers of one endpoint to callers who may not pass.

    `metadata_url` is where clients find out how to log in; None if they cannot. `scopes` are those that every request
    needs. `names` has other names of scopes, for authorization servers that want them in a request for a token.
    """

    def __init__(
        self, metadata_url: str | None = None, scopes: Collection[str] = (), names: Mapping[str, str] | None = None
    ) -> None:
        if metadata_url is not None and not _VALUE.fullmatch(metadata_url):
            raise AuthorError(f"resource= is a URL without quotes and blanks, not {metadata_url!r}")
        self._metadata_url = metadata_url
        self._scopes = tuple(scopes)
        self._names = names or {}
        self.no_token = self.refuse_anonymous()
        """A 401 for a request without credentials, or with those of another scheme (R26-AUTH-02)."""
        self.garbled = self._refuse(400, "invalid_request", _GARBLED)
        """A 400 for a header Authorization that cannot be read (R26-AUTH-03)."""
        self.invalid = self._refuse(401, "invalid_token", _INVALID, self._scopes)
        """A 401 for a token that is not valid here."""
        self.insufficient = self._refuse(403, "insufficient_scope", _SCOPE, self._scopes)
        """A 403 for a token that lacks a scope which every request needs."""

    def names_of(self, scopes: Collection[str]) -> list[str]:
        """The names that a client asks for scopes by."""
        return [self._names.get(scope, scope) for scope in scopes]

    def refuse_scopes(self, error: InsufficientScope, body: bytes) -> Response:
        """A 403 for a request that needs more scopes, with all that it needs in one challenge (R26-AUTH-11).

        A caller without a token gets a 401, to log in with these scopes. `body` is the JSON-RPC error.
        """
        scopes = tuple(dict.fromkeys((*self._scopes, *error.scopes)))
        if error.is_anonymous:
            return self.refuse_anonymous(scopes, body)
        return self._refuse(403, "insufficient_scope", _SCOPE, scopes, body)

    def refuse_anonymous(self, scopes: Collection[str] | None = None, body: bytes | None = None) -> Response:
        """A 401 without an error, because no token was sent (RFC 6750, 3.1)."""
        return self._refuse(401, None, _NO_TOKEN, self._scopes if scopes is None else scopes, body)

    def refuse_for_now(self, seconds: int) -> Response:
        """A 503 while tokens cannot be checked. A 401 would make clients throw a good token away."""
        body = codec.encode({"error": "temporarily_unavailable", "error_description": _UNAVAILABLE})
        return Response(503, body, (*JSON, (b"retry-after", b"%d" % max(1, seconds)), NO_STORE))

    def _refuse(
        self, status: int, error: str | None, text: str, scopes: Collection[str] = (), body: bytes | None = None
    ) -> Response:
        parameters = {
            "error": error,
            "error_description": error and text,
            "resource_metadata": self._metadata_url,
            "scope": " ".join(self.names_of(scopes)) or None,
        }
        pairs = [f'{name}="{value}"' for name, value in parameters.items() if value is not None]
        challenge = " ".join(("Bearer", ", ".join(pairs))).strip()
        if body is None:
            body = codec.encode({"error": error or "unauthorized", "error_description": text})
        return Response(status, body, (*JSON, (b"www-authenticate", challenge.encode()), NO_STORE))


PLAIN = Challenges()
"""The answers of an endpoint without verifiers of its own."""
