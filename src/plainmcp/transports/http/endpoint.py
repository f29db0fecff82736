"""One HTTP endpoint: decodes a request, finds its caller, dispatches it, and holds sessions and open responses.

Knows the rules and the core, but no sockets and no loops: a transport brings the request and moves what comes back.
"""

import threading
from functools import partial
from typing import Any

from msgspec import UNSET, Raw

from ...errors import InternalError, InvalidRequest, ProtocolError
from ...protocol.core import Core
from ...protocol.dispatch import check_batch, dispatch, dispatch_batch
from ...protocol.exchange import Exchange, Listen
from ...protocol.failures import error_response
from ...protocol.request import Caller, Cancelled
from ...protocol.session import Session
from ...revisions import LATEST, LATEST_HANDSHAKE, Revision
from ...wire import jsonrpc
from ...wire.jsonrpc import ABSENT, Envelope
from ..run import run
from ..shutdown import SHUTTING_DOWN
from . import rules
from .headers import Headers
from .pending import PendingResponse, response_for
from .preflight import Preflight
from .rules import RequestProfile, Response, Settings, json_response, refusal
from .session_store import HttpSession, SessionStore

__all__ = ["Endpoint"]

_SSE = "text/event-stream"


class Endpoint:
    """What a transport asks: `preflight` before it reads a body, `receive` once it has, `leave` at the end."""

    def __init__(self, core: Core, settings: Settings) -> None:
        self.core = core
        self.settings = settings
        self.preflight = Preflight(settings)
        self.sessions = SessionStore(settings, core.now)
        self.draining = False  # no more streams are opened that would stay
        self._lock = threading.Lock()  # of what follows
        self._standing: set[PendingResponse] = set()  # those that stay open for messages to come
        self._running: set[PendingResponse] = set()

    def receive(
        self, method: str, headers: Headers, profile: RequestProfile, body: bytes, principal: Any
    ) -> Response | PendingResponse:
        """Answer a request, or take it as far as user code has to run."""
        batch = envelope = None
        try:
            if method != "POST":
                return self._receive_without_body(method, headers, profile, principal)
            batch = jsonrpc.decode_batch(body)
            if batch is not None:
                return self._receive_batch(headers, profile, batch, principal)
            envelope = jsonrpc.decode_message(body)
            return self._receive_message(headers, profile, envelope, principal)
        except ProtocolError as error:
            if method == "POST" and batch is None and envelope is None:
                return self._refuse_unread(error, headers, profile, principal)
            error.id = error.id or (bytes(envelope.id) or None if envelope is not None else None)
            return refusal(400, error)  # an ambiguous header, or no session where one is needed

    # POST -----------------------------------------------------------------------------------------

    def _receive_message(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        if rules.is_modern(profile, envelope.meta):
            return self._receive_modern(headers, profile, envelope, principal)
        if envelope.method == "initialize":
            return self._initialize(envelope, principal)
        if not self.settings.stateless:
            session = self._find_session(headers, profile, principal, envelope.id)
            if isinstance(session, Response):
                return session
            pending = PendingResponse(profile, session.connection.revision, session)
            return self._open(pending, dispatch(self.core, envelope, session.connection.caller(pending)))
        revision = rules.revision_without_session(headers, profile)
        if envelope.is_response:
            return refusal(400, InvalidRequest("there are no questions to answer here"))
        pending = PendingResponse(profile, revision, id=bytes(envelope.id))
        return self._open(pending, dispatch(self.core, envelope, _stateless_caller(revision, principal, pending)))

    def _receive_modern(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        """A request that speaks for itself."""
        if envelope.id is ABSENT:
            return Response(202)  # no notification means anything here: ids are not unique (R26-HTTP-06)
        try:
            if envelope.method is UNSET:
                raise InvalidRequest("there are no questions to answer here")
            header_map = partial(self._header_map, principal) if self.core.registry.tools.headed else None
            revision = rules.check_modern(headers, profile, envelope, header_map)
        except ProtocolError as error:
            failure = error_response(error, LATEST, envelope.id)
            return json_response(rules.status_of(failure, True), failure)
        pending = PendingResponse(profile, revision, id=bytes(envelope.id))
        exchange = dispatch(self.core, envelope, Caller(None, principal, revision, pending))
        if isinstance(exchange.step, Listen):
            refused = self._refuse_listening(profile, exchange, envelope)
            if refused is not None:
                return refused
        return self._open(pending, exchange)

    def _header_map(self, principal: Any, name: str) -> dict[str, tuple[str, ...]] | None:
        tool = self.core.registry.tools.find(name, principal)
        return None if tool is None else tool.headers

    def _refuse_listening(self, profile: RequestProfile, exchange: Exchange, envelope: Envelope) -> Response | None:
        """The response to a request that would stay open, where it cannot."""
        if profile.events and not self.settings.max_standing:
            return response_for(run(exchange), True)
        if profile.events and not self._is_full:
            return None
        exchange.throw(Cancelled())
        if not profile.events:
            return refusal(406, InvalidRequest(f"{envelope.method} is answered by {_SSE}"), envelope.id)
        return refusal(503, InternalError("too many streams are open"), envelope.id)

    def _receive_batch(
        self, headers: Headers, profile: RequestProfile, batch: list[Raw], principal: Any
    ) -> Response | PendingResponse:
        session: HttpSession | None = None
        if profile.modern:
            revision = LATEST
        elif self.settings.stateless:
            revision = rules.revision_without_session(headers, profile)
        else:
            found = self._find_session(headers, profile, principal)
            if isinstance(found, Response):
                return found
            session, revision = found, found.connection.revision
        try:
            check_batch(self.core, batch, revision)
        except ProtocolError as error:
            return json_response(400, error_response(error, revision))
        if profile.modern:
            return refusal(400, InvalidRequest("the headers are those of one message, not of a batch"))
        pending = PendingResponse(profile, revision, session)
        if session is None:
            caller = _stateless_caller(revision, principal, pending)
        else:
            caller = session.connection.caller(pending)
        return self._open(pending, dispatch_batch(self.core, batch, caller))

    def _open(self, pending: PendingResponse, exchange: Exchange) -> Response | PendingResponse:
        """A response that is there already, or one under way, if there is room for one more."""
        if exchange.step is None:
            return response_for(exchange.response, pending.modern)
        if len(self._running) >= self.settings.max_running:
            # Answers to our questions still come in: running requests wait for them.
            return json_response(503, exchange.fail(InternalError("too many requests are running")))
        pending.exchange = exchange
        return pending

    def _refuse_unread(
        self, error: ProtocolError, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response:
        """The response to a body that could not be read."""
        revision = self._guess_revision(headers, profile, principal)
        status = rules.status_unread(error.code, not revision.handshake)
        return json_response(status, error_response(error, revision))

    def _guess_revision(self, headers: Headers, profile: RequestProfile, principal: Any) -> Revision:
        """What a body speaks that could not be read, as far as its headers tell."""
        if profile.modern:
            return LATEST
        id = headers.bare(b"mcp-session-id")
        session = self.sessions.get(id, principal) if id else None
        if session is not None:
            return session.connection.revision
        try:
            return rules.revision_without_session(headers, profile)
        except ProtocolError:
            return LATEST_HANDSHAKE

    # The handshake revisions ----------------------------------------------------------------------

    def _initialize(self, envelope: Envelope, principal: Any) -> Response:
        if self.settings.stateless:
            return json_response(200, dispatch(self.core, envelope, Caller(Session(), principal)).response)
        session = HttpSession(self.core, self.settings, principal, self.core.now(), self.sessions.budget)
        response = dispatch(self.core, envelope, session.connection.caller()).response
        if session.connection.session.revision is None:
            session.close()
            return json_response(200, response)
        self.sessions.add(session)
        return Response(200, response or b"", (*rules.JSON, (b"mcp-session-id", session.id)))

    def _find_session(
        self, headers: Headers, profile: RequestProfile, principal: Any, id: bytes | None = None
    ) -> HttpSession | Response:
        """The session that a request names; its own revision counts, whatever the version header names."""
        name = headers.one(b"mcp-session-id")
        if name is None:
            raise rules.missing_session_error(profile)
        session = self.sessions.get(name, principal)
        if session is None:
            return refusal(404, InvalidRequest("there is no such session; send initialize"), id)
        rules.revision_without_session(headers, profile)  # R2511-HDR-02
        session.connection.principal = principal
        return session

    # GET and DELETE -------------------------------------------------------------------------------

    def _receive_without_body(
        self, method: str, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response | PendingResponse:
        is_served = method == "DELETE" or self.settings.max_standing
        if profile.modern or self.settings.stateless or not is_served:
            return refusal(405, InvalidRequest(f"{method} is not served; send POST"), allow=b"POST")  # R26-HTTP-27
        session = self._find_session(headers, profile, principal)
        if isinstance(session, Response):
            return session
        if method == "DELETE":
            self.sessions.remove(session)
            return Response(204)
        if not profile.events:
            return refusal(406, InvalidRequest("GET is answered by text/event-stream"))
        resumed = session.find_stream(headers.get(b"last-event-id") or "")
        if self.draining or (resumed is None and self._is_full):
            return refusal(503, InternalError("too many streams are open"))
        pending = PendingResponse(profile, session.connection.revision, session)
        pending.stand(*(resumed or (session.make_standing_stream(), 0)))
        with self._lock:
            self._standing.add(pending)
        return pending

    @property
    def _is_full(self) -> bool:
        return self.draining or len(self._standing) >= self.settings.max_standing

    # What becomes of a response under way ---------------------------------------------------------

    def add_running(self, pending: PendingResponse) -> None:
        """It takes longer than the moment in which it was received: it counts until it is finished."""
        with self._lock:
            self._running.add(pending)

    def listen(self, pending: PendingResponse, step: Listen, exchange: Exchange) -> None:
        """Keep a response open for what is published, until the client goes or we close."""
        stream, first = pending.stream, threading.Lock()

        def publish(event: str, uri: str | None) -> None:
            if step.subscription.includes(event, uri):
                with first:
                    stream.put(step.subscription.message(event, uri))

        with first:  # nothing comes before the acknowledgement (R26-SUB-03), and nothing after it is missed
            pending.is_listening = True
            pending.unsubscribe = self.core.registry.listen(publish)
            stream.put(step.first)
        with self._lock:
            self._standing.add(pending)

    def finish(self, pending: PendingResponse, response: bytes | None) -> None:
        """Its exchange is at its end, or stays open."""
        with self._lock:
            self._running.discard(pending)
        if not pending.is_listening:
            pending.stream.finish(response)

    def leave(self, pending: PendingResponse) -> None:
        """Its client is gone, or has everything; in the modern revisions that ends the work too (R26-HTTP-15)."""
        with self._lock:
            self._standing.discard(pending)
        if pending.unsubscribe is not None:
            pending.unsubscribe()
        if pending.session is not None and pending.speaks:
            pending.session.tidy()
        if not pending.modern or pending.stream.finished:
            return  # R2511-HTTP-14: the work goes on, and what it sends can be fetched
        pending.stream.finish()
        pending.cancel()
        if pending.is_listening and pending.exchange is not None and pending.exchange.step is not None:
            pending.exchange.throw(Cancelled())

    def drain(self) -> None:
        """End what stays open: listen requests with their result (R26-SUB-05). Running requests go on.

        A server that is told to end waits for its responses, and these would never end by themselves.
        """
        self.draining = True
        with self._lock:
            standing, self._standing = list(self._standing), set()
        for pending in standing:
            if pending.unsubscribe is not None:
                pending.unsubscribe()
            if pending.is_listening and pending.exchange is not None:
                pending.exchange.send(None)
                pending.stream.finish(pending.exchange.response)
            elif pending.session is not None and pending.stream in pending.session.standing:
                pending.stream.finish()

    def give_up(self) -> int:
        """Answer what still runs with an error, and cancel it; says how many requests that were. From any thread."""
        with self._lock:
            running = list(self._running)
        for pending in running:
            pending.give_up(SHUTTING_DOWN)
        return len(running)

    def close(self) -> None:
        """End what stays open, what runs, and every session."""
        self.drain()
        self.give_up()
        self.sessions.close()


def _stateless_caller(revision: Revision, principal: Any, pending: PendingResponse) -> Caller:
    """The caller of a request of a handshake revision that belongs to no session."""
    session = Session()
    session.revision = revision
    return Caller(session, principal, None, pending)
