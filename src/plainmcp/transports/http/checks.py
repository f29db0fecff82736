"""The checks of a request: where it comes from, its media types and its size, and that headers and body agree.

Functions of headers and messages, without I/O. What the headers give is worked out once, as HeaderFacts. Knows no
sessions: the revision of a session is in the session.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from time import monotonic
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from ...errors import HeaderMismatch, InvalidParams, InvalidRequest, UnsupportedRevision
from ...protocol.dispatch import check_log_level, require_meta
from ...protocol.methods import Method
from ...revisions import HTTP_DEFAULT, MODERN, REVISIONS, Revision
from ...wire.jsonrpc import Envelope, Meta
from . import security
from .challenges import PLAIN, Challenges
from .cors import Pairs, answer_preflight, cors_of, with_cors
from .headers import Headers, match_method, match_params, to_text
from .refusals import refusal
from .response import Response, without_body
from .settings import Settings

__all__ = [
    "HeaderFacts", "Preflight", "accepts", "check_modern", "facts_of", "is_json", "length_of",
    "missing_session_error", "revision_without_session",
]  # fmt: skip

_log = logging.getLogger("plainmcp")
LOG_SECONDS = 60
"""How long after a refused page or Host the next one is logged."""
MAX_HEADER_FACTS = 128
"""For how many different headers the facts are cached: a client sends the same values each time."""
HANDSHAKE = [name for name, revision in REVISIONS.items() if revision.handshake]


class HeaderFacts(msgspec.Struct, frozen=True, gc=False):
    """The facts in the headers of a request: the media types that its client accepts, its version and its method."""

    json: bool
    events: bool
    version: str | None
    method: str | None
    revision: Revision | None  # of that version, if it is served; without a version, the default
    modern: bool = False  # whether the revision has no handshake
    challenges: Challenges = PLAIN  # how the endpoint refuses callers
    cors: Pairs = ()  # the headers of responses for a page of another origin
    why_no_changes: str | None = None  # why its client cannot be notified of changes


def facts_of(accept: str | None, version: str | None, method: str | None) -> HeaderFacts:
    """The facts of a request by the values of its headers."""
    accepted = (accepts(accept, "application/json"), accepts(accept, "text/event-stream"))
    revision = REVISIONS.get(version or HTTP_DEFAULT.name)
    is_modern = revision is not None and not revision.handshake
    return HeaderFacts(*accepted, version, method, revision, is_modern)


# Media types --------------------------------------------------------------------------------------


def is_json(content_type: str | None) -> bool:
    """Whether a Content-Type is JSON; a page of another site can send any body without one.

    >>> is_json("application/json; charset=utf-8"), is_json("text/plain"), is_json(None)
    (True, False, False)
    """
    if content_type == "application/json":
        return True
    kind = (content_type or "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def accepts(accept: str | None, kind: str) -> bool:
    """Whether a client accepts a media type; without an Accept header it accepts all.

    >>> accepts("application/json;q=0.5, text/*", "text/event-stream"), accepts("text/html", "application/json")
    (True, False)
    """
    if not accept:
        return True
    family = kind.partition("/")[0] + "/*"
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        refused = any(piece.replace(" ", "") in ("q=0", "q=0.0", "q=0.00", "q=0.000") for piece in parameters)
        if name in (kind, family, "*/*") and not refused:
            return True
    return False


# Before the body is read --------------------------------------------------------------------------


def length_of(text: str | None) -> int | None:
    """The number in a Content-Length header; None if it is missing or not written in digits.

    >>> length_of("42"), length_of("\u00b2"), length_of("9" * 5000)
    (42, None, 999999999999999999)
    """
    return int(text[:18]) if text and text.isascii() and text.isdigit() else None


class Preflight:
    """The checks of a request before its body is read, and the responses to bodies over the limits."""

    def __init__(self, settings: Settings, challenges: Challenges = PLAIN) -> None:
        self.settings = settings
        self._challenges = challenges
        self._origins, self._hosts = frozenset(settings.origins), frozenset(settings.hosts)
        self.why_no_changes: str | None = None  # see HeaderFacts
        self._digits = len(str(settings.max_body))  # a length with fewer digits is within the limit
        self._judge = lru_cache(maxsize=MAX_HEADER_FACTS)(self._judge_values)
        self._logged = -float(LOG_SECONDS)  # when a refusal was last logged

    def check(self, method: str, headers: Headers, local: str | None, scheme: str = "http") -> Response | HeaderFacts:
        """The facts of a request, or the response that refuses it before its body is read.

        `local` and `scheme` are those by which the server was reached: see security.
        """
        raw, repeated = headers.raw.get, headers.duplicates
        is_ambiguous = repeated is not None and not repeated.isdisjoint((b"host", b"origin"))
        result = self._judge(
            method, local, scheme, is_ambiguous, raw(b"host"), raw(b"origin"), raw(b"content-type"), raw(b"accept"),
            raw(b"mcp-protocol-version"), raw(b"mcp-method"),
        )  # fmt: skip
        digits = raw(b"content-length")
        if type(result) is Response:
            is_asked = method == "OPTIONS" and result.status == 405 and b"origin" in headers.raw
            return answer_preflight(headers, self.cors_of(headers)) if is_asked else result
        if digits is None or len(digits) < self._digits:
            return result
        length = length_of(headers.get(b"content-length"))
        if length is None or length <= self.settings.max_body:
            return result
        return with_cors(self.refuse_large_body(), result.cors)

    def cors_of(self, headers: Headers) -> Pairs:
        """The headers of responses for a page of another origin, which is allowed; none without an origin."""
        return cors_of(headers.raw.get(b"origin"), self._origins)

    def _judge_values(
        self, method: str, local: str | None, scheme: str, is_ambiguous: bool, *values: bytes | None
    ) -> Response | HeaderFacts:
        """The facts for the values of the headers that `check` names, or the response that refuses them."""
        host, origin, content_type, accept, version, mcp_method = map(to_text, values)
        try:
            security.check(host, origin, local, scheme, self._origins, self._hosts)
            if is_ambiguous:
                raise InvalidRequest("Host and Origin are given once")
        except InvalidRequest as error:
            self._log_refusal(error)
            return refusal(403, error)  # R26-HTTP-03
        cors = cors_of(values[1], self._origins)
        if method not in ("POST", "GET", "DELETE"):
            response = refusal(405, InvalidRequest(f"{method[:20]} is not served"), allow=b"POST, GET, DELETE")
            response = with_cors(response, cors)
            return response if method != "HEAD" else without_body(response)
        facts = facts_of(accept, version, mcp_method)
        if method == "POST" and not is_json(content_type):
            return with_cors(refusal(415, InvalidRequest("Content-Type is application/json")), cors)
        if method == "POST" and not (facts.json or facts.events):
            text = "Accept names application/json and text/event-stream"
            return with_cors(refusal(406, InvalidRequest(text)), cors)
        return replace(facts, challenges=self._challenges, cors=cors, why_no_changes=self.why_no_changes)

    def _log_refusal(self, error: InvalidRequest) -> None:
        """Log why a request is refused, because a browser hides that; not for each, because anyone can send many."""
        if monotonic() - self._logged >= LOG_SECONDS:
            self._logged = monotonic()
            _log.warning("a request was refused: %s", error.message)

    def refuse_large_body(self) -> Response:
        """The response to a body over the limit."""
        text = f"the body is larger than {self.settings.max_body} bytes; the setting max_body allows more"
        return refusal(413, InvalidRequest(text))

    def refuse_slow_body(self) -> Response:
        """The response to a body that takes too long."""
        text = f"the body took longer than {self.settings.body_seconds:g} s; the setting body_seconds allows more"
        return refusal(408, InvalidRequest(text))


# The revision -------------------------------------------------------------------------------------


def check_modern(
    headers: Headers,
    facts: HeaderFacts,
    envelope: Envelope,
    meta: Meta | None,
    methods: Mapping[str, Method],
    header_map: Any,
) -> None:
    """Check the headers that repeat parts of the body; raises ProtocolError. Their revision is then the request's.

    The order of the checks is that of the protocol. `header_map` returns the header map of a tool by its
    name, or None. It is None itself if no tool has one.
    """
    if envelope.method == "initialize" and (meta is None or meta.version is UNSET):
        raise InvalidParams("a request of this version has no handshake", {"supported": list(MODERN)})
    _match_version(headers, facts, meta)
    match_method(headers, facts.method, envelope, methods)
    if header_map is None or envelope.method != "tools/call":
        return
    if meta is not None:
        check_log_level(meta)
    name = envelope.params and envelope.params.name
    repeated = header_map(name) if isinstance(name, str) else None
    arguments = _decode_arguments(envelope) if repeated else None
    if repeated and arguments:  # without arguments, the method reports the error
        match_params(headers, repeated, arguments)


def _match_version(headers: Headers, facts: HeaderFacts, meta: Meta | None) -> None:
    """Check that the header and the body name one version, which is served; raises ProtocolError."""
    is_whole = meta is not None and meta.version == facts.version and isinstance(meta.capabilities, dict)
    if is_whole and facts.modern and headers.duplicates is None:
        return  # the usual case: dispatch finds the revision
    meta = require_meta(meta)  # R26-META-04
    headers.check_once(b"mcp-protocol-version")
    if facts.version != meta.version:  # R26-HDR-03, R26-HDR-04; checked before the version itself
        raise HeaderMismatch("the header MCP-Protocol-Version and the version in params._meta differ")
    if not facts.modern:
        raise UnsupportedRevision(meta.version, list(MODERN))


def _decode_arguments(envelope: Envelope) -> dict[str, Any] | None:
    try:
        raw = envelope.params.arguments if envelope.params is not None else b""
        return msgspec.json.decode(raw or b"null", type=dict[str, Any] | None)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def revision_without_session(headers: Headers, facts: HeaderFacts) -> Revision:
    """The handshake revision of a request that belongs to no session (R2511-HDR-01, R2511-HDR-02)."""
    if headers.duplicates is not None:
        headers.check_once(b"mcp-protocol-version")
    if facts.revision is None or facts.modern:
        raise UnsupportedRevision((facts.version or "")[:100], HANDSHAKE)
    return facts.revision


def missing_session_error(facts: HeaderFacts) -> InvalidRequest | HeaderMismatch:
    """The error for a request that needs a session and names none (R2511-SESS-03)."""
    if facts.version is None:
        return HeaderMismatch(
            "say MCP-Protocol-Version and params._meta, or send initialize and then its Mcp-Session-Id"
        )
    return InvalidRequest("the header Mcp-Session-Id is missing; initialize gives it")
