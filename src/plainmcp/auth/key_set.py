"""The public keys of an issuer (JWKS): from a URL, a file or data, fetched again when a token names an unknown key.

One fetch is shared by all requests that wait for it, and fetches are bounded in rate: anyone can invent a key id.
For the same reason nothing that can be answered by the keys that are there waits for an issuer that hangs.
"""

import threading
import time
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import AuthorError
from .claims import decode_object
from .fetch import NotThere, check_url
from .principal import MustWait, Unavailable

__all__ = ["BURST", "PATIENCE", "KeySet", "Load", "discover", "loader_of"]

Load = Callable[[], Any]
"""Returns the JSON of a key set, in bytes or as data; raises Unavailable."""

BURST = 3
"""How many times in a row unknown key ids cause a fetch; then one fetch per `refresh_seconds`."""
PATIENCE = 1.0
"""How many seconds requests wait for a fetch without which they can be answered, or refused for a moment."""
SKEW = 60
"""How many seconds the clock of the issuer may differ from ours."""
MAX_KEYS = 100
"""How many keys of one issuer are used."""
MIN_RSA_BITS = 2048

_KINDS: dict[str, tuple[str, str | None]] = {
    "RS": ("RSA", None),
    "PS": ("RSA", None),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
    "Ed25519": ("OKP", "Ed25519"),
}
"""The kind of key and the curve of each algorithm, or of those with the same first letters."""


class _Turn:
    """One fetch at a time. Others wait for its end, as long as it has not taken long."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._since: float | None = None  # when the fetch began that runs

    def begin(self, patience: float) -> bool:
        """Wait until no fetch runs; returns False if one has run for too many seconds."""
        with self._changed:
            while self._since is not None:
                seconds = self._since + patience - time.monotonic()
                if seconds <= 0:
                    return False
                self._changed.wait(min(seconds, threading.TIMEOUT_MAX))
            self._since = time.monotonic()
            return True

    def end(self) -> None:
        """Let the next fetch begin; in any thread."""
        with self._changed:
            self._since = None
            self._changed.notify_all()


class KeySet:
    """The keys of one issuer. `version` changes when the keys do."""

    def __init__(
        self,
        load: Load,
        *,
        ttl_seconds: float = 3600,
        refresh_seconds: float = 30,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._load = load
        self._ttl, self._refresh = ttl_seconds, refresh_seconds
        self._clock = clock
        self._turn = _Turn()
        self._keys: list[Any] | None = None
        self._raw: Any = None
        self._fetched = self._tried = self._failed = self._counted = float("-inf")
        self._spare = float(BURST)  # fetches for unknown keys that are left, at the time `_counted`
        self.version = 0

    def find_at_once(self, algorithm: str, key_id: str | None, issued: float | None) -> list[Any]:
        """The keys that may have signed a token, if that is known without a fetch; raises MustWait if it is not."""
        if self._has_keys():
            found = _fitting(self._current(), algorithm, key_id)
            if found or (issued is not None and issued + SKEW < self._fetched):
                return found
        raise MustWait

    def find(self, algorithm: str, key_id: str | None, issued: float | None) -> list[Any]:
        """The keys that may have signed a token; raises Unavailable if that cannot be known now.

        If no key fits, the keys are fetched again, unless the token is older than what was fetched.
        """
        try:
            return self.find_at_once(algorithm, key_id, issued)
        except MustWait:
            return self._find_by_fetch(algorithm, key_id)

    def _find_by_fetch(self, algorithm: str, key_id: str | None) -> list[Any]:
        came = self._clock()
        # A token of an unknown key is invented, as a rule, and must not wait long; without keys all have to wait.
        if not self._turn.begin(PATIENCE if self._has_keys() else float("inf")):
            raise Unavailable("the keys of the issuer are being fetched, and that takes long", retry_after=1)
        try:
            if self._has_keys():  # another request may have fetched them
                found = _fitting(self._keys or [], algorithm, key_id)
                if found or self._fetched > came:
                    return found
            if 0 <= self._clock() - self._failed < 1:  # those who waited need not wait again
                raise Unavailable("the keys of the issuer could not be fetched a moment ago", retry_after=1)
            return _fitting(self._fetch_again() if self._has_keys() else self._fetch(), algorithm, key_id)
        finally:
            self._turn.end()

    def _has_keys(self) -> bool:
        return self._keys is not None and 0 <= self._clock() - self._fetched < 2 * self._ttl

    def _current(self) -> list[Any]:
        """The keys. If they are old, one request fetches them; if that takes long, it uses the old ones, too."""
        keys = self._keys or []
        if self._clock() - self._fetched < self._ttl or self._clock() - self._tried < self._refresh:
            return keys
        if not self._turn.begin(0):
            return keys
        thread = threading.Thread(target=self._renew, name="plainmcp-keys", daemon=True)
        thread.start()
        thread.join(PATIENCE)
        return self._keys or keys

    def _renew(self) -> None:
        try:
            self._fetch()
        except Unavailable:
            pass  # a later request tries again
        finally:
            self._turn.end()

    def _fetch_again(self) -> list[Any]:
        """Fetch the keys because of an unknown one, unless it was done too often; in its turn."""
        now = self._clock()
        self._spare = min(BURST, self._spare + max(0, now - self._counted) / self._refresh)
        self._counted = now
        if self._spare < 1:
            seconds = max(1, round((1 - self._spare) * self._refresh))
            raise Unavailable("a token names an unknown key, and keys are not fetched so often", retry_after=seconds)
        self._spare -= 1
        return self._fetch()

    def _fetch(self) -> list[Any]:
        """Fetch the keys; in its turn."""
        began = self._tried = self._clock()
        try:
            raw = self._load()
            keys = _read_keys(raw)
        except Unavailable:
            self._failed = self._clock()
            raise
        if raw != self._raw:
            self._raw = raw
            self.version += 1
        self._keys, self._fetched = keys, began  # what was published later may not be among them
        return keys


# Keys ---------------------------------------------------------------------------------------------


def _read_keys(raw: Any) -> list[Any]:
    """The keys that can verify a signature; raises Unavailable if it is not a key set."""
    from joserfc.errors import JoseError  # an extra, needed for JWT only
    from joserfc.jwk import JWKRegistry

    keys: list[Any] = []
    for entry in _entries_of(raw)[:MAX_KEYS]:
        if not isinstance(entry, dict) or not _can_verify(entry):
            continue
        if entry.get("alg") in ("EdDSA", "Ed25519"):  # two names of one algorithm, which its curve shows
            entry = {name: value for name, value in entry.items() if name != "alg"}
        try:
            key: Any = JWKRegistry.import_key(entry)
        except (JoseError, ValueError, TypeError, KeyError):
            continue  # a key that we do not understand is no reason not to use the others
        if entry["kty"] != "RSA" or key.public_key.key_size >= MIN_RSA_BITS:
            keys.append(key)
    if not keys:
        raise Unavailable("the key set of the issuer has no key that can be used")
    return keys


def _entries_of(raw: Any) -> list[Any]:
    try:
        document = raw if isinstance(raw, dict) else decode_object(raw)
    except ValueError:
        document = {}
    entries = document.get("keys")
    if not isinstance(entries, list):
        raise Unavailable("the key set of the issuer is not a JSON object with keys")
    return entries


def _can_verify(entry: dict[str, Any]) -> bool:
    """Whether a key is a public one for signatures; a symmetric one never is: it would be known to all."""
    operations, modulus = entry.get("key_ops", ["verify"]), entry.get("n")
    is_weak = entry.get("kty") == "RSA" and len(str(modulus)) * 6 < MIN_RSA_BITS
    return (
        not is_weak
        and entry.get("kty") in ("RSA", "EC", "OKP")
        and entry.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
    )


def _fitting(keys: list[Any], algorithm: str, key_id: str | None) -> list[Any]:
    """The keys for an algorithm and a key id; without a key id, only if there is exactly one."""
    kind, curve = _KINDS.get(algorithm) or _KINDS[algorithm[:2]]
    fitting = [
        key
        for key in keys
        if key.key_type == kind and curve in (None, key.get("crv")) and key.get("alg") in (None, algorithm)
    ]
    if key_id is None:
        return fitting if len(fitting) == 1 else []
    return [key for key in fitting if key.get("kid") == key_id]


# Where they come from -----------------------------------------------------------------------------


def loader_of(jwks: Any, issuer: str, fetch: Callable[[str], bytes]) -> Load:
    """What loads the keys: from data, a URL or a file, or by the metadata of the issuer; raises AuthorError."""
    if isinstance(jwks, dict):
        return _check_keys(lambda: jwks)
    if isinstance(jwks, str) and jwks.startswith(("https://", "http://")):
        url = check_url(jwks, "jwks=")
        return lambda: fetch(url)
    if isinstance(jwks, (str, Path)):
        file = Path(jwks)
        if not file.is_file():
            raise AuthorError(f"jwks= is a URL, a file or a dict; there is no file {str(jwks)!r}")
        return _check_keys(lambda: _read_file(file))
    if jwks is not None:
        raise AuthorError(f"jwks= is a URL, a file or a dict, not {type(jwks).__name__}")
    check_url(issuer, "issuer=")
    location: list[str] = []

    def load() -> bytes:
        if not location:
            location.append(discover(issuer, fetch))
        try:
            return fetch(location[0])
        except Unavailable:
            location.clear()  # the issuer may have moved them
            raise

    return load


def _check_keys(load: Load) -> Load:
    """Refuse keys that cannot be used when they are configured, and not at the first request; raises AuthorError."""
    try:
        _read_keys(load())
    except Unavailable as error:
        raise AuthorError(f"jwks=: {error}") from None
    return load


def _read_file(file: Path) -> bytes:
    try:
        return file.read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise Unavailable(f"the file of keys cannot be read: {type(error).__name__}") from None


def discover(issuer: str, fetch: Callable[[str], bytes]) -> str:
    """The URL of the keys of an issuer, by its metadata (RFC 8414 and OpenID Connect); raises Unavailable."""
    scheme, _, rest = issuer.partition("://")
    host, _, path = rest.rstrip("/").partition("/")
    path = f"/{path}" if path else ""
    urls = (
        f"{scheme}://{host}/.well-known/oauth-authorization-server{path}",
        f"{scheme}://{host}/.well-known/openid-configuration{path}",
        f"{scheme}://{host}{path}/.well-known/openid-configuration",
    )
    problem = Unavailable(f"{issuer!r} has no metadata; give jwks=, the URL of its keys")
    for url in dict.fromkeys(urls):
        try:
            document = decode_object(fetch(url))
        except (NotThere, ValueError):
            continue  # there is nothing, or a page for people
        except Unavailable as error:
            problem = error
            continue
        if document.get("issuer") != issuer:
            raise Unavailable(f"the metadata of {issuer!r} is that of another issuer")
        try:
            return check_url(document.get("jwks_uri") or "", "jwks_uri")
        except AuthorError as error:
            raise Unavailable(f"the metadata of {issuer!r}: {error}") from None
    raise problem
