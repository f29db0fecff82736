"""One HTTP endpoint: decodes a request, finds its sender and dispatches it.

Knows the HTTP rules and the core, but no sockets and no event loops: ASGI and WSGI bring requests and send responses.
Where sessions live is an object that it gets; what is open at the moment is in another.
"""

from functools import partial
from typing import Any, final

from msgspec import UNSET, Raw
from msgspec.structs import replace

from ...errors import InternalError, InvalidRequest, ProtocolError
from ...limits.shares import Limit, share_of
from ...protocol.core import Core
from ...protocol.dispatch import check_batch, dispatch_batch, find_missing_scopes, refuse, refuse_batch
from ...protocol.exchange import Exchange, Listen, Run
from ...protocol.failures import error_response
from ...protocol.request import Caller
from ...revisions import LATEST, LATEST_HANDSHAKE
from ...wire import jsonrpc
from ...wire.jsonrpc import ABSENT, Envelope, Meta
from .challenges import PLAIN, Challenges
from .checks import HeaderFacts, Preflight, check_modern, revision_without_session
from .headers import Headers
from .open_responses import NO_STREAMS, OpenResponses
from .pending import KeptSession, PendingResponse
from .refusals import over_limit, refusal, refuse_by, refuse_method, status_of, status_unread, unknown_session
from .response import JSON, Response, json_response
from .sessions.interface import Detour, Sender, Sessions
from .settings import Settings

__all__ = ["Endpoint"]


class Handshake(PendingResponse):
    """The response to `initialize`, which names the new session if it succeeds. It is always JSON."""

    def __init__(self, facts: HeaderFacts, sender: Sender, sessions: Sessions, principal: Any) -> None:
        super().__init__(replace(facts, json=True, events=False), LATEST_HANDSHAKE, sender.kept)
        self.principal = principal
        self._sender, self._sessions = sender, sessions

    def to_response(self, message: bytes | None) -> Response:
        """The HTTP response, with the id of the session; without a session its client does not get to know it."""
        response = super().to_response(message)
        if self._sender.session.revision is not None:
            try:
                id = self._sessions.seal(self._sender, self.principal)
            except ProtocolError as error:
                response = super().to_response(self.refuse(error))
            else:
                return response if id is None else replace(response, headers=(*JSON, (b"mcp-session-id", id)))
        self._sessions.discard(self._sender)
        return response


@final
class Endpoint:
    """The interface for ASGI and WSGI: `preflight` before the body is read, then `receive`, at the end `leave`."""

    def __init__(
        self,
        core: Core,
        settings: Settings,
        sessions: Sessions,
        responses: OpenResponses,
        challenges: Challenges = PLAIN,
    ) -> None:
        self.core = core
        self.settings = settings
        self.sessions = sessions
        self.responses = responses
        self.preflight = Preflight(settings, challenges)
        self.preflight.why_no_changes = sessions.why_no_changes or (None if settings.max_standing else NO_STREAMS)
        self.arriving = share_of(settings, "max_arriving", "bytes of bodies", "arriving")

    def receive(
        self, method: str, headers: Headers, facts: HeaderFacts, body: bytes, principal: Any
    ) -> Response | PendingResponse:
        """The response to a request, or a pending one if a user's function has to run first."""
        batch = envelope = None
        try:
            if method != "POST":
                return self._receive_without_body(method, headers, facts, principal)
            message = jsonrpc.decode(body)
            if isinstance(message, list):
                batch = message
                return self._receive_batch(headers, facts, batch, principal)
            envelope = message
            return self._receive_message(headers, facts, envelope, principal)
        except ProtocolError as error:
            if method == "POST" and batch is None and envelope is None:
                return self._refuse_unread(error, headers, facts, principal)
            error.id = error.id or (bytes(envelope.id) or None if envelope is not None else None)
            return refusal(400, error)  # a repeated header, or a missing session

    # POST -----------------------------------------------------------------------------------------

    def _receive_message(
        self, headers: Headers, facts: HeaderFacts, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        params = envelope.params
        meta = None if params is None or params._meta is UNSET else params._meta
        if facts.modern or (meta is not None and meta.version is not UNSET):
            return self._receive_modern(headers, facts, envelope, meta, principal)
        if envelope.method == "initialize":
            return self._initialize(headers, facts, envelope, principal)
        sender = self.sessions.find(headers, facts, principal)
        if not isinstance(sender, Sender):
            return sender or unknown_session(envelope.id)
        pending, caller = _receive_from(sender, headers, facts, principal)
        pending.id = bytes(envelope.id)  # its stream may be opened before the request is started
        if envelope.method in self.sessions.routed:
            detour = self.sessions.route(sender, pending, envelope)
            if detour is not None:
                return self._take(detour, pending, caller)
        return self._open(pending, self._start(envelope, caller), caller)

    def _start(self, envelope: Envelope, caller: Caller) -> Exchange:
        start = self.sessions.starts.get(envelope.method) or self.core.dispatch
        return start(self.core, envelope, caller)

    def _receive_modern(
        self, headers: Headers, facts: HeaderFacts, envelope: Envelope, meta: Meta | None, principal: Any
    ) -> Response | PendingResponse:
        """Receive a request of a revision without handshake."""
        if envelope.id is ABSENT:  # a notification has no effect here: ids are not unique (R26-HTTP-06)
            self.core.dispatch(self.core, envelope, Caller(None, principal, LATEST, PendingResponse(facts, LATEST)))
            return Response(202)
        try:
            if envelope.method is UNSET:
                raise InvalidRequest("there are no questions to answer here")
            header_map = partial(self._find_header_map, principal) if self.core.registry.tools.has_headers else None
            check_modern(headers, facts, envelope, meta, self.core.methods, header_map)
        except ProtocolError as error:
            caller = Caller(None, principal, LATEST, PendingResponse(facts, LATEST))
            failure = refuse(self.core, error, caller, envelope).response or b""
            return json_response(status_of(failure, True), failure)
        assert facts.revision is not None  # as check_modern has found
        pending = PendingResponse(facts, facts.revision, None, bytes(envelope.id))
        caller = Caller(None, principal, facts.revision, pending, None, headers)
        return self._open(pending, self.core.dispatch(self.core, envelope, caller), caller)

    def _find_header_map(self, principal: Any, name: str) -> dict[str, tuple[str, ...]] | None:
        tool = self.core.registry.tools.find(name, principal)
        return None if tool is None else tool.headers

    def _receive_batch(
        self, headers: Headers, facts: HeaderFacts, batch: list[Raw], principal: Any
    ) -> Response | PendingResponse:
        sender = None if facts.modern else self.sessions.find(headers, facts, principal)
        if sender is None and not facts.modern:
            return unknown_session()
        if type(sender) is Response:
            return sender
        revision = LATEST if sender is None else sender.session.revision or LATEST_HANDSHAKE
        try:
            check_batch(self.core, batch, revision)
        except ProtocolError as error:
            return json_response(400, error_response(error, revision))
        if sender is None:
            return refusal(400, InvalidRequest("the headers are those of one message, not of a batch"))
        pending, caller = _receive_from(sender, headers, facts, principal)
        lack = find_missing_scopes(self.core, batch, caller)
        if lack is not None:
            return facts.challenges.refuse_scopes(lack, refuse_batch(self.core, lack, batch, caller))
        return self._open(pending, dispatch_batch(self.core, batch, caller, self._start), caller)

    def _open(
        self, pending: PendingResponse, exchange: Exchange, caller: Caller, is_detour: bool = False
    ) -> Response | PendingResponse:
        """The response, if it is ready; otherwise a pending one, or a refusal if too many requests run."""
        wrap, responses, step = self.sessions.wrap, self.responses, exchange.step
        is_quiet = type(step) is Run and step.feature.context is None and exchange.has_one_step
        exchange = exchange if wrap is None or is_detour else wrap(pending, exchange)
        step = exchange.step
        if step is None:
            return pending.to_response(exchange.response)
        pending.principal, pending.headers = caller.principal, caller.headers
        pending.threads, pending.unread = responses.threads, responses.unread
        error = self._why_not_listen(pending) if type(step) is Listen else None
        if error is not None:
            return pending.to_response(exchange.fail(error))
        if not is_detour and (responses.running or responses.unread.count):
            limit = responses.find_limit(pending.caller)
            if limit is not None:  # only for requests: running ones still get the answers to their questions
                return over_limit(limit, exchange.fail(InternalError(limit.text)))
        pending.exchange = exchange
        pending.can_speak = pending.batch is not None or not is_quiet
        return pending

    def _take(
        self, detour: Detour | Response, pending: PendingResponse, caller: Caller
    ) -> Response | PendingResponse:
        if type(detour) is Response:
            return detour
        pending.respond_with = detour.respond_with
        return self._open(pending, detour.exchange, caller, is_detour=True)

    def _why_not_listen(self, pending: PendingResponse) -> ProtocolError | None:
        ask = self.sessions.why_not_listen
        return self.responses.why_not_listen(pending) or (None if ask is None else ask(pending))

    def listen(self, pending: PendingResponse, step: Listen, exchange: Exchange) -> ProtocolError | None:
        """Keep a response open for changes; returns the error if it cannot stay open: middleware may have run."""
        error = self._why_not_listen(pending)
        if error is None:
            self.responses.listen(pending, step, exchange)
        return error

    def _refuse_unread(self, error: ProtocolError, headers: Headers, facts: HeaderFacts, principal: Any) -> Response:
        """The response to a body that could not be read; the session that its headers name must be there, though."""
        revision = LATEST if facts.modern else LATEST_HANDSHAKE
        try:
            if not facts.modern and not headers.get_unique(b"mcp-session-id"):
                revision = revision_without_session(headers, facts)
            elif not facts.modern:
                sender = self.sessions.find(headers, facts, principal)
                if not isinstance(sender, Sender):
                    return sender or unknown_session()  # R2511-SESS-05
                revision = sender.session.revision or LATEST_HANDSHAKE
        except ProtocolError:  # of the headers: the error of the body is told
            pass
        status = status_unread(error.code, not revision.handshake)
        return json_response(status, error_response(error, revision))

    # The handshake revisions ----------------------------------------------------------------------

    def _initialize(
        self, headers: Headers, facts: HeaderFacts, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        sender = self.sessions.open(principal, headers)
        if isinstance(sender, Limit):
            nobody = Caller(None, principal, LATEST_HANDSHAKE, PendingResponse(facts, LATEST_HANDSHAKE))
            failure = refuse(self.core, InternalError(sender.text), nobody, envelope).response
            return over_limit(sender, failure)
        handshake = Handshake(facts, sender, self.sessions, principal)
        handshake.id = bytes(envelope.id)
        caller = Caller(sender.session, principal, None, handshake, sender.connection, headers)
        answer = self._open(handshake, self.core.dispatch(self.core, envelope, caller), caller)
        if type(answer) is Response and sender.session.revision is None:
            self.sessions.discard(sender)  # it failed, or too many requests run
        elif sender.kept is not None and not sender.kept.closed:
            sender.kept.connection.begin_session()
        return answer

    # GET and DELETE -------------------------------------------------------------------------------

    def _receive_without_body(
        self, method: str, headers: Headers, facts: HeaderFacts, principal: Any
    ) -> Response | PendingResponse:
        if facts.modern:
            return refuse_method(method)
        reason = self.sessions.why_no_get or (
            None if method == "DELETE" or self.settings.max_standing else NO_STREAMS
        )
        if reason is not None:
            return refuse_method(method, reason)
        sender = self.sessions.find(headers, facts, principal)
        if not isinstance(sender, Sender):
            return sender or unknown_session()
        pending, caller = _receive_from(sender, headers, facts, principal)
        assert sender.kept is not None  # else there is a reason above
        if method == "DELETE":
            return self._take(sender.kept.end(pending), pending, caller)
        return self._open_stream(sender.kept, pending, caller, headers)

    def _open_stream(
        self, session: KeptSession, pending: PendingResponse, caller: Caller, headers: Headers
    ) -> Response | PendingResponse:
        """Continue a stream for a GET, or open a new one, which stays open for later messages."""
        if not pending.facts.events:
            return refusal(406, InvalidRequest("GET is answered by text/event-stream"))
        event_id = headers.get(b"last-event-id") or ""
        resumed = session.find_stream(event_id)
        pending.principal, pending.headers = caller.principal, headers
        may_replace = resumed is not None and self.responses.may_replace(resumed[0])
        limit = None if may_replace else self.responses.find_stream_limit(pending.caller)
        if limit is not None:
            return refuse_by(limit)
        stream = resumed or session.open_stream(event_id)
        if type(stream) is Response:
            return stream
        pending.stand(*stream)
        self.responses.add_standing(pending)
        return pending

    # The life of the endpoint ---------------------------------------------------------------------

    def start(self) -> None:
        """Start what works in the background, if there is something; it may wait."""
        self.sessions.start()

    def close(self) -> None:
        """End all open streams, running requests and sessions."""
        self.responses.drain()
        self.responses.give_up()
        self.sessions.close()


def _receive_from(
    sender: Sender, headers: Headers, facts: HeaderFacts, principal: Any
) -> tuple[PendingResponse, Caller]:
    """The link to a sender, and the caller of its message. The revision of the session is used, not the header."""
    session = sender.session
    if headers.duplicates is not None or facts.revision is None or facts.modern:
        revision_without_session(headers, facts)  # raises: R2511-HDR-02
    pending = PendingResponse(facts, session.revision or LATEST_HANDSHAKE, sender.kept)
    if sender.kept is None and session.why_unreachable is not None:
        pending.why_unreachable = session.why_unreachable
    return pending, Caller(session, principal, None, pending, sender.connection, headers)
