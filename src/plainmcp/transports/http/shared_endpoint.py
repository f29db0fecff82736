"""One HTTP endpoint among several that share a store: any of them answers any request of a session."""

from functools import partial
from typing import Any

from msgspec import UNSET

from ...errors import InternalError
from ...protocol.core import Core
from ...protocol.exchange import Exchange, Listen
from ...protocol.failures import error_response
from ...protocol.request import Caller
from ...revisions import LATEST
from ...wire.jsonrpc import Envelope
from ..shares import Limit
from . import rules
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint, PendingResponse
from .headers import Headers
from .http_session import HttpSession
from .replica import UNAVAILABLE
from .rules import JSON, RequestProfile, Response
from .session_sharing import SharedSessions
from .settings import Settings
from .shared_session import SharedSession
from .store_steps import AfterStore
from .stream import Stream

__all__ = ["SharedEndpoint"]

TOO_MANY = Limit("too many answers and cancellations of this session are for other replicas", True)
"""Why an answer is refused."""
_CHANGE_STATE = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
_MAY_BE_ELSEWHERE = frozenset({UNSET, "notifications/cancelled"})


class SharedEndpoint(Endpoint):
    """An endpoint whose sessions other processes serve, too."""

    def __init__(self, core: Core, settings: Settings, challenges: Challenges = PLAIN) -> None:
        super().__init__(core, settings, challenges)
        self.shared = SharedSessions(core, settings, self.sessions, self._shares)

    def start(self) -> None:
        """Start to follow the store, and wait a moment until that works."""
        self.shared.replica.wait_to_begin()

    def close(self) -> None:
        """End all open streams, running requests and sessions, and write what other replicas need of them."""
        super().close()
        self.shared.replica.stop()

    # Sessions -------------------------------------------------------------------------------------

    def _new_session(self, principal: Any, headers: Headers) -> HttpSession:
        return self.shared.make(principal, headers.address)

    def _name(self, session: HttpSession) -> bytes:
        assert isinstance(session, SharedSession)
        return self.shared.name(session, session.principal)

    def _look_up(self, id: bytes, headers: Headers, principal: Any) -> HttpSession | Response | None:
        session = self.sessions.get(id, principal) or self.shared.restore(id, principal, headers.address)
        if isinstance(session, Limit):
            return rules.refuse_by(session)
        return session

    def _end_session(self, session: HttpSession) -> Response:
        assert isinstance(session, SharedSession)
        if self.shared.replica.problem is not None:
            return _refuse_without_store()
        self.shared.end(session)
        return Response(204)

    # Requests -------------------------------------------------------------------------------------

    def _receive_in_session(
        self, session: HttpSession, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        assert isinstance(session, SharedSession)
        method = envelope.method
        if method in _CHANGE_STATE:
            return self._change_state(session, headers, profile, envelope, principal)
        if method in _MAY_BE_ELSEWHERE and not session.connection.knows(envelope):
            return self._pass_on(session, headers, profile, envelope, principal)
        return super()._receive_in_session(session, headers, profile, envelope, principal)

    def _pass_on(
        self, session: SharedSession, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        """Pass an answer or a cancellation to the replica that waits for it, and accept it when the store has it."""
        if self.shared.replica.problem is not None:
            return _refuse_without_store()
        route = session.find_route(envelope)
        if route is None:
            return super()._receive_in_session(session, headers, profile, envelope, principal)
        if not session.may_pass(route):
            return rules.refuse_by(TOO_MANY)
        passing = _Passing(profile, session.connection.revision, session)
        caller = session.connection.caller(passing, headers)
        return super()._open(passing, AfterStore.of(partial(self._append, passing, route), Exchange), caller)

    def _append(self, passing: "_Passing", route: tuple[Any, ...]) -> None:
        self.shared.replica.append_now(*route)
        passing.is_passed = True

    def _change_state(
        self, session: SharedSession, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        """Receive a request that changes the state of its session: its response waits until all replicas know."""
        connection = session.connection
        pending = PendingResponse(profile, connection.revision, session)
        caller = Caller(connection.session, principal, None, pending, connection, headers)
        exchange = self.shared.save_after(
            session,
            lambda: self.core.dispatch(self.core, envelope, caller),
            partial(error_response, revision=connection.revision, id=envelope.id),
        )
        return super()._open(pending, exchange, caller)

    def _open(self, pending: PendingResponse, exchange: Exchange, caller: Caller) -> Response | PendingResponse:
        answer = super()._open(pending, exchange, caller)
        session = pending.session
        if answer is pending and pending.can_speak:
            if isinstance(session, SharedSession) and not session.is_loaded:
                pending.exchange = self.shared.load_before(session, exchange)
            elif isinstance(exchange.step, Listen) and not self.shared.replica.begun.is_set():
                pending.exchange = AfterStore.of(self.shared.replica.wait_to_begin, lambda: exchange)
        return answer

    # Streams --------------------------------------------------------------------------------------

    def _make_stream(self, session: HttpSession, event_id: str) -> tuple[Stream, int]:
        assert isinstance(session, SharedSession)
        stream, after, work = self.shared.open_stream(session, event_id)
        self._threads.files.submit(work)
        return stream, after

    def _receive_without_body(
        self, method: str, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response | PendingResponse:
        if method == "GET" and not profile.modern and self.shared.replica.problem is not None:
            return _refuse_without_store()
        return super()._receive_without_body(method, headers, profile, principal)


class _Passing(PendingResponse):
    """The response to a message that is passed to another replica."""

    is_passed = False

    def to_response(self, message: bytes | None) -> Response:
        """Accept the message, if the store has it."""
        return Response(202) if self.is_passed else _refuse_without_store()


def _refuse_without_store() -> Response:
    """The response to a request that needs the store while it cannot be used."""
    return Response(503, error_response(InternalError(UNAVAILABLE), LATEST), (*JSON, (b"retry-after", b"1")))
