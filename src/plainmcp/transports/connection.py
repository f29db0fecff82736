"""One client that stays: its handshake, its running requests, the questions it was asked and what it listens to.

Knows messages, not sockets: bytes go in by `handle`, and by `send` whatever is not the answer itself.
"""

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from .. import exchange, jsonrpc
from ..codec import to_bytes
from ..errors import InvalidRequest, ProtocolError
from ..jsonrpc import Envelope
from ..methods.answering import Steps
from ..revisions import LATEST_HANDSHAKE
from ..server import Core
from ..session import Session
from ..steps import PeerError, Stay
from . import drive
from .calling import Pending

__all__ = ["Connection"]

_log = logging.getLogger("plainmcp")


class Call:
    """One running request, seen from its handler: the link back to the client."""

    __slots__ = ("_connection", "cancelled", "staying")

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self.cancelled = False
        self.staying: tuple[Stay, Steps] | None = None

    def notify(self, message: bytes) -> None:
        if not self.cancelled:
            self._connection.send(message)

    def ask(self, method: str, params: Any) -> Any:
        return self._connection.ask(method, params).wait(self._connection.ask_seconds)

    async def ask_async(self, method: str, params: Any) -> Any:
        from . import looped  # whoever awaits this has loaded an event loop already

        return await looped.answered(self._connection.ask(method, params), self._connection.ask_seconds)


class Connection:
    """A connection that remembers its handshake.

    `send` is called with every notification and question; without it notifications are dropped and questions fail.
    """

    def __init__(
        self,
        core: Core,
        send: Callable[[bytes], None] | None = None,
        *,
        principal: Any = None,
        ask_seconds: float = 300,
    ) -> None:
        self.core = core
        self.session = Session()
        self.principal = principal
        self.ask_seconds = ask_seconds
        self._send = send
        self._lock = threading.Lock()
        self._running: dict[bytes, Call] = {}  # by raw id
        self._asked: dict[str, Pending] = {}
        self._questions = 0
        self._deaf = core.registry.listen(self._tell)

    # Messages in ----------------------------------------------------------------------------------

    def handle(self, message: Any) -> bytes | None:
        """Answer a message; None for what is not answered, or not yet."""
        call = Call(self)
        return drive.run(self._steps(message, call), partial(self._stay, call))

    async def handle_async(self, message: Any) -> bytes | None:
        """The same in an event loop."""
        from . import looped  # an event loop is loaded for those who need one

        call = Call(self)
        return await looped.run(self._steps(message, call), partial(self._stay, call))

    def _steps(self, message: Any, call: Call) -> Steps:
        how: dict[str, Any] = {"session": self.session, "link": call, "principal": self.principal}
        try:
            raw = to_bytes(message)
            if jsonrpc.open_batch(raw) is not None:
                return (yield from self.core.receive(raw, **how))
            envelope = jsonrpc.open_envelope(raw)
        except ProtocolError as error:
            return self._refused(error)
        if envelope.is_response:
            return self._answered(envelope)
        if envelope.method == "notifications/cancelled":
            return self._cancelled(envelope)
        if not envelope.id:
            return (yield from exchange.answer(self.core, envelope, **how))
        return (yield from self._tracked(bytes(envelope.id), call, envelope, how))

    def _tracked(self, id: bytes, call: Call, envelope: Envelope, how: dict[str, Any]) -> Steps:
        """A request under way; its id is taken until it is answered."""
        with self._lock:
            if id in self._running:
                return self._refused(InvalidRequest("a request with this id is still running"), id)
            self._running[id] = call
        try:
            answer = yield from exchange.answer(self.core, envelope, **how)
            return None if call.cancelled else answer  # CANC-01
        finally:
            self._running.pop(id, None)

    def _refused(self, error: ProtocolError, id: bytes | None = None) -> bytes:
        return exchange.failure(error, self.session.revision or LATEST_HANDSHAKE, id)

    def _cancelled(self, envelope: Envelope) -> None:
        """The client no longer wants an answer; a request that is unknown or done is none to cancel (CANC-03)."""
        raw = bytes(envelope.params.requestId) if envelope.params is not None else b""
        call = self._running.get(raw)
        if call is not None:
            call.cancelled = True
            if call.staying is not None:
                call.staying[1].close()

    # Messages out ---------------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send what is not an answer."""
        if self._send is not None:
            self._send(message)

    def ask(self, method: str, params: Any) -> Pending:
        """Send a question."""
        if self._send is None:
            raise PeerError("this connection cannot carry questions")
        with self._lock:
            self._questions += 1
            id = f"s-{self._questions}"
            question = self._asked[id] = Pending()
        self._send(jsonrpc.request(id, method, params or None))
        return question

    def _answered(self, envelope: Envelope) -> None:
        """An answer to a question of ours; one nobody asked is dropped."""
        try:
            question = self._asked.pop(msgspec.json.decode(envelope.id, type=str), None)
            if question is None:
                return
            if envelope.error:
                error = msgspec.json.decode(envelope.error)
                question.settle(problem=str(error.get("message")) if isinstance(error, dict) else "an error")
            else:
                question.settle(msgspec.json.decode(envelope.result))
        except msgspec.MsgspecError:
            _log.warning("an answer from the client could not be read and was dropped")

    # Changes --------------------------------------------------------------------------------------

    def _stay(self, call: Call, step: Stay, steps: Steps) -> None:
        """Keep a listen request open until the client cancels it or the connection closes."""
        call.staying = (step, steps)
        self.send(step.first)

    def _tell(self, event: str, uri: str | None) -> None:
        if self.session.wants(event, uri):
            params = None if uri is None else {"uri": uri}
            self.send(jsonrpc.notification(f"notifications/{event}", params))
        for call in list(self._running.values()):
            if call.staying is not None and call.staying[0].subscription.hears(event, uri):
                self.send(call.staying[0].subscription.message(event, uri))

    def close(self) -> None:
        """End what still listens, with its result (SUB-05), and stop hearing of changes."""
        self._deaf()
        for call in list(self._running.values()):
            if call.staying is not None:
                answer = drive.run(call.staying[1])
                if answer is not None:
                    self.send(answer)
        for question in self._asked.values():
            question.settle(problem="the connection closed")
