"""One HTTP endpoint: decodes a request, finds its caller and dispatches it. Has the sessions and open responses.

Knows the HTTP rules and the core, but no sockets and no event loops: ASGI and WSGI bring requests and send responses.
"""

import threading
from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any

from msgspec import UNSET, Raw
from msgspec.structs import replace

from ...errors import InternalError, InvalidRequest, ProtocolError
from ...protocol.core import Core
from ...protocol.dispatch import check_batch, dispatch_batch, find_missing_scopes, refuse, refuse_batch
from ...protocol.exchange import FAILURES, Exchange, Listen, Run
from ...protocol.failures import error_response
from ...protocol.interrupts import raise_interrupt
from ...protocol.request import Caller, Cancelled, RequestHeaders
from ...protocol.session import Session
from ...revisions import LATEST, LATEST_HANDSHAKE, Revision
from ...wire import jsonrpc
from ...wire.jsonrpc import ABSENT, Envelope, Failure, Meta
from ..link import RequestLink
from ..shares import Limit, OwnShare, Share, caller_of, share_of
from ..shutdown import SHUTTING_DOWN
from ..threads import Job, OwnThreads, Threads, threads_of
from . import rules
from .challenges import PLAIN, Challenges
from .headers import Headers
from .http_session import HttpSession, SessionShares
from .rules import EVENT_STREAM, JSON, Preflight, RequestProfile, Response, json_response, refusal
from .session_store import SessionStore
from .settings import Settings
from .stream import Reader, Stream

__all__ = ["Endpoint", "PendingResponse"]

_SSE = "text/event-stream"
NO_STREAMS = "no stream stays open for later messages (max_standing=0)"
"""Why clients cannot be notified of changes if GET is not served."""
ENDING = Limit("the server is shutting down", False)
"""Why no stream may stay open at the end."""


class PendingResponse(RequestLink):
    """A response that is not ready yet. Its stream is created when something is sent before the response."""

    exchange: Exchange | None = None
    """The exchange that ends in the response, until the transport takes it; None for a GET.

    It refers to this response, its link. So the transport takes it out of here before it runs it: then the memory of
    both is free as soon as the request ends, and the garbage collector has nothing to do.
    """
    standing = False
    """Whether it is an open stream for later messages, which ends without a response."""
    after = 0
    """The number of the last event that the client has received."""
    unsubscribe: Callable[[], None] | None = None
    """Removes its listener for changes."""
    expires: float | None = None
    """When the token of its caller expires, if it stays open; None if that is not known."""
    opened_stream: Stream | None = None
    """Its stream, if one was needed so far."""
    can_speak = True
    """Whether messages may be sent before the response, because the function has a Context."""
    is_left = False
    """Whether the client has disconnected, or has everything."""
    principal: Any = None
    """Who sent the request, if the transport knows it."""
    headers: RequestHeaders | None = None
    """The headers of the request."""
    threads: Threads
    """Run its plain functions."""
    unread: Share
    """Counts the bytes that wait for readers."""
    respond_with: Callable[[bytes | None], Response] | None = None
    """Makes the HTTP response of a JSON-RPC response, or of none, if its status is not the usual one."""
    without_session = "without a session there is nowhere to answer"
    """Why a client without a session cannot be asked."""

    def __init__(
        self, profile: RequestProfile, revision: Revision, session: HttpSession | None = None, id: bytes = b""
    ) -> None:
        self.profile = profile  # what the client accepts
        self.session = session
        self.id = id
        self.modern = not revision.handshake  # then a disconnect cancels the request
        self._revision = revision
        if session is not None:
            self.connection = session.connection

    @property
    def revision(self) -> Revision:
        """The revision of the request."""
        return self._revision

    @property
    def transport(self) -> str | None:
        """How the request came."""
        return "tcp"

    @property
    def no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        return self.profile.no_changes

    @property
    def stream(self) -> Stream:
        """The stream of events, created when it is first needed."""
        if self.opened_stream is None:
            session = self.session
            new = Stream(share=self._unread_share) if session is None else session.make_stream(self.id)
            with self._lock:  # the function may send from another thread, while the transport starts to read
                self.opened_stream = self.opened_stream or new
        return self.opened_stream

    def _unread_share(self) -> OwnShare:
        return OwnShare(self.unread, self.caller)

    def stand(self, stream: Stream, after: int) -> None:
        """Stay open for later messages, on a stream that exists already."""
        self.standing, self.opened_stream, self.after = True, stream, after

    @property
    def is_alone(self) -> bool:
        """Whether only the response was put into the stream, and can be sent as JSON."""
        return self.stream.unopened and (self.profile.json or self.stream.answer is None)

    def to_response(self, message: bytes | None) -> Response:
        """The HTTP response with one JSON-RPC response, or without one."""
        if type(message) is bytes:
            return Response(200, message, JSON)
        if isinstance(message, Failure) and message.cause is not None:
            return self.profile.challenges.refuse_scopes(message.cause, message)
        if self.respond_with is not None:
            return self.respond_with(message)
        return json_response(200 if message is None else rules.status_of(message, self.modern), message)

    @cached_property
    def caller(self) -> Hashable:
        """The key of its sender in the shares of callers."""
        if self.session is not None:
            return self.session.caller
        return caller_of(self.principal, None, None if self.headers is None else self.headers.address)

    # As the executor of its functions -------------------------------------------------------------

    @property
    def files(self) -> OwnThreads:
        """The threads that read files, within the share of its caller."""
        return OwnThreads(self.threads.files, self.caller)

    def submit(self, work: Callable[[], object]) -> Job:
        """Run a function in a thread, within the share of its caller."""
        return self.threads.submit(work, self.caller)

    # As the link of its request -------------------------------------------------------------------

    @property
    def obstacle(self) -> str | None:
        """The reason why the client cannot be asked a question; None if it can."""
        if self.session is None:
            return self.without_session
        if not self.profile.events:
            return "it takes no event stream"
        return self.session.obstacle

    def send(self, message: bytes) -> None:
        """Send a message before the response, if the client accepts a stream."""
        if self.profile.events:
            self.stream.put(message)

    def close_stream(self) -> None:
        """End the stream early, if the client can reconnect for the rest."""
        if self.session is not None and self.session.can_resume and self.profile.events:
            self.stream.drop()

    def give_up(self, error: ProtocolError) -> None:
        """Respond with an error, unless there is a response already, and cancel the request. From any thread."""
        self.stream.finish(self.refuse(error))
        self.cancel()


class Handshake(PendingResponse):
    """The response to `initialize`, which names the new session if it succeeds. It is always JSON."""

    def __init__(
        self,
        profile: RequestProfile,
        session: Session,
        get_id: Callable[[], bytes],
        stored: HttpSession | None = None,
        discard: Callable[[HttpSession], None] | None = None,
    ) -> None:
        super().__init__(replace(profile, json=True, events=False), LATEST_HANDSHAKE, stored)
        self._session, self._get_id = session, get_id
        self._discard = discard  # removes a stored session that its client does not get to know

    def to_response(self, message: bytes | None) -> Response:
        """The HTTP response, with the id of the session."""
        response = super().to_response(message)
        if self._session.revision is not None:
            try:
                return replace(response, headers=(*JSON, (b"mcp-session-id", self._get_id())))
            except ProtocolError as error:
                response = super().to_response(self.refuse(error))
        if self._discard is not None and self.session is not None:
            self._discard(self.session)
        return response


class Endpoint:
    """The interface for ASGI and WSGI: `preflight` before the body is read, then `receive`, at the end `leave`.

    This one keeps its sessions in memory; `stateless` and `shared.endpoint` have those of several processes.
    """

    def __init__(self, core: Core, settings: Settings, challenges: Challenges = PLAIN) -> None:
        self.core = core
        self.settings = settings
        self.preflight = Preflight(settings, challenges)
        self.sessions = SessionStore(settings, core.now)
        self.arriving = share_of(settings, "max_arriving", "bytes of bodies", "arriving")
        self.unread = share_of(settings, "max_unread", "bytes", "unread")
        questions = share_of(settings, "max_questions", "questions", "open")
        self._shares = SessionShares(self.sessions.budget, questions, self.unread)
        self.preflight.no_changes = None if settings.max_standing else NO_STREAMS
        self.draining = False  # no new stream may stay open
        self._threads = threads_of(core)
        self._lock = threading.Lock()  # for the attributes below
        self._standing: set[PendingResponse] = set()  # streams that stay open for later messages
        self._running: set[PendingResponse] = set()
        self._running_share = share_of(settings, "max_running", "requests", "running")
        self._standing_share = share_of(settings, "max_standing", "streams", "open")

    def receive(
        self, method: str, headers: Headers, profile: RequestProfile, body: bytes, principal: Any
    ) -> Response | PendingResponse:
        """The response to a request, or a pending one if a user's function has to run first."""
        batch = envelope = None
        try:
            if method != "POST":
                return self._receive_without_body(method, headers, profile, principal)
            message = jsonrpc.decode(body)
            if isinstance(message, list):
                batch = message
                return self._receive_batch(headers, profile, batch, principal)
            envelope = message
            return self._receive_message(headers, profile, envelope, principal)
        except ProtocolError as error:
            if method == "POST" and batch is None and envelope is None:
                return self._refuse_unread(error, headers, profile, principal)
            error.id = error.id or (bytes(envelope.id) or None if envelope is not None else None)
            return refusal(400, error)  # a repeated header, or a missing session

    # POST -----------------------------------------------------------------------------------------

    def _receive_message(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        params = envelope.params
        meta = None if params is None or params._meta is UNSET else params._meta
        if profile.modern or (meta is not None and meta.version is not UNSET):
            return self._receive_modern(headers, profile, envelope, meta, principal)
        if envelope.method == "initialize":
            return self._initialize(headers, profile, envelope, principal)
        sender = self._find_sender(headers, profile, principal, envelope.id)
        return sender if type(sender) is Response else self._receive_in_session(*sender, envelope)

    def _receive_in_session(
        self, pending: PendingResponse, caller: Caller, envelope: Envelope
    ) -> Response | PendingResponse:
        """Receive a message of a handshake revision."""
        return self._open(pending, self.core.dispatch(self.core, envelope, caller), caller)

    def _receive_modern(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, meta: Meta | None, principal: Any
    ) -> Response | PendingResponse:
        """Receive a request of a revision without handshake."""
        if envelope.id is ABSENT:  # a notification has no effect here: ids are not unique (R26-HTTP-06)
            self.core.dispatch(self.core, envelope, Caller(None, principal, LATEST, PendingResponse(profile, LATEST)))
            return Response(202)
        try:
            if envelope.method is UNSET:
                raise InvalidRequest("there are no questions to answer here")
            header_map = partial(self._find_header_map, principal) if self.core.registry.tools.has_headers else None
            revision = rules.check_modern(headers, profile, envelope, meta, header_map)
        except ProtocolError as error:
            caller = Caller(None, principal, LATEST, PendingResponse(profile, LATEST))
            failure = refuse(self.core, error, caller, envelope).response or b""
            return json_response(rules.status_of(failure, True), failure)
        pending = PendingResponse(profile, revision, None, bytes(envelope.id))
        caller = Caller(None, principal, revision, pending, None, headers)
        return self._open(pending, self.core.dispatch(self.core, envelope, caller), caller)

    def _find_header_map(self, principal: Any, name: str) -> dict[str, tuple[str, ...]] | None:
        tool = self.core.registry.tools.find(name, principal)
        return None if tool is None else tool.headers

    def _find_obstacle(self, pending: PendingResponse) -> ProtocolError | None:
        """The error for a listen request that cannot stay open; None if it can."""
        if not pending.profile.events:
            pending.respond_with = partial(json_response, 406)
            return InvalidRequest(f"subscriptions/listen is answered by {_SSE}")
        if not self.settings.max_standing:
            return InvalidRequest(f"subscriptions/listen is not served here: {NO_STREAMS}")
        limit = self._find_stream_limit(pending.caller)
        if limit is None:
            return None
        pending.respond_with = partial(rules.over_limit, limit)
        return InternalError(limit.text)

    def _receive_batch(
        self, headers: Headers, profile: RequestProfile, batch: list[Raw], principal: Any
    ) -> Response | PendingResponse:
        sender = None if profile.modern else self._find_sender(headers, profile, principal)
        if type(sender) is Response:
            return sender
        revision = LATEST if sender is None else sender[0].revision
        try:
            check_batch(self.core, batch, revision)
        except ProtocolError as error:
            return json_response(400, error_response(error, revision))
        if sender is None:
            return refusal(400, InvalidRequest("the headers are those of one message, not of a batch"))
        pending, caller = sender
        lack = find_missing_scopes(self.core, batch, caller)
        if lack is not None:
            return profile.challenges.refuse_scopes(lack, refuse_batch(self.core, lack, batch, caller))
        dispatch = partial(self._dispatch, pending)
        return self._open(pending, dispatch_batch(self.core, batch, caller, dispatch), caller)

    def _dispatch(self, pending: PendingResponse, envelope: Envelope, caller: Caller) -> Exchange:
        """Start to answer one message of a batch."""
        return self.core.dispatch(self.core, envelope, caller)

    def _open(
        self, pending: PendingResponse, exchange: Exchange, caller: Caller, is_limited: bool = True
    ) -> Response | PendingResponse:
        """The response, if it is ready; otherwise a pending one, or a refusal if too many requests run."""
        step = exchange.step
        if step is None:
            return pending.to_response(exchange.response)
        pending.principal, pending.headers = caller.principal, caller.headers
        pending.threads, pending.unread = self._threads, self.unread
        obstacle = self._find_obstacle(pending) if type(step) is Listen else None
        if obstacle is not None:
            return pending.to_response(exchange.fail(obstacle))
        if is_limited and (self._running or self.unread.count):
            limit = self._running_share.find_limit(pending.caller) or self.unread.find_limit(pending.caller)
            if limit is not None:  # only for requests: running ones still get the answers to their questions
                return rules.over_limit(limit, exchange.fail(InternalError(limit.text)))
        pending.exchange = exchange
        is_quiet = type(step) is Run and step.feature.context is None and exchange.has_one_step
        pending.can_speak = pending.batch is not None or not is_quiet
        return pending

    def _refuse_unread(
        self, error: ProtocolError, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response:
        """The response to a body that could not be read."""
        revision = self._guess_revision(headers, profile, principal)
        status = rules.status_unread(error.code, not revision.handshake)
        return json_response(status, error_response(error, revision))

    def _guess_revision(self, headers: Headers, profile: RequestProfile, principal: Any) -> Revision:
        """The revision of a body that could not be read, as far as its headers show it."""
        if profile.modern:
            return LATEST
        try:
            return self._find_revision(headers, profile, principal)
        except ProtocolError:
            return LATEST_HANDSHAKE

    def _find_revision(self, headers: Headers, profile: RequestProfile, principal: Any) -> Revision:
        """The revision of the session that the headers name, or of the headers; raises ProtocolError."""
        id = headers.get_unique(b"mcp-session-id")
        session = self._look_up(id, headers, principal) if id else None
        if isinstance(session, HttpSession):
            return session.connection.revision
        return rules.revision_without_session(headers, profile)

    # The handshake revisions ----------------------------------------------------------------------

    def _initialize(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        session = self._new_session(principal, headers)
        facts, name = session.connection.session, partial(self._make_id, session)
        handshake = Handshake(profile, facts, name, session, self.sessions.remove)
        handshake.id = bytes(envelope.id)
        caller = session.connection.caller(handshake, headers)
        limit = self.sessions.add(session)
        if limit is not None:
            session.close()
            return rules.over_limit(limit, refuse(self.core, InternalError(limit.text), caller, envelope).response)
        exchange = self.core.dispatch(self.core, envelope, caller)
        answer = self._open(handshake, exchange, caller)
        if type(answer) is Response and session.connection.session.revision is None:
            self.sessions.remove(session)  # it failed, or too many requests run
        elif not session.closed:
            session.connection.begin_session()
        return answer

    def _new_session(self, principal: Any, headers: Headers) -> HttpSession:
        """A session before its handshake."""
        return HttpSession(self.core, self.settings, principal, self.core.now(), self._shares, headers.address)

    def _make_id(self, session: HttpSession) -> bytes:
        """The id of a session after its handshake."""
        return session.id

    def _look_up(self, id: bytes, headers: Headers, principal: Any) -> HttpSession | Response | None:
        """The session with an id; None if there is none, or a response that refuses it."""
        return self.sessions.get(id, principal)

    def _find_sender(
        self, headers: Headers, profile: RequestProfile, principal: Any, id: bytes | None = None
    ) -> tuple[PendingResponse, Caller] | Response:
        """The sender of a message of a handshake revision, and the link to it; or a response that refuses it.

        The revision of the session is used, not the one in the version header.
        """
        name = headers.get_unique(b"mcp-session-id")
        if name is None:
            raise rules.missing_session_error(profile)
        session = self._look_up(name, headers, principal)
        if session is None:
            return rules.unknown_session(id)
        if type(session) is Response:
            return session
        if headers.duplicates is not None or profile.revision is None or profile.modern:
            rules.revision_without_session(headers, profile)  # raises: R2511-HDR-02
        connection, session.connection.principal = session.connection, principal
        pending = PendingResponse(profile, connection.session.revision or LATEST_HANDSHAKE, session)
        return pending, Caller(connection.session, principal, None, pending, connection, headers)

    # GET and DELETE -------------------------------------------------------------------------------

    def _receive_without_body(
        self, method: str, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response | PendingResponse:
        if profile.modern or not (method == "DELETE" or self.settings.max_standing):
            return rules.refuse_method(method, None if profile.modern else profile.no_changes)
        sender = self._find_sender(headers, profile, principal)
        if type(sender) is Response:
            return sender
        return self._end_session(*sender) if method == "DELETE" else self._open_stream(*sender, headers)

    def _open_stream(self, pending: PendingResponse, caller: Caller, headers: Headers) -> Response | PendingResponse:
        """Continue a stream for a GET, or open a new one, which stays open for later messages."""
        session = pending.session
        assert session is not None
        if not pending.profile.events:
            return refusal(406, InvalidRequest("GET is answered by text/event-stream"))
        event_id = headers.get(b"last-event-id") or ""
        resumed = session.find_stream(event_id)
        pending.principal, pending.headers = caller.principal, headers
        may_replace = resumed is not None and not self.draining and self._count_readers(resumed[0]) <= 1
        limit = None if may_replace else self._find_stream_limit(pending.caller)
        if limit is not None:
            return rules.refuse_by(limit)
        stream = resumed or self._make_stream(session, event_id)
        if type(stream) is Response:
            return stream
        pending.stand(*stream)
        pending.expires = _expiry_of(caller.principal)
        self._add_standing(pending)
        return pending

    def _end_session(self, pending: PendingResponse, caller: Caller) -> Response | PendingResponse:
        assert pending.session is not None
        self.sessions.remove(pending.session)
        return Response(204)

    def _make_stream(self, session: HttpSession, event_id: str) -> tuple[Stream, int] | Response:
        """A new stream that stays open, and the event after which it is read; or a response that refuses it."""
        return session.make_standing_stream(), 0

    def _find_stream_limit(self, caller: Hashable) -> Limit | None:
        """The reason why no stream of a caller may stay open now; None if one may."""
        return ENDING if self.draining else self._standing_share.find_limit(caller)

    def _add_standing(self, pending: PendingResponse) -> None:
        with self._lock:
            self._standing.add(pending)
            self._standing_share.add(pending.caller)

    def _count_readers(self, stream: Stream) -> int:
        """How many responses were reading a stream, and have not ended: the last one, or others that do not read."""
        with self._lock:
            return sum(pending.opened_stream is stream for pending in self._standing)

    def _remove_standing(self, pending: PendingResponse) -> None:
        with self._lock:
            if pending in self._standing:
                self._standing.remove(pending)
                self._standing_share.remove(pending.caller)

    is_started = True
    """Whether `start` was called, or need not be: otherwise it is, before the first request."""

    def start(self) -> None:
        """Start what works in the background, if there is something; it may wait."""

    # The progress of a pending response -----------------------------------------------------------

    def add_running(self, pending: PendingResponse) -> None:
        """Count a response among the running ones, until it is finished."""
        with self._lock:
            self._running.add(pending)
            self._running_share.add(pending.caller)

    def remove_running(self, pending: PendingResponse) -> None:
        """Do not count a response among the running ones any more."""
        with self._lock:
            if pending in self._running:
                self._running.remove(pending)
                self._running_share.remove(pending.caller)

    def listen(self, pending: PendingResponse, step: Listen, exchange: Exchange) -> ProtocolError | None:
        """Keep a response open for notifications of changes, until the client disconnects or the server ends it.

        Returns the error if it cannot stay open: middleware may have run since the request came.
        """
        obstacle = self._find_obstacle(pending)
        if obstacle is not None:
            return obstacle
        stream, first = pending.stream, threading.Lock()

        def publish(event: str, uri: str | None) -> None:
            if step.subscription.includes(event, uri):
                with first:
                    stream.put(step.subscription.message(event, uri))

        with first:  # no change is sent before the acknowledgement (R26-SUB-03), and none after it is lost
            pending.listening, pending.expires = (step, exchange), _expiry_of(pending.principal)
            pending.unsubscribe = self.core.registry.listen(publish)
            stream.put(step.first)
        self._add_standing(pending)
        return None

    def respond(self, pending: PendingResponse, response: bytes | None) -> Response:
        """The HTTP response of an exchange that has ended, in one piece with what was sent before its response."""
        if pending.profile.json and pending.opened_stream is None:
            return pending.to_response(response)
        stream = pending.stream
        events = stream.finish_at_once(response, is_json=pending.profile.json)
        if events is None:
            return pending.to_response(stream.answer)
        if pending.session is not None:
            pending.session.keep(stream)
        return Response(200, events, EVENT_STREAM)

    def finish(self, pending: PendingResponse, response: bytes | None) -> None:
        """Put the response into the stream, unless the exchange stays open."""
        if pending.listening is None:
            pending.stream.finish(response)
        if pending.listening is not None or pending.is_left:
            self.remove_running(pending)

    def leave(self, pending: PendingResponse) -> None:
        """Stop sending to a client that has disconnected or has everything.

        In the modern revisions a disconnect cancels the request (R26-HTTP-15).
        """
        pending.is_left = True
        self._remove_standing(pending)
        if pending.stream.finished:  # until then the response still runs
            self.remove_running(pending)
        if pending.unsubscribe is not None:
            pending.unsubscribe()
        stream = pending.stream
        if pending.session is not None:
            if stream.speaks:
                pending.session.tidy()
            if pending.standing:
                pending.session.leave_stream(stream)
        if not pending.modern or stream.finished:
            return  # R2511-HTTP-14: the work goes on, and the client can fetch its messages later
        stream.finish()
        pending.cancel()
        if pending.listening is not None and pending.listening[1].step is not None:
            pending.listening[1].throw(Cancelled())

    def wait_seconds(self, pending: PendingResponse) -> float:
        """How long a stream may wait for its next message: until a comment is due, or until its token expires."""
        seconds = self.settings.keep_alive_seconds
        return seconds if pending.expires is None else max(0, min(seconds, pending.expires - self.core.now()))

    def end_if_expired(self, pending: PendingResponse, reader: Reader) -> None:
        """End a stream that stays open if the token of its caller has expired.

        A listen request gets its result (R26-SUB-05). Any other stream can be resumed with a new token.
        """
        if pending.expires is None or self.core.now() < pending.expires:
            return
        if pending.listening is not None:
            self._end_listening(pending)
        else:
            reader.leave()

    def _end_listening(self, pending: PendingResponse) -> None:
        if pending.listening is not None and not pending.stream.finished:
            exchange = pending.listening[1]
            exchange.send(None)
            pending.stream.finish(exchange.response)

    def drain(self) -> None:
        """End the streams that stay open; listen requests get their result (R26-SUB-05). Running requests go on.

        A server that shuts down waits for its responses, and these streams would never end by themselves.
        """
        self.draining = True
        with self._lock:
            standing = list(self._standing)
        for pending in standing:
            self._remove_standing(pending)
            if pending.unsubscribe is not None:
                pending.unsubscribe()
            if pending.listening is not None:
                self._end_listening(pending)
            elif pending.session is not None and pending.stream in pending.session.standing:
                pending.stream.finish()

    def give_up(self) -> int:
        """Answer the requests that still run with an error and cancel them; returns their number. From any thread."""
        with self._lock:
            running = list(self._running)
        for pending in running:
            pending.give_up(SHUTTING_DOWN)
        return len(running)

    def close(self) -> None:
        """End all open streams, running requests and sessions."""
        self.drain()
        self.give_up()
        self.sessions.close()


def _expiry_of(principal: Any) -> float | None:
    """When the token of a caller expires: its attribute `expires`, in seconds since 1970; None if it has none."""
    try:
        expires = getattr(principal, "expires", None)
        return float(expires) if isinstance(expires, (int, float)) else None
    except FAILURES as error:  # the class is the author's
        raise_interrupt(error)
        return None
