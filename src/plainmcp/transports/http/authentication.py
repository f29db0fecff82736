"""Finds the caller of a request: reads its credentials, and asks the verifiers of `auth=` unless it knows the token.

Knows verifiers and their answers, but no sockets and no event loops: callers and callers_async call the verifiers.
Tokens are kept as digests, and never logged.
"""

import logging
import re
import threading
from collections.abc import Callable, Generator
from hashlib import sha256
from inspect import iscoroutinefunction
from traceback import format_exception
from typing import Any

import msgspec

from ...auth.principal import Principal, Unavailable
from ...errors import AuthorError
from ...protocol.core import Core
from ...protocol.failures import log_incident, text_of
from ...protocol.interrupts import name_of, raise_interrupt, tame, traceback_of
from ...protocol.scopes import Missing, check_scopes
from .challenges import Challenges
from .headers import Headers
from .response import Response

__all__ = ["MAX_KNOWN", "MAX_TOKEN", "VERIFY_SECONDS", "Authentication", "Source", "Verification", "sources_of"]

MAX_TOKEN = 16 * 2**10
"""The longest header with credentials, in bytes."""
MAX_KNOWN = 4096
"""How many verified tokens are kept, and how many refused ones. These are apart: anyone can invent tokens."""

LOG_SECONDS = 10
"""How long an exception of the same class is not logged again."""
VERIFY_SECONDS = 10
"""How long one verifier may take; then the response is a 503."""
RETRY_SECONDS = 5
"""When a client should try again after a verifier failed."""

_BEARER = re.compile(rb"bearer((?:[ \t].*)?)", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(rb"[A-Za-z0-9._~+/-]+=*")
_log = logging.getLogger("plainmcp")


class Source:
    """One verifier, with its facts; those that it does not have are the defaults here."""

    def __init__(self, verifier: Any) -> None:
        verify = getattr(verifier, "verify", verifier)
        if not callable(verify) or isinstance(verifier, type):
            raise AuthorError(
                "auth= takes verifiers: Keys, JWT or Introspection of plainmcp.auth, or a function of a token that "
                f"returns a Principal or None; not {getattr(verifier, '__name__', type(verifier).__name__)}"
            )
        facts: Callable[[str, Any], Any] = lambda name, default: getattr(verifier, name, default)  # noqa: E731
        self.verify: Callable[[str], Any] = verify
        self.verify_at_once: Callable[[str], Any] | None = facts("verify_at_once", None)  # raises MustWait
        self.is_async = iscoroutinefunction(verify)
        self.inline: bool = facts("inline", False)  # whether it never waits, and need not run in a thread
        header = facts("header", None)
        self.header: bytes | None = header.lower().encode() if header else None
        issuer: Any = facts("issuer", None)  # one, or several
        self.issuers: tuple[str, ...] = () if issuer is None else (issuer,) if isinstance(issuer, str) else (*issuer,)
        self.resource: str | None = facts("resource", None)
        self.scopes = check_scopes(facts("scopes", ()), "scopes=")
        self.names: dict[str, str] = dict(facts("challenge_scopes", None) or {})
        check_scopes([*self.names.values()], "challenge_scopes=")
        self.cache_seconds: float | None = facts("cache_seconds", None)
        self.refusal_seconds: float = facts("refusal_seconds", 0)
        self._versioned = verifier if hasattr(verifier, "version") else None

    @property
    def version(self) -> int:
        """Changes when what was verified has to be verified again."""
        return 0 if self._versioned is None else self._versioned.version


def sources_of(auth: Any) -> list[Source]:
    """The verifiers of the option `auth=`: one, or several that are asked in their order; raises AuthorError."""
    verifiers = list(auth) if isinstance(auth, (list, tuple)) else [auth]
    if not verifiers:
        raise AuthorError("auth= takes at least one verifier; leave it out if everyone may call")
    sources = [Source(verifier) for verifier in verifiers]
    if len({source.resource for source in sources if source.resource is not None}) > 1:
        raise AuthorError(
            "the verifiers of auth= have different values of resource=, but it is the URL of the server"
        )
    return sources


class _Known(msgspec.Struct, frozen=True):
    """What is known of a token: its principal, or the response that refuses it."""

    outcome: Principal | Response
    until: float
    source: Source
    version: int


class Verification(msgspec.Struct, frozen=True):
    """Credentials that have to be verified; `steps` yields each verifier, and returns the outcome."""

    token: str
    steps: Generator[Source, Any, Principal | Response]
    recall: Callable[[], Any]
    """Returns the outcome, if another request has verified the same token meanwhile; otherwise None."""


class Authentication:
    """Finds the callers of one endpoint."""

    def __init__(self, core: Core, sources: list[Source], challenges: Challenges, *, anonymous: bool = False) -> None:
        self._sources = sources
        self._headers: dict[bytes, list[Source]] = {}  # the verifiers of keys in headers of other names
        for source in sources:
            if source.header is not None:
                self._headers.setdefault(source.header, []).append(source)
        self._challenges = challenges
        self._anonymous = anonymous
        self._is_missing: Missing = core.is_missing
        self._now = core.now
        self._logged: dict[type, float] = {}  # when an exception of a class was last logged
        self._lock = threading.Lock()  # for writing the attributes below
        self._known: dict[bytes, _Known] = {}  # by the digest of the header
        self._refused: dict[bytes, tuple[float, int]] = {}  # until when, and the versions of the verifiers

    def begin(self, headers: Headers) -> Principal | Response | Verification | None:
        """The caller of a request (None for an anonymous one), the response that refuses it, or what to verify."""
        value = headers.raw.get(b"authorization")
        if value is not None and headers.duplicates is None and len(value) <= MAX_TOKEN:
            known = self._known.get(sha256(value).digest())
            if known is not None and known.until > self._now() and known.version == known.source.version:
                return known.outcome
        return self._read(headers, value)

    def _read(self, headers: Headers, value: bytes | None) -> Principal | Response | Verification | None:
        """The same, for credentials that are not known."""
        if headers.duplicates is not None and b"authorization" in headers.duplicates:
            return self._challenges.garbled
        bearer = _BEARER.fullmatch(value.strip(b" \t")) if value is not None and len(value) <= MAX_TOKEN else None
        if value is not None and bearer is not None:
            token = bearer[1].lstrip(b" ")
            if not _TOKEN.fullmatch(token):
                return self._challenges.garbled
            return self._verify(value, token, self._sources)
        if value is not None and len(value) > MAX_TOKEN:
            return self._challenges.invalid
        for name, sources in self._headers.items():
            key = headers.raw.get(name)
            if key is not None:
                return self._read_key(headers, name, key.strip(b" \t"), sources)
        return None if self._anonymous else self._challenges.no_token

    def _read_key(
        self, headers: Headers, name: bytes, key: bytes, sources: list[Source]
    ) -> Principal | Response | Verification:
        if headers.duplicates is not None and name in headers.duplicates:
            return self._challenges.garbled
        if len(key) > MAX_TOKEN or not _TOKEN.fullmatch(key):
            return self._challenges.invalid
        return self._verify(name + b": " + key, key, sources)

    def _verify(self, value: bytes, token: bytes, sources: list[Source]) -> Principal | Response | Verification:
        digest = sha256(value).digest()
        outcome = self._recall(digest)
        if outcome is not None:
            return outcome
        text = token.decode()
        return Verification(text, self._ask(text, digest, sources), lambda: self._recall(digest))

    def _recall(self, digest: bytes) -> Principal | Response | None:
        """What is known of a token, or of one that was refused; None if it has to be verified."""
        now, known, refused = self._now(), self._known.get(digest), self._refused.get(digest)
        if known is not None and known.until > now and known.version == known.source.version:
            return known.outcome
        if refused is not None and refused[0] > now and refused[1] == self._versions:
            return self._challenges.invalid
        return None

    @property
    def _versions(self) -> int:
        return sum(source.version for source in self._sources)

    def _ask(self, token: str, digest: bytes, sources: list[Source]) -> Generator[Source, Any, Principal | Response]:
        """Ask one verifier after the other; the first that knows the token decides.

        A verifier that cannot answer makes it a 503, unless another one knows the token.
        """
        versions, retry_after = self._versions, 0
        for source in sources:
            version = source.version
            try:
                principal = yield source
                if principal is not None and not issubclass(type(principal), Principal):
                    raise AuthorError(f"a verifier returns a Principal or None, not {name_of(type(principal))}")
                if principal is not None and (principal.expires is None or principal.expires > self._now()):
                    return self._admit(digest, principal, source, version)
            except PermissionError:
                continue
            except GeneratorExit:  # the request was given up
                raise
            except BaseException as error:  # of the verifier, or of the class of its principal
                problem = tame(error)
                self._log(problem, token)
                seconds = problem.retry_after if isinstance(problem, Unavailable) else RETRY_SECONDS
                retry_after = max(retry_after, seconds)
        if retry_after:
            return self._challenges.refuse_for_now(retry_after)
        remembered = min(source.refusal_seconds for source in sources)
        if remembered:
            self._keep(self._refused, digest, (self._now() + remembered, versions))
        return self._challenges.invalid

    def _admit(self, digest: bytes, principal: Principal, source: Source, version: int) -> Principal | Response:
        """The outcome for a token that is valid: a 403 if it lacks a scope that every request needs."""
        lacks = source.scopes and self._is_missing(principal.scopes, source.scopes)
        outcome = self._challenges.insufficient if lacks else principal
        ends = [] if principal.expires is None else [principal.expires]
        if source.cache_seconds is not None:
            ends.append(self._now() + source.cache_seconds)
        if ends:  # otherwise it is not known how long the token is valid
            self._keep(self._known, digest, _Known(outcome, min(ends), source, version))
        return outcome

    def _log(self, error: BaseException, token: str) -> None:
        """Log why tokens cannot be verified: not for each request, because anyone can send many."""
        now, kind = self._now(), type(error)
        if 0 <= now - self._logged.get(kind, float("-inf")) < LOG_SECONDS:
            return
        self._logged[kind] = now
        error = _without_token(error, token)
        if isinstance(error, Unavailable):
            _log.warning("tokens cannot be verified at the moment: %s", text_of(error))
        else:
            log_incident("Verifying a token", error)

    def _keep(self, entries: dict[bytes, Any], digest: bytes, entry: Any) -> None:
        """Keep what is known of a token; at the limit, the oldest one goes."""
        with self._lock:
            entries.pop(digest, None)
            while len(entries) >= MAX_KNOWN:
                del entries[next(iter(entries))]
            entries[digest] = entry


def _without_token(error: BaseException, token: str) -> BaseException:
    """An exception of a verifier; if it shows the token, another one with the same traceback and without its text."""
    try:
        is_shown = token in "".join(format_exception(error))
    except BaseException as problem:  # code of its class
        raise_interrupt(problem)
        is_shown = True
    if not is_shown:
        return error
    text = f"{name_of(type(error))}: its text is left out, because it has the token"
    return RuntimeError(text).with_traceback(traceback_of(error))
