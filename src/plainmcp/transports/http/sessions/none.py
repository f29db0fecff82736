"""No sessions: each request has all facts in its headers, so that any process can answer any request."""

from typing import Any

from msgspec import UNSET

from ....errors import InvalidRequest
from ....protocol.core import Core
from ....protocol.session import Session
from ....wire.jsonrpc import Envelope
from ..checks import HeaderFacts, revision_without_session
from ..headers import Headers
from ..pending import PendingResponse
from ..refusals import refusal
from ..response import Response
from .interface import STARTED_BY_CORE, Sender

__all__ = ["NoSessions", "refuse_answer"]

NO_SESSIONS = "this server keeps nothing for its clients (stateless=True)"
"""Why a client cannot be asked or notified without sessions."""


class NoSessions:
    """Senders without sessions; see interface."""

    is_started = True
    why_no_changes = None  # a client of 2026-07-28 can listen
    why_no_get = NO_SESSIONS
    starts = STARTED_BY_CORE
    routed = (UNSET,)
    wrap = None
    why_not_listen = None

    def __init__(self, core: Core) -> None:
        self._core = core

    def open(self, principal: Any, headers: Headers) -> Sender:
        """The sender of `initialize`."""
        session = Session(self._core.first_log_level)
        session.why_unreachable = NO_SESSIONS
        return Sender(session)

    def discard(self, sender: Sender) -> None:
        """There is nothing to forget."""

    def seal(self, sender: Sender, principal: Any) -> None:
        """There is no id."""

    def find(self, headers: Headers, facts: HeaderFacts, principal: Any) -> Sender:
        """The sender of a message, by the revision in its headers; raises ProtocolError."""
        sender = self.open(principal, headers)
        sender.session.revision = revision_without_session(headers, facts)
        return sender

    def route(self, sender: Sender, pending: PendingResponse, envelope: Envelope) -> Response:
        """The response to an answer, for which there is no question."""
        return refuse_answer()

    def start(self) -> None:
        """There is nothing to start."""

    def close(self) -> None:
        """There is nothing to end."""


def refuse_answer() -> Response:
    """The response to an answer where no question can be asked."""
    return refusal(400, InvalidRequest("there are no questions to answer here"))
