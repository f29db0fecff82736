"""One client that stays connected: its session, its running requests, our questions to it, and its subscriptions.

Knows messages, not sockets: `handle` takes bytes and returns the response; all other messages go out by `send`.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from ..errors import ProtocolError
from ..limits.shares import OwnShare
from ..protocol.core import Core
from ..protocol.dispatch import receive, refuse
from ..protocol.exchange import Exchange, Listen
from ..protocol.facts import SessionFacts
from ..protocol.observation import observe_session
from ..protocol.request import Caller, Cancelled, PeerError, RequestHeaders
from ..protocol.session import Session
from ..revisions import LATEST_HANDSHAKE, Revision
from ..wire import jsonrpc
from ..wire.jsonrpc import Envelope
from .link import RequestLink, normalize_id
from .pending_request import PendingRequest
from .run import run
from .threads import threads_of

__all__ = ["Connection", "change_message"]

_log = logging.getLogger("plainmcp")


class Elsewhere(Protocol):
    """Other processes that serve the same client."""

    def name_question(self) -> str:
        """The id of a question: it says which process asks."""
        ...

    def forward(self, envelope: Envelope) -> None:
        """Pass on an answer or a cancellation that belongs to nothing in this process."""


class Connection:
    """A connection with one client, which stores its handshake.

    `send` is called with every notification and question; without it notifications are dropped and questions fail.
    """

    def __init__(
        self,
        core: Core,
        send: Callable[[bytes], None] | None = None,
        *,
        principal: Any = None,
        ask_seconds: float = 300,
        transport: str | None = None,
        questions: OwnShare | None = None,
    ) -> None:
        self.core = core
        self.transport = transport
        self.session = Session(core.first_log_level)
        self.principal = principal
        self.ask_seconds = ask_seconds
        self.running: dict[bytes, RequestLink] = {}  # by id
        self._send = send
        self._lock = threading.Lock()
        self._publishing = threading.RLock()
        self._questions: dict[str, PendingRequest] = {}
        self._question_share = questions
        self._count = 0
        self._unsubscribe = core.registry.listen(self._publish)
        self._end_session: Callable[[], None] = _do_nothing

    elsewhere: Elsewhere | None = None
    """Other processes that serve the same client, if there are any."""

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return bool(self.running)

    @property
    def revision(self) -> Revision:
        """The revision of the handshake, or the one that is assumed before it."""
        return self.session.revision or LATEST_HANDSHAKE

    # Messages in ----------------------------------------------------------------------------------

    def handle(self, message: Any) -> bytes | None:
        """Answer a message; returns None if there is no response, or not yet."""
        return self.finish(self.start(message))

    async def handle_async(self, message: Any) -> bytes | None:
        """Answer a message in an event loop; returns None if there is no response, or not yet."""
        return await self.finish_async(self.start(message))

    def start(self, message: Any, link: RequestLink | None = None) -> Exchange:
        """Start to answer a message, in bytes, text or data: everything but the call of the user's function."""
        return receive(self.core, message, self.caller(link or RequestLink(self)))

    def finish(self, exchange: Exchange) -> bytes | None:
        """Run the rest of an exchange in this thread; returns the response."""
        return run(exchange, self.listen)

    async def finish_async(self, exchange: Exchange) -> bytes | None:
        """Run the rest of an exchange in an event loop; returns the response."""
        from .run_async import run_async  # loads asyncio only when it is needed

        return await run_async(exchange, threads_of(self.core), self.listen)

    def caller(self, link: RequestLink | None = None, headers: RequestHeaders | None = None) -> Caller:
        """The caller for the messages of this connection."""
        return Caller(self.session, self.principal, None, link, self, headers)

    def take(self, envelope: Envelope) -> None:
        """Receive a message that gets no response: a notification, or the response to one of our questions."""
        if envelope.method is UNSET:
            self._resolve_question(envelope)
        elif envelope.method == "notifications/cancelled":
            self._cancel(envelope)
        elif envelope.method == "notifications/initialized":
            self.session.ready = True

    def refuse(self, error: ProtocolError) -> Exchange:
        """Answer a message that could not be read with an error."""
        return refuse(self.core, error, self.caller(RequestLink(self)))

    def _cancel(self, envelope: Envelope) -> None:
        """Cancel a request of the client, here or in another process."""
        params = envelope.params
        if params is None:
            return
        id = normalize_id(bytes(params.requestId))
        if id in self.running:
            self.cancel_request(id, bytes(params.reason))
        elif self.elsewhere is not None:
            self.elsewhere.forward(envelope)

    def cancel_request(self, id: bytes, reason: bytes = b"") -> None:
        """Cancel a running request by its id; one that is unknown or finished is ignored (CANC-03)."""
        link = self.running.get(id)
        if link is None:
            return
        _log.info("request %s was cancelled: %s", ascii(id), ascii(reason[:200]))  # CANC-06
        link.cancel()
        exchange = self._stop_listening(link)
        if exchange is not None:
            exchange.throw(Cancelled())

    # Messages out ---------------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send a message that is not a response."""
        if self._send is not None:
            self._send(message)

    @property
    def is_mute(self) -> bool:
        """Whether only responses can be sent."""
        return self._send is None

    def ask(self, method: str, params: Any, send: Callable[[bytes], None]) -> PendingRequest:
        """Send a question to the client; raises PeerError if too many are open."""
        with self._lock:
            self._count += 1
            id = f"s-{self._count}" if self.elsewhere is None else self.elsewhere.name_question()
            question = PendingRequest(id, self.ask_seconds)
        message = jsonrpc.encode_request(question.id, method, params or None)  # may raise: it is not counted yet
        share = self._question_share
        if share is not None:
            limit = share.find_limit()
            if limit is not None:
                raise PeerError(limit.text)
            share.add()
        self._questions[question.id] = question
        send(message)
        return question

    def withdraw(self, question: PendingRequest, send: Callable[[bytes], None]) -> None:
        """Forget a question, and cancel it if it has no answer (VER-08)."""
        if self._question_share is not None:
            self._question_share.add(-1)
        if self._questions.pop(question.id, None) is not None:
            send(jsonrpc.encode_notification("notifications/cancelled", {"requestId": question.id}))

    def _resolve_question(self, envelope: Envelope) -> None:
        """Resolve a question with its answer, here or in another process; an answer without a question is dropped."""
        if self.knows(envelope):
            self.take_answer(bytes(envelope.id), bytes(envelope.result), bytes(envelope.error))
        elif self.elsewhere is not None:
            self.elsewhere.forward(envelope)

    def take_answer(self, id: bytes, result: bytes, error: bytes) -> None:
        """Resolve a question with the parts of its answer, in JSON; an answer without a question is dropped."""
        try:
            question = self._questions.pop(msgspec.json.decode(id, type=str), None)
            if question is None:
                return
            if error:
                question.resolve(problem=_to_problem(msgspec.json.decode(error)))
            else:
                question.resolve(msgspec.json.decode(result))
        except msgspec.MsgspecError:
            _log.warning("an answer from the client could not be read and was dropped")

    def knows(self, envelope: Envelope) -> bool:
        """Whether an answer belongs to a question, or a cancellation to a request, in this process."""
        if envelope.method is not UNSET:
            return envelope.params is not None and normalize_id(bytes(envelope.params.requestId)) in self.running
        try:
            return msgspec.json.decode(envelope.id) in self._questions
        except (msgspec.MsgspecError, TypeError):
            return False

    # Changes --------------------------------------------------------------------------------------

    def leave_registry(self, unsubscribe: Callable[[], None]) -> None:
        """Do not listen to the registry, because others notify this client; `unsubscribe` is called at the end."""
        self._unsubscribe()
        self._unsubscribe = unsubscribe

    def listen(self, step: Listen, exchange: Exchange) -> None:
        """Keep a listen request open until the client cancels it or the connection closes."""
        link = step.link
        assert isinstance(link, RequestLink)
        with self._publishing:  # no change is sent before the acknowledgement (SUB-03)
            self.send(step.first)
            link.listening = (step, exchange)

    def _stop_listening(self, link: RequestLink) -> Exchange | None:
        with self._publishing:
            listening, link.listening = link.listening, None
        return None if listening is None else listening[1]

    def _publish(self, event: str, uri: str | None) -> None:
        if self.session.wants(event, uri):
            self.send(change_message(event, uri))
        with self._publishing:
            for link in list(self.running.values()):
                if link.listening is not None and link.listening[0].subscription.includes(event, uri):
                    self.send(link.listening[0].subscription.message(event, uri))

    # The session ----------------------------------------------------------------------------------

    def begin_session(self) -> None:
        """Report to the observers of sessions that this one begins; `close` reports its end."""
        if self.core.session_observers:
            self._end_session = observe_session(self.core, SessionFacts(self.session, self.principal, self.transport))

    def hang_up(self) -> None:
        """Stop asking and notifying a client that has disconnected: open questions fail."""
        self._unsubscribe()
        for id in list(self._questions):
            question = self._questions.pop(id, None)
            if question is not None:
                question.resolve(problem=PeerError("the connection closed"))

    def give_up(self, error: ProtocolError) -> None:
        """Cancel the requests that still run; a response with its own stream ends with an error."""
        with self._publishing:
            running = [link for link in list(self.running.values()) if link.listening is None]
        for link in running:
            (link.whole or link).give_up(error)

    def close(self) -> None:
        """End all listen requests: with their result and, as the protocol requires, a cancel (SUB-05, SUB-06)."""
        self.hang_up()
        for id, link in list(self.running.items()):
            exchange = self._stop_listening(link)
            if exchange is None:
                continue
            exchange.send(None)
            if exchange.response is not None:
                self.send(exchange.response)
                self.send(jsonrpc.encode_notification("notifications/cancelled", {"requestId": msgspec.Raw(id)}))
        self._end_session()


def _do_nothing() -> None:
    """End a session that has no observers."""


def _to_problem(error: Any) -> PeerError:
    """The error with which a client answered a question."""
    if not isinstance(error, dict):
        return PeerError("an error")
    code = error.get("code")
    return PeerError(str(error.get("message")), code if type(code) is int else None, error.get("data"))


def change_message(event: str, uri: str | None) -> bytes:
    """The notification of a change, for a session."""
    return jsonrpc.encode_notification(f"notifications/{event}", None if uri is None else {"uri": uri})
