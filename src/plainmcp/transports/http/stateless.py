"""HTTP endpoints that store nothing for their clients, so that any process can answer any request.

A stateless endpoint has no sessions. A signed one has sessions whose facts are in their ids.
"""

from typing import Any

from ...errors import InvalidRequest
from ...protocol.core import Core
from ...protocol.request import Caller
from ...protocol.session import Session
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

NOWHERE = "this server has several processes and no store, so there is nowhere to answer; see --redis and store="
"""Why a client with a signed session cannot be asked."""
NOT_STORED = ". Any process can answer a client, and nothing is stored for it"
"""Why there are neither streams that stay open nor sessions that could be ended."""


class StatelessEndpoint(Endpoint):
    """An endpoint without sessions: each request has all facts in its headers."""

    def _initialize(
        self, headers: Headers, profile: RequestProfile, envelope: Envelope, principal: Any
    ) -> Response | PendingResponse:
        session = Session(self.core.first_log_level)
        session.is_reachable = False
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
        session.is_reachable = False
        pending = PendingResponse(profile, session.revision or LATEST_HANDSHAKE)
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
        return rules.refuse_method(method, "" if profile.modern else NOT_STORED)


class SignedEndpoint(StatelessEndpoint):
    """An endpoint whose sessions are in their ids. It does not hear of the changes of other processes."""

    hears_changes = False

    def __init__(self, core: Core, settings: Settings, challenges: Challenges = PLAIN) -> None:
        super().__init__(core, settings, challenges)
        self._ids = SignedIds(core, settings.session_seconds)

    def _make_handshake(self, session: Session, profile: RequestProfile, principal: Any) -> PendingResponse:
        session.log_level = None
        return Handshake(profile, session, lambda: self._ids.make(session, principal))

    def _find_sender(
        self, headers: Headers, profile: RequestProfile, principal: Any, id: bytes | None = None
    ) -> tuple[PendingResponse, Caller] | Response:
        sender = super()._find_sender(headers, profile, principal, id)
        if type(sender) is not Response:
            sender[0].without_session = NOWHERE
        return sender

    def _make_session(self, headers: Headers, profile: RequestProfile, principal: Any) -> Session | None:
        name = headers.get_unique(b"mcp-session-id")
        if name is None:
            raise rules.missing_session_error(profile)
        facts = self._ids.read(name, principal)
        session = None if facts is None else facts.to_session()
        if session is not None:
            self._check_version(headers, profile)
            session.log_level = None
        return session
