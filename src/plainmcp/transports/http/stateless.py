"""HTTP endpoints that store nothing for their clients, so that any process can answer any request.

A stateless endpoint has no sessions. A signed one has sessions whose facts are in their ids.
"""

from typing import Any

from ...errors import InvalidRequest, ProtocolError
from ...protocol.core import Core
from ...protocol.request import Caller
from ...protocol.session import Session, not_offered
from ...revisions import LATEST_HANDSHAKE, Revision
from ...wire.jsonrpc import Envelope
from . import rules
from .challenges import PLAIN, Challenges
from .endpoint import Endpoint, Handshake, PendingResponse
from .headers import Headers
from .rules import RequestProfile, Response, refusal
from .settings import Settings
from .signed_ids import SignedIds

__all__ = ["SignedEndpoint", "StatelessEndpoint"]

NO_SESSIONS = "this server keeps nothing for its clients (stateless=True)"
"""Why a client cannot be asked or notified without sessions."""
NO_STORE = "this server has several processes and no store; see --redis and store="
"""Why a client with a signed session cannot."""


class StatelessEndpoint(Endpoint):
    """An endpoint without sessions: each request has all facts in its headers."""

    unreachable = NO_SESSIONS
    """Why clients of the handshake revisions cannot be asked or notified."""

    def _initialize(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        session = Session(self.core.first_log_level)
        session.unreachable = self.unreachable
        pending = self._make_handshake(session, profile, principal)
        pending.id = bytes(envelope.id)
        caller = Caller(session, principal, None, pending, None, headers)
        return self._open(pending, self.core.dispatch(self.core, envelope, caller), caller)

    def _make_handshake(self, session: Session, profile: RequestProfile, principal: Any) -> PendingResponse:
        return PendingResponse(profile, LATEST_HANDSHAKE)

    def _find_sender(
        self, headers: Headers, profile: RequestProfile, principal: Any, id: bytes | None = None
    ) -> tuple[PendingResponse, Caller] | Response:
        session = self._make_session(headers, profile, principal)
        if session is None:
            return rules.unknown_session(id)
        session.unreachable = self.unreachable
        pending = PendingResponse(profile, session.revision or LATEST_HANDSHAKE)
        pending.without_session = self.unreachable
        return pending, Caller(session, principal, None, pending, None, headers)

    def _make_session(self, headers: Headers, profile: RequestProfile, principal: Any) -> Session | None:
        """The session of one request; None if it names an unknown one. Raises ProtocolError."""
        session = Session(self.core.first_log_level)
        session.revision = rules.revision_without_session(headers, profile)
        return session

    def _find_revision(self, headers: Headers, profile: RequestProfile, principal: Any) -> Revision:
        session = self._make_session(headers, profile, principal)
        return session.revision if session is not None and session.revision else LATEST_HANDSHAKE

    def _receive_in_session(
        self, pending: PendingResponse, caller: Caller, envelope: Envelope
    ) -> Response | PendingResponse:
        if envelope.is_response:
            return refusal(400, InvalidRequest("there are no questions to answer here"))
        pending.id = bytes(envelope.id)
        return super()._receive_in_session(pending, caller, envelope)

    def _receive_without_body(
        self, method: str, headers: Headers, profile: RequestProfile, principal: Any
    ) -> Response | PendingResponse:
        return rules.refuse_method(method, None if profile.modern else self.unreachable)


class SignedEndpoint(StatelessEndpoint):
    """An endpoint whose sessions are in their ids. It does not hear of the changes of other processes."""

    unreachable = NO_STORE

    def __init__(self, core: Core, settings: Settings, challenges: Challenges = PLAIN) -> None:
        super().__init__(core, settings, challenges)
        self.preflight.no_changes = NO_STORE
        self._ids = SignedIds(core, settings.session_seconds)

    def _find_obstacle(self, pending: PendingResponse) -> ProtocolError | None:
        return not_offered("subscriptions/listen", NO_STORE)

    def _make_handshake(self, session: Session, profile: RequestProfile, principal: Any) -> PendingResponse:
        session.log_level = None
        return Handshake(profile, session, lambda: self._ids.make(session, principal))

    def _make_session(self, headers: Headers, profile: RequestProfile, principal: Any) -> Session | None:
        name = headers.get_unique(b"mcp-session-id")
        if name is None:
            raise rules.missing_session_error(profile)
        facts = self._ids.read(name, principal)
        session = None if facts is None else facts.to_session()
        if session is not None:
            rules.revision_without_session(headers, profile)  # raises: R2511-HDR-02
            session.log_level = None
        return session
