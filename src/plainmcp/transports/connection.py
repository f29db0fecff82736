"""One client that stays: its handshake, its running requests, the questions it was asked and what it listens to.

Knows messages, not sockets: bytes go in by `handle`, and by `send` whatever is not the answer itself.
"""

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from ..errors import InvalidRequest, ProtocolError
from ..protocol import exchange
from ..protocol.core import Core
from ..protocol.methods.shared import Steps
from ..protocol.methods.tools import Single
from ..protocol.session import Session
from ..protocol.steps import Cancelled, PeerError, Stay
from ..revisions import Revision
from ..wire import jsonrpc
from ..wire.codec import to_bytes
from ..wire.jsonrpc import Envelope
from . import run
from .invoke import Pending, Wanted

__all__ = ["Call", "Connection", "Work"]

_log = logging.getLogger("plainmcp")
_BACKSLASH = ord("\\")
_Answer = bytes | Single | Steps | None


class Way(Protocol):
    """What carries messages that belong to one request."""

    def say(self, message: bytes) -> None:
        """Send one."""

    def drop(self) -> None:
        """End it early, for the client to come back."""


class Call(Wanted):
    """One running request, seen from its handler: the link back to the client."""

    def __init__(self, connection: "Connection", way: Way | None = None) -> None:
        self._connection = connection
        self._way = way  # of its own, where it has one

    listening: tuple[Stay, Steps] | None = None
    whole: "Call | None" = None
    """The batch it is part of."""

    @property
    def revision(self) -> Revision:  # type: ignore[override]
        """What its client speaks."""
        return self._connection.spoken

    def over(self) -> bool:
        """The same, and its id is free again."""
        self._connection.running.pop(self.id, None)
        return not self.cancelled

    def twin(self) -> "Call":
        """Another request that goes the same way: a part of this batch, and given up with it."""
        return self._part(Call(self._connection, self._way))

    def _part(self, part: "Call") -> "Call":
        part.whole = self
        self.on_cancel(part.cancel)
        return part

    def give_up(self, error: ProtocolError) -> None:
        """Nobody waits for it any more; where its answer has a stream of its own, that ends with an error."""
        self.cancel()

    def close_stream(self) -> None:
        """End the way of its own, if it has one that can be taken up again."""
        if self._way is not None:
            self._way.drop()

    def notify(self, message: bytes) -> None:
        """Send a notification, unless the request is over (PROG-03, STDIO-04)."""
        if not self.cancelled:
            self._say(message)

    def _say(self, message: bytes) -> None:
        if self._way is None:
            self._connection.send(message)
        else:
            self._way.say(message)

    def ask(self, method: str, params: Any) -> Any:
        """Send a question and wait for its answer; raises PeerError."""
        with self._asking(method, params) as question:
            return question.wait(self._connection.ask_seconds)

    async def ask_async(self, method: str, params: Any) -> Any:
        """The same, to be awaited."""
        from . import run_async  # whoever awaits this has loaded an event loop already

        with self._asking(method, params) as question:
            return await run_async.answered(question, self._connection.ask_seconds)

    @contextmanager
    def _asking(self, method: str, params: Any) -> Generator[Pending, None, None]:
        if self._way is None and self._connection.is_mute:
            raise PeerError("this connection cannot carry questions")
        id, question = self._connection.ask(method, params, self._say)
        forget = self.on_cancel(partial(question.settle, problem="the request was cancelled"))
        try:
            yield question
        finally:
            forget()
            self._connection.unask(id, self._say)


class Work:
    """A message on its way to its answer: there already, or stopped where user code has to run."""

    __slots__ = ("answer", "call", "is_answered", "step", "steps")

    def __init__(self, answer: bytes | None = None, steps: Single | Steps | None = None, step: Any = None) -> None:
        self.answer = answer
        self.steps = steps  # None when there is nothing left to do
        self.step = step
        self.call: Call | None = None  # whose answer it is, where there is something left to do
        self.is_answered = False


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
        self._telling = threading.RLock()
        self.running: dict[bytes, Call] = {}  # by raw id
        self._asked: dict[str, Pending] = {}
        self._questions = 0
        self._deaf = core.registry.listen(self._tell)

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return bool(self.running)

    # Messages in ----------------------------------------------------------------------------------

    def handle(self, message: Any) -> bytes | None:
        """Answer a message; None for what is not answered, or not yet."""
        return self.finish(self.start(message))

    async def handle_async(self, message: Any) -> bytes | None:
        """The same in an event loop."""
        return await self.finish_async(self.start(message))

    def start(self, message: Any, call: Call | None = None) -> Work:
        """Take a message as far as user code has to run, which is seldom further than its answer."""
        call = call or Call(self)
        work = self.work(self.begin(message, call) if type(message) is Envelope else self._begin(message, call))
        work.call = call
        return work

    def work(self, begun: bytes | Single | Steps | None) -> Work:
        """The same for a message that has begun."""
        if isinstance(begun, Single):
            return Work(None, begun, begun)
        if begun is None or isinstance(begun, bytes):
            return Work(begun)
        try:
            step = next(begun)
        except StopIteration as end:
            return Work(end.value)
        if type(step) is Stay:
            self._stay(step, begun)
            return Work()
        return Work(None, begun, step)

    def finish(self, work: Work) -> bytes | None:
        """Do what is left of it, in this thread."""
        return work.answer if work.steps is None else run.resume(work.steps, work.step, self._stay)

    async def finish_async(self, work: Work) -> bytes | None:
        """The same in an event loop."""
        if work.steps is None:
            return work.answer
        from . import run_async  # an event loop is loaded for those who need one

        return await run_async.resume(work.steps, work.step, self._stay, run_async.threads_of(self.core))

    def refused(self, error: ProtocolError, id: bytes | None = None) -> bytes:
        """The answer to what cannot even be taken in."""
        return exchange.failure(error, self.spoken, id)

    @property
    def spoken(self) -> Revision:
        """The revision that was settled on, or the one that is assumed before."""
        return exchange.assumed(self.session)

    def _begin(self, message: Any, call: Call) -> _Answer:
        try:
            raw = to_bytes(message)
            batch = jsonrpc.open_batch(raw)
            if batch is None:
                return self.begin(jsonrpc.open_envelope(raw), call)
            self.core.check_batch(batch, self.spoken)
        except ProtocolError as error:
            return self.refused(error)
        call.batch = batch
        return self._batch(batch, call)

    def _batch(self, batch: list[Any], call: Call) -> Steps:
        """One after the other; a cancelled one leaves the others alone."""
        answers: list[bytes] = []
        for part in batch:
            try:
                envelope = self.core.open_part(part)
                if envelope.method == "subscriptions/listen":
                    refusal = InvalidRequest("subscriptions/listen is never part of a batch")
                    raise jsonrpc.with_request_id(refusal, envelope.id)
                own = call.twin()
                answer: Any = self.begin(envelope, own)
                if not (answer is None or isinstance(answer, bytes)):
                    answer = yield from (_tracked(own, answer) if type(answer) is Single else answer)
            except ProtocolError as error:
                answer = self.refused(error)
            if answer is not None:
                answers.append(answer)
        return b"[" + b",".join(answers) + b"]" if answers else None

    def begin(self, envelope: Envelope, call: Call) -> _Answer:
        """The answer to a single message, or what has to run for it."""
        if envelope.method is UNSET:
            self._answered(envelope)
            return None
        if envelope.method == "notifications/cancelled":
            self._cancelled(envelope)
            return None
        begun = exchange.begin(self.core, envelope, self.session, call, self.principal)
        if begun is None or isinstance(begun, bytes):
            return begun
        id = _key(envelope.id)
        if not self.track(id, call):
            return self.refused(InvalidRequest("a request with this id is still running"), id)
        return begun if type(begun) is Single else _tracked(call, begun)

    def track(self, id: bytes, call: Call) -> bool:
        """Know a request by its id until it is over; says whether nobody else has that id."""
        if self.running.setdefault(id, call) is not call:
            return False
        call.id = id
        return True

    def _cancelled(self, envelope: Envelope) -> None:
        """The client no longer wants an answer; a request that is unknown or done is none to cancel (CANC-03)."""
        params = envelope.params
        id = _key(params.requestId) if params is not None else b""
        call = self.running.get(id)
        if call is None or params is None:
            return
        _log.info("request %s was cancelled: %s", ascii(id), ascii(bytes(params.reason)[:200]))  # CANC-06
        call.cancel()
        self._leave(call)

    # Messages out ---------------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send what is not an answer."""
        if self._send is not None:
            self._send(message)

    @property
    def is_mute(self) -> bool:
        """Whether nothing can be sent but answers."""
        return self._send is None

    def ask(self, method: str, params: Any, say: Callable[[bytes], None]) -> tuple[str, Pending]:
        """Send a question; gives its id, and where the answer will be."""
        with self._lock:
            self._questions += 1
            id = f"s-{self._questions}"
            question = self._asked[id] = Pending()
        say(jsonrpc.request(id, method, params or None))
        return id, question

    def unask(self, id: str, say: Callable[[bytes], None]) -> None:
        """Take back a question, if it was not answered (VER-08)."""
        if self._asked.pop(id, None) is not None:
            say(jsonrpc.notification("notifications/cancelled", {"requestId": id}))

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

    def _stay(self, step: Stay, steps: Steps) -> None:
        """Keep a listen request open until the client cancels it or the connection closes."""
        with self._telling:  # nothing comes before the acknowledgement (SUB-03)
            self.send(step.first)
            step.link.listening = (step, steps)

    def _leave(self, call: Call) -> Steps | None:
        """No longer keep it open; gives the steps that would end it."""
        with self._telling:
            listening, call.listening = call.listening, None
        if listening is None:
            return None
        if call.cancelled:
            listening[1].close()
        return listening[1]

    def _tell(self, event: str, uri: str | None) -> None:
        if self.session.wants(event, uri):
            params = None if uri is None else {"uri": uri}
            self.send(jsonrpc.notification(f"notifications/{event}", params))
        with self._telling:
            for call in list(self.running.values()):
                if call.listening is not None and call.listening[0].subscription.hears(event, uri):
                    self.send(call.listening[0].subscription.message(event, uri))

    # The end --------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """The client says no more: its questions will not be answered, and it hears of no more changes."""
        self._deaf()
        for id in list(self._asked):
            question = self._asked.pop(id, None)
            if question is not None:
                question.settle(problem="the connection closed")

    def give_up(self, error: ProtocolError) -> None:
        """Cancel whatever still runs; an answer that has a stream of its own ends with an error."""
        with self._telling:
            running = [call for call in list(self.running.values()) if call.listening is None]
        for call in running:
            (call.whole or call).give_up(error)

    def close(self) -> None:
        """End what still listens: with its result, then, as the protocol wants both, a cancel (SUB-05, SUB-06)."""
        self.hang_up()
        for id, call in list(self.running.items()):
            steps = self._leave(call)
            answer = None if steps is None else run.run(steps)
            if answer is not None:
                self.send(answer)
                self.send(jsonrpc.notification("notifications/cancelled", {"requestId": msgspec.Raw(id)}))


def _tracked(call: Call, steps: Single | Steps) -> Steps:
    """The steps of a request under way."""
    answer = None
    try:
        answer = yield from steps
    except Cancelled:
        pass
    finally:
        wanted = call.over()
        call.cancel()  # a function that was given up learns here that nobody waits for it
    return answer if wanted else None  # CANC-01


def _key(id: msgspec.Raw) -> bytes:
    """An id in one spelling: JSON has several for one text."""
    raw = bytes(id)
    if _BACKSLASH not in raw:
        return raw
    with suppress(msgspec.MsgspecError, UnicodeError):
        return msgspec.json.encode(msgspec.json.decode(raw))
    return raw
