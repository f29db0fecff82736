"""The way back to a client while one of its requests is being answered: notifications, and questions to the client.

Knows messages, but does no I/O: the connection or the stream sends the bytes.
"""

import os
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol

import msgspec

from ..errors import InvalidRequest, ProtocolError
from ..protocol.exchange import Exchange, Listen
from ..protocol.failures import error_response, error_responses
from ..protocol.request import CannotAsk, PeerError
from ..revisions import Revision
from ..wire import jsonrpc
from .pending_request import PendingRequest
from .threads import without_slot

__all__ = ["Cancellation", "Channel", "RequestLink", "normalize_id"]


class Cancellation:
    """Whether a request is cancelled, and the listeners to call when it is. May be used from any thread.

    There is one for every request, and few have a listener: so they share one lock, and start with an empty tuple.
    """

    _lock = threading.RLock()  # the garbage collector may end another request while this thread holds it
    _listeners: tuple[Callable[[], object], ...] = ()
    cancelled = False
    """Whether the request was cancelled, or has ended."""

    def cancel(self) -> None:
        """Cancel the request, and call the listeners."""
        self.cancelled = True
        if self._listeners:
            with self._lock:
                listeners, self._listeners = self._listeners, ()
            for listener in listeners:
                listener()

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function when the request is cancelled, or now if it is; returns a function that removes it."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
        if self.cancelled:  # perhaps before the listener was there
            self.cancel()
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)


def _enter_child() -> None:
    """Replace the lock in a child process: the thread that holds it does not exist there."""
    Cancellation._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)


class Channel(Protocol):
    """The methods of a connection that links use; see connection."""

    running: "dict[bytes, RequestLink]"  # by id

    @property
    def revision(self) -> Revision:
        """The revision of the client."""
        ...

    @property
    def transport(self) -> str | None:
        """How messages come: "pipe" or "tcp"; None if the program passes them itself."""
        ...

    @property
    def is_mute(self) -> bool:
        """Whether only responses can be sent."""
        ...

    def send(self, message: bytes) -> None:
        """Send a message that is not a response."""

    def ask(self, method: str, params: Any, send: Callable[[bytes], None]) -> PendingRequest:
        """Send a request."""
        ...

    def withdraw(self, question: PendingRequest, send: Callable[[bytes], None]) -> None:
        """Cancel a request that has no result yet."""


class RequestLink(Cancellation):
    """One running request: its cancellation, and the messages and questions that its handler sends."""

    id = b""
    """The id of the request."""
    batch: Sequence[Any] | None = None
    """The messages of the batch, if this is the link of a whole batch."""
    whole: "RequestLink | None" = None
    """The link of the whole batch, if the request is part of one."""
    listening: tuple[Listen, Exchange] | None = None
    """The step and the exchange of a listen request that stays open."""
    connection: "Channel | None" = None

    def __init__(self, connection: "Channel | None") -> None:
        self.connection = connection

    @property
    def revision(self) -> Revision:
        """The revision of the client."""
        assert self.connection is not None
        return self.connection.revision

    @property
    def transport(self) -> str | None:
        """How messages come: "pipe" or "tcp"; None if the program passes them itself."""
        return None if self.connection is None else self.connection.transport

    @property
    def session_state(self) -> dict[str, Any] | None:
        """What handlers keep in the session, as this request sees it; None if no other process shares that."""
        return None

    @property
    def why_no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        return None

    def start(self, id: bytes) -> None:
        """Register the request under its id; raises InvalidRequest if another request with this id still runs."""
        self.id = id if _BACKSLASH not in id else normalize_id(id)
        if self.connection is not None and self.connection.running.setdefault(self.id, self) is not self:
            raise InvalidRequest("a request with this id is still running")

    def finish(self) -> bool:
        """Mark the request as ended and call the listeners; returns whether its response is to be sent."""
        is_wanted = not self.cancelled
        if self.connection is not None:
            self.connection.running.pop(self.id, None)
        self.cancel()
        return is_wanted

    def for_part(self) -> "RequestLink":
        """The link of one request of this batch; it is cancelled with the batch."""
        part = _Part(self)
        self.on_cancel(part.cancel)
        return part

    def refuse(self, error: ProtocolError) -> bytes | None:
        """The error response to the request, or to each request of the batch."""
        if self.batch is None:
            return error_response(error, self.revision, self.id)
        return error_responses(error, self.revision, jsonrpc.request_ids_of(self.batch))

    def give_up(self, error: ProtocolError) -> None:
        """Cancel the request; a response with its own stream ends with an error."""
        self.cancel()

    # Sending --------------------------------------------------------------------------------------

    def send(self, message: bytes) -> None:
        """Send a message that belongs to this request."""
        assert self.connection is not None
        self.connection.send(message)

    def notify(self, message: bytes) -> None:
        """Send a notification, unless the request is over (PROG-03, STDIO-04)."""
        if not self.cancelled:
            self.send(message)

    def close_stream(self) -> None:
        """End the stream of the response, if there is one that can be resumed."""

    # Asking ---------------------------------------------------------------------------------------

    @property
    def why_not_ask(self) -> str | None:
        """The reason why the client cannot be asked a question; None if it can."""
        assert self.connection is not None
        return "this connection cannot carry questions" if self.connection.is_mute else None

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""
        with self._open_question(method, params) as question, without_slot():
            return question.wait(question.seconds)

    async def ask_async(self, method: str, params: Any) -> Any:
        """Send a request and await its result; raises PeerError."""
        from .run_async import await_request  # asyncio is loaded already where this is awaited

        with self._open_question(method, params) as question:
            return await await_request(question)

    @contextmanager
    def _open_question(self, method: str, params: Any) -> Generator[PendingRequest, None, None]:
        if self.why_not_ask is not None:
            raise CannotAsk(self.why_not_ask)
        assert self.connection is not None
        question = self.connection.ask(method, params, self.send)
        forget = self.on_cancel(partial(question.resolve, problem=PeerError("the request was cancelled")))
        try:
            yield question
        finally:
            forget()
            self.connection.withdraw(question, self.send)


class _Part(RequestLink):
    """The link of one request of a batch: it sends messages and questions through the link of the batch."""

    def __init__(self, whole: RequestLink) -> None:
        super().__init__(whole.connection)
        self.whole = self._batch_link = whole

    @property
    def revision(self) -> Revision:
        """The revision of the client."""
        return self._batch_link.revision

    @property
    def transport(self) -> str | None:
        """How the batch came."""
        return self._batch_link.transport

    @property
    def session_state(self) -> dict[str, Any] | None:
        """What handlers keep in the session, as the batch sees it."""
        return self._batch_link.session_state

    @property
    def why_no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        return self._batch_link.why_no_changes

    @property
    def why_not_ask(self) -> str | None:
        """The reason why the client cannot be asked a question; None if it can."""
        return self._batch_link.why_not_ask

    def send(self, message: bytes) -> None:
        """Send a message through the link of the batch."""
        self._batch_link.send(message)

    def close_stream(self) -> None:
        """End the stream of the batch."""
        self._batch_link.close_stream()


_BACKSLASH = ord("\\")  # a number is found in bytes sooner than bytes are


def normalize_id(id: bytes) -> bytes:
    """An id in one spelling: JSON can escape the same text in several ways."""
    with suppress(msgspec.MsgspecError, UnicodeError):
        return msgspec.json.encode(msgspec.json.decode(id))
    return id
