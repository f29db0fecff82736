"""One HTTP endpoint among several that share a store: any of them answers any request of a session."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from ....errors import InternalError, ProtocolError
from ....protocol.conversation import ENDS, Steps
from ....protocol.core import Core
from ....protocol.dispatch import dispatch
from ....protocol.exchange import Exchange, Listen
from ....protocol.failures import error_response
from ....protocol.observation import observe
from ....protocol.request import Caller, Cancelled
from ....revisions import LATEST
from ....wire import jsonrpc
from ....wire.jsonrpc import ABSENT, Envelope, Failure
from ...shares import Limit
from .. import rules
from ..challenges import PLAIN, Challenges
from ..endpoint import Endpoint, PendingResponse
from ..headers import Headers
from ..http_session import SESSION_ENDED, HttpSession
from ..rules import JSON, RequestProfile, Response, json_response
from ..settings import Settings
from ..stream import Stream
from .session import SharedSession
from .session_state import StateChange
from .shared_sessions import SharedSessions
from .store_budget import SMALL
from .store_health import UNAVAILABLE
from .store_steps import AfterChanges, StoreExchange, ask_store, ask_store_first, deadline, do_nothing, steps_of

__all__ = ["SharedEndpoint"]

_CHANGE_STATE = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
"""Requests that change the state of their session."""
_FORWARDED = frozenset({UNSET, "notifications/cancelled"})
"""Answers and cancellations: what they are for may be at another replica."""


class SharedEndpoint(Endpoint):
    """An endpoint whose sessions other processes serve, too."""

    def __init__(self, core: Core, settings: Settings, challenges: Challenges = PLAIN) -> None:
        super().__init__(core, settings, challenges)
        self.shared = SharedSessions(core, settings, self.sessions, self._shares)

    is_started = False

    def start(self) -> None:
        """Start to follow the store, and wait a moment until that works and other replicas know of this one."""
        self.is_started = True
        self.shared.attach()
        self.shared.replica.wait_to_join()

    def close(self) -> None:
        """End all open streams, running requests and sessions, and write what other replicas need of them."""
        super().close()
        self.shared.detach()

    # Sessions -------------------------------------------------------------------------------------

    def _new_session(self, principal: Any, headers: Headers) -> HttpSession:
        return self.shared.make(principal, headers.address)

    def _make_id(self, session: HttpSession) -> bytes:
        assert isinstance(session, SharedSession)
        return self.shared.make_id(session)

    def _look_up(self, id: bytes, headers: Headers, principal: Any) -> HttpSession | Response | None:
        session = self.sessions.get(id, principal) or self.shared.restore(id, principal, headers.address)
        if type(session) is SharedSession:
            if self.shared.replica.reader.is_behind:
                session.is_loaded = False  # this process was paused, and the session may have ended meanwhile
            return session
        return rules.refuse_by(session) if isinstance(session, Limit) else session

    def _end_session(self, pending: PendingResponse, caller: Caller) -> Response | PendingResponse:
        session = _session_of(pending)
        limit = self.shared.replica.budget.spend(session.caller, SMALL)
        if limit is not None:
            return rules.refuse_by(limit)
        return self._write(pending, caller, 204, partial(self.shared.end, session))

    # Requests -------------------------------------------------------------------------------------

    def _receive_in_session(
        self, pending: PendingResponse, caller: Caller, envelope: Envelope
    ) -> Response | PendingResponse:
        session, method = _session_of(pending), envelope.method
        if method in _FORWARDED and not session.connection.knows(envelope):
            answer = self._forward(pending, caller, envelope)
            if answer is not None:
                return answer
        if not session.is_loaded:  # its stream may be opened before the request is started, which sets the id
            pending.id = bytes(envelope.id)
        if method in _CHANGE_STATE:  # it loads the session itself
            pending.respond_with = partial(_refuse_in, session)
            return super()._open(pending, self._dispatch(pending, envelope, caller), caller)
        return super()._receive_in_session(pending, caller, envelope)

    def _forward(
        self, pending: PendingResponse, caller: Caller, envelope: Envelope
    ) -> Response | PendingResponse | None:
        """Pass an answer or a cancellation to the replica that waits for it, and accept it when the store has it.

        If the store fails, it is refused; but it is passed on all the same when the store works again: clients do not
        repeat an answer, and the question would wait for it in vain. Returns None if no replica waits for it.
        """
        session, replica = _session_of(pending), self.shared.replica
        route = session.find_route(envelope)
        if route is None:
            return None
        limit = session.count_forwarded(route[1])
        if limit is not None:
            return rules.refuse_by(limit)
        now, later = partial(replica.append_now, *route), partial(replica.append, *route)
        return self._write(pending, caller, 202, now, later)

    def _write(
        self,
        pending: PendingResponse,
        caller: Caller,
        status: int,
        work: Callable[[], object],
        fail: Callable[[], object] = do_nothing,
    ) -> Response | PendingResponse:
        """Write something into the store, and respond with a status when it has that; if it fails, do something else.

        The limits of running requests do not count: those that run may wait for this.
        """
        if self.shared.replica.is_down:
            fail()
            return _refuse_without_store()

        def write() -> None:
            work()

        def steps() -> Steps:
            problem: ProtocolError | None = InternalError(UNAVAILABLE)
            with suppress(*ENDS):
                problem = yield from ask_store(write, fail)
            return None if problem is None else pending.refuse(problem)

        pending.respond_with = lambda message: _refuse_without_store(message) if message else Response(status)
        return super()._open(pending, StoreExchange(steps=steps()).begin(), caller, is_limited=False)

    def _dispatch(self, pending: PendingResponse, envelope: Envelope, caller: Caller) -> Exchange:
        if envelope.method not in _CHANGE_STATE or envelope.id is ABSENT:
            return super()._dispatch(pending, envelope, caller)

        def answer() -> Exchange:
            return StoreExchange(steps=self._change_state(_session_of(pending), envelope, caller)).begin()

        return observe(self.core, answer, envelope, caller) if self.core.observers else answer()

    def _change_state(self, session: SharedSession, envelope: Envelope, caller: Caller) -> Steps:
        """The steps of a request that changes the state of its session: its response waits until all replicas know.

        It changes a copy. What is different there is saved, and only then has an effect here.
        """
        problem: ProtocolError | None
        until = deadline()
        try:
            # Others may have changed it.
            problem = yield from ask_store(partial(self.shared.load_again, session), until=until)
            problem = SESSION_ENDED if session.closed else problem
            if problem is None:
                before, after = session.connection.session.copy(), session.connection.session.copy()
                response = yield from steps_of(dispatch(self.core, envelope, replace(caller, session=after)))
                if response is None or isinstance(response, Failure):
                    return response
                change = StateChange.between(before, after)
                problem = yield from ask_store(partial(self.shared.states.save, session, change), until=until)
                if problem is None:
                    return response
        except Cancelled:
            return None
        except ProtocolError as error:  # too many requests run
            problem = error
        return error_response(problem, caller.assumed_revision, envelope.id)

    def _open(
        self, pending: PendingResponse, exchange: Exchange, caller: Caller, is_limited: bool = True
    ) -> Response | PendingResponse:
        session, replica = pending.session, self.shared.replica
        if isinstance(exchange.step, Listen):
            if not replica.reader.begun.is_set():
                exchange = StoreExchange(steps=self._begin_first(exchange)).begin()
            return super()._open(pending, exchange, caller, is_limited)
        if pending.batch is not None:  # another replica may have to answer each of its requests
            pending.id = b"[" + b",".join(jsonrpc.request_ids_of(pending.batch)) + b"]"
        if isinstance(session, SharedSession) and not session.is_loaded and not replica.is_down:
            pending.respond_with = partial(_refuse_in, session)
            exchange = StoreExchange(steps=self._load_first(session, pending, exchange)).begin()
        answer = super()._open(pending, exchange, caller, is_limited)
        if answer is pending:
            pending.exchange = AfterChanges(step=exchange.step, rest=exchange, changes=replica.watch_changes())
        return answer

    def _begin_first(self, exchange: Exchange) -> Steps:
        """The steps of a listen request before this replica reads the changes of others."""
        yield from ask_store_first(self.shared.replica.wait_to_begin, exchange)
        return (yield from steps_of(exchange))

    def _find_obstacle(self, pending: PendingResponse) -> ProtocolError | None:
        obstacle = super()._find_obstacle(pending)
        if obstacle is None and not self.shared.replica.reader.begun.is_set():  # it would not get all changes
            pending.respond_with = _refuse_without_store
            return InternalError(UNAVAILABLE)
        return obstacle

    def _load_first(self, session: SharedSession, pending: PendingResponse, exchange: Exchange) -> Steps:
        """The steps of a request in a session that may have ended at another replica."""
        yield from ask_store_first(partial(self.shared.load, session), exchange)
        if session.closed:
            exchange.fail(SESSION_ENDED)
            return pending.refuse(SESSION_ENDED)
        return (yield from steps_of(exchange))

    # Streams --------------------------------------------------------------------------------------

    def _make_stream(self, session: HttpSession, event_id: str) -> tuple[Stream, int] | Response:
        assert isinstance(session, SharedSession)
        limit = self.shared.replica.budget.spend(session.caller, SMALL)
        if limit is not None:
            return rules.refuse_by(limit)
        stream, after, work = self.shared.open_stream(session, event_id)
        self._threads.files.submit(work, session.caller)
        return stream, after

    def _receive_without_body(
        self, method: str, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response | PendingResponse:
        replica = self.shared.replica
        if method == "GET" and not profile.modern and (replica.is_down or not replica.reader.begun.is_set()):
            return _refuse_without_store()  # it is not known what the client misses
        return super()._receive_without_body(method, headers, profile, principal)


def _session_of(pending: PendingResponse) -> SharedSession:
    """The session of a response in this endpoint."""
    assert isinstance(pending.session, SharedSession)
    return pending.session


def _refuse_in(session: SharedSession, message: bytes | None) -> Response:
    """The response with an error, or with nothing, in a session that may have ended at another replica."""
    if session.closed:
        return json_response(404, message or error_response(SESSION_ENDED, LATEST))
    return json_response(200 if message is None else rules.status_of(message, False), message)


def _refuse_without_store(message: bytes | None = None) -> Response:
    """The response to a request that needs the store while it cannot be used, with the message that says so."""
    message = message or error_response(InternalError(UNAVAILABLE), LATEST)
    return Response(503, message, (*JSON, (b"retry-after", b"1")))
