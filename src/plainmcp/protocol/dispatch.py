"""The only place that decides how a message is answered: by its revision and its method.

Every transport decodes a message, dispatches it here, and runs the exchange that it gets.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import UNSET, Raw

from ..context import LOG_LEVELS
from ..errors import (
    InsufficientScope,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ProtocolError,
    UnsupportedRevision,
)
from ..revisions import LATEST_HANDSHAKE, MODERN, REVISIONS, Revision
from ..wire import codec, jsonrpc
from ..wire.jsonrpc import ABSENT, Envelope, Meta, Params
from .core import Core
from .exchange import FAILURES, Exchange
from .failures import error_response
from .interrupts import raise_interrupt
from .methods import Answer, Method
from .observation import observe
from .request import Caller, Request

__all__ = [
    "check_batch",
    "check_log_level",
    "dispatch",
    "dispatch_batch",
    "dispatch_observed",
    "find_missing_scopes",
    "receive",
    "refuse",
    "refuse_batch",
    "require_meta",
]

MAX_BATCH = 100
"""The largest number of messages in one batch."""

_NO_PARAMS = Params()
_BEFORE_HANDSHAKE = frozenset({"initialize", "ping"})

Dispatch = Callable[[Envelope, Caller], Exchange]
"""Starts to answer one message."""


def receive(server: Core, message: Any, caller: Caller) -> Exchange:
    """Decode a message or a batch from bytes, text or data, and dispatch it."""
    try:
        raw = message if type(message) is bytes else codec.to_bytes(message)
        decoded = jsonrpc.decode(raw)
        if not isinstance(decoded, list):
            return server.dispatch(server, decoded, caller)
        check_batch(server, decoded, caller.assumed_revision)
    except ProtocolError as error:
        return refuse(server, error, caller)
    return dispatch_batch(server, decoded, caller)


def dispatch(server: Core, envelope: Envelope, caller: Caller) -> Exchange:
    """Start to answer one message. An error fails this message and nothing else."""
    id, name = envelope.id, envelope.method
    if name is UNSET or id is ABSENT:  # a notification or a response: never answered (BASE-05)
        if caller.receiver is not None:
            caller.receiver.take(envelope)
        own = server.own_notifications.get(name)  # type: ignore[arg-type]
        return Exchange() if own is None else own(server, envelope, caller)
    revision: Revision | None = None
    try:
        params = envelope.params or _NO_PARAMS
        meta = None if params._meta is UNSET else params._meta
        revision = _revision_of(name, meta, caller)
        answer = _answer_of(name, revision, server)
        if meta is not None and meta.log_level is not UNSET:
            check_log_level(meta)
        result = answer(
            server,
            Request(id, name, params, meta, revision, caller.session, caller.link, caller.principal, caller.headers),
        )
        if isinstance(result, Exchange):
            return result
        return Exchange(result if type(result) is bytes else jsonrpc.encode_result(id, result))
    except BaseException as error:
        revision, mask = revision or caller.assumed_revision, server.mask_errors
        return Exchange(error_response(error, revision, id, f"Method {name}", mask))


def dispatch_observed(server: Core, envelope: Envelope, caller: Caller) -> Exchange:
    """Start to answer one message of a server with observers; a response to a question of ours has none."""
    answer = partial(dispatch, server, envelope, caller)
    return answer() if envelope.method is UNSET else observe(server, answer, envelope, caller)


def refuse(server: Core, error: ProtocolError, caller: Caller, envelope: Envelope | None = None) -> Exchange:
    """Answer a message with an error before it is dispatched; without an envelope it could not be read."""
    id = None if envelope is None else envelope.id
    exchange = Exchange(error_response(error, caller.assumed_revision, id))
    return observe(server, lambda: exchange, envelope, caller) if server.observers else exchange


# Revisions ----------------------------------------------------------------------------------------


def _revision_of(name: str, meta: Meta | None, caller: Caller) -> Revision:
    """The revision of a request: the one in its _meta, or the one of its caller."""
    if meta is not None and meta.version is not UNSET:
        return _revision_from_meta(meta)
    if caller.revision is not None:
        return caller.revision if caller.revision.handshake else _revision_from_meta(meta)
    session = caller.session
    if session is None:
        return LATEST_HANDSHAKE
    if session.revision is None and name not in _BEFORE_HANDSHAKE:
        raise InvalidParams(
            "send initialize first, or say io.modelcontextprotocol/protocolVersion in params._meta",
            {"supported": list(REVISIONS)},
        )
    return session.revision or LATEST_HANDSHAKE


def require_meta(meta: Meta | None) -> Meta:
    """The _meta of a request, with the fields that are required; raises InvalidParams (META-04)."""
    if meta is None or not isinstance(meta.version, str):
        raise InvalidParams("params._meta lacks io.modelcontextprotocol/protocolVersion")
    if not isinstance(meta.capabilities, dict):
        raise InvalidParams("params._meta lacks io.modelcontextprotocol/clientCapabilities")
    return meta


def _revision_from_meta(meta: Meta | None) -> Revision:
    """The revision that a request names; raises InvalidParams or UnsupportedRevision."""
    version = require_meta(meta).version
    if version not in MODERN:
        raise UnsupportedRevision(version, list(MODERN))
    return REVISIONS[version]


def check_log_level(meta: Meta) -> None:
    """Refuse a log level that does not exist; raises InvalidParams."""
    if meta.log_level is not UNSET and meta.log_level not in LOG_LEVELS:
        raise InvalidParams(f"unknown log level; the levels are {', '.join(LOG_LEVELS)}")


def _answer_of(name: str, revision: Revision, server: Core) -> Answer:
    """The function that answers a method on a revision; raises MethodNotFound."""
    method: Method | None = server.methods.get(name)
    # Without a handshake a client does not know the features, so a method without features does not exist.
    feature_lists = None if revision.handshake else server.registry.features_of.get(name)
    is_there = name in revision.methods or (method is not None and revision.name in method.revisions)
    if method is not None and is_there and (feature_lists is None or any(feature_lists)):
        return method.answer
    # A client that tries the handshake of older revisions gets the list of served revisions (VER-12).
    supported = {"supported": list(MODERN)} if name == "initialize" and not revision.handshake else {}
    raise MethodNotFound("Method not found", {"method": name, **supported})


# Batches ------------------------------------------------------------------------------------------


def check_batch(server: Core, batch: list[Any], revision: Revision) -> None:
    """Refuse a batch where the revision has none, or one that is too long; raises InvalidRequest."""
    if not (revision.batches or server.batches):
        raise InvalidRequest(f"revision {revision.name} has no batches; send one message at a time")
    if not 0 < len(batch) <= MAX_BATCH:
        raise InvalidRequest(f"a batch holds 1 to {MAX_BATCH} messages")


def find_missing_scopes(server: Core, batch: list[Raw], caller: Caller) -> InsufficientScope | None:
    """The scopes that the caller lacks for the requests of a batch, all together; None if it lacks none.

    Nothing runs for this: over HTTP the whole batch is refused before its first request (R26-AUTH-11).
    """
    required: dict[str, None] = {}
    for part in batch:
        try:
            envelope = jsonrpc.decode_message(part)
            name, params = envelope.method, envelope.params or _NO_PARAMS
            method: Method | None = None if name is UNSET else server.methods.get(name)
            if method is not None and method.check_scopes is not None and envelope.id is not ABSENT:
                assert name is not UNSET
                revision, headers, link = caller.assumed_revision, caller.headers, caller.link
                request = Request(envelope.id, name, params, None, revision, None, link, caller.principal, headers)
                method.check_scopes(server, request)
        except InsufficientScope as error:
            required |= dict.fromkeys(error.scopes)
        except FAILURES as error:
            raise_interrupt(error)  # any other is answered when its turn comes
    return InsufficientScope(tuple(required), is_anonymous=caller.principal is None) if required else None


def refuse_batch(server: Core, error: ProtocolError, batch: list[Raw], caller: Caller) -> bytes:
    """Answer each request of a batch with an error before any is dispatched."""
    responses = []
    for part in batch:
        with suppress(ProtocolError):
            envelope = jsonrpc.decode_message(part)
            if envelope.method is not UNSET and envelope.id is not ABSENT:
                responses.append(refuse(server, error, caller, envelope).response or b"")
    return b"[" + b",".join(responses) + b"]"


def dispatch_batch(server: Core, batch: list[Raw], caller: Caller, start: Dispatch | None = None) -> Exchange:
    """Start to answer the messages of a batch, one after the other, each by `start` or as the server does."""
    if caller.link is not None:
        caller.link.batch = batch
    start = start or partial(server.dispatch, server)
    exchange = _Batch(
        parts=(_dispatch_part(server, part, caller, start) for part in batch), current=Exchange(), responses=[]
    )
    exchange.advance()
    return exchange


def _dispatch_part(server: Core, part: Raw, caller: Caller, start: Dispatch) -> Exchange:
    try:
        envelope = jsonrpc.decode_message(part)
        if envelope.method == "initialize" and not server.batches:
            raise jsonrpc.with_request_id(
                InvalidRequest("initialize is never part of a batch"), envelope.id
            )  # VER-07
        if envelope.method == "subscriptions/listen":
            raise jsonrpc.with_request_id(
                InvalidRequest("subscriptions/listen is never part of a batch"), envelope.id
            )
    except ProtocolError as error:
        return refuse(server, error, caller)
    return start(envelope, caller.for_part())


class _Batch(Exchange, kw_only=True):
    """The exchanges of a batch, one after the other: each starts when the one before has its response."""

    parts: Iterator[Exchange]
    current: Exchange
    responses: list[bytes]

    def send(self, value: Any) -> None:
        """Pass the value of a step to the current message."""
        self.current.send(value)
        self.advance()

    def throw(self, error: BaseException) -> None:
        """Pass the exception of a step to the current message; the others go on."""
        self.current.throw(error)
        self.advance()

    def advance(self) -> None:
        """Go on to the next message with a step; if there is none, join the responses."""
        while self.current.step is None:
            if self.current.response is not None:
                self.responses.append(self.current.response)
            following = next(self.parts, None)
            if following is None:
                self.step = None
                self.response = b"[" + b",".join(self.responses) + b"]" if self.responses else None
                return
            self.current = following
        self.step = self.current.step
