"""Sessions whose facts are in their ids, signed: any process with the key can answer any request.

Nothing is stored, so a process does not hear of the changes of others, and no client can be asked.
"""

from typing import Any

from msgspec import UNSET

from ....errors import ProtocolError
from ....protocol.core import Core
from ....protocol.session import Session, not_offered
from ....wire.jsonrpc import Envelope
from ..checks import HeaderFacts, missing_session_error
from ..headers import Headers
from ..pending import PendingResponse
from ..response import Response
from ..settings import Settings
from .interface import STARTED_BY_CORE, Sender
from .none import refuse_answer
from .signed_ids import SignedIds

__all__ = ["SignedSessions"]

NO_STORE = "this server has several processes and no store; see --redis and store="
"""Why a client with a signed session cannot be asked or notified."""


class SignedSessions:
    """Sessions in their ids; see interface."""

    is_started = True
    why_no_changes = NO_STORE
    why_no_get = NO_STORE
    starts = STARTED_BY_CORE
    routed = (UNSET,)
    wrap = None

    def __init__(self, core: Core, settings: Settings) -> None:
        self._core = core
        self._ids = SignedIds(core, settings.session_seconds)

    def open(self, principal: Any, headers: Headers) -> Sender:
        """The sender of `initialize`."""
        return _sender_of(Session(None))

    def discard(self, sender: Sender) -> None:
        """There is nothing to forget."""

    def seal(self, sender: Sender, principal: Any) -> bytes:
        """The id of a session, with its facts; raises ProtocolError if these are too large."""
        return self._ids.make(sender.session, principal)

    def find(self, headers: Headers, facts: HeaderFacts, principal: Any) -> Sender | None:
        """The sender of a message, by the facts in its session id; None if that is unknown. Raises ProtocolError."""
        id = headers.get_unique(b"mcp-session-id")
        if id is None:
            raise missing_session_error(facts)
        signed = self._ids.read(id, principal)
        session = None if signed is None else signed.to_session()
        return None if session is None else _sender_of(session)

    def route(self, sender: Sender, pending: PendingResponse, envelope: Envelope) -> Response:
        """The response to an answer, for which there is no question."""
        return refuse_answer()

    def why_not_listen(self, pending: PendingResponse) -> ProtocolError:
        """The error for a listen request, which would miss the changes of other processes."""
        return not_offered("subscriptions/listen", NO_STORE)

    def start(self) -> None:
        """There is nothing to start."""

    def close(self) -> None:
        """There is nothing to end."""


def _sender_of(session: Session) -> Sender:
    session.log_level = None  # no process would know of a change
    session.why_unreachable = NO_STORE
    return Sender(session)
