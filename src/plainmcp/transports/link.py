"""The way back to a client while one of its requests is being answered, and the requests we send it ourselves.

Knows messages; how bytes reach the client is the connection's, or the stream's.
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
from ..protocol.failures import error_response
from ..protocol.request import PeerError
from ..revisions import Revision
from ..wire import jsonrpc
from .pending_request import PendingRequest

__all__ = ["Cancellation", "Channel", "RequestLink", "normalize_id"]


class Cancellation:
    """Whether a response is still wanted, and whom to notify once it is not. From any thread.

    There is one for every request, and few have a listener: so they share a lock, and begin without a list.
    """

    _lock = threading.RLock()  # the garbage collector may end another request while this thread holds it
    _listeners: tuple[Callable[[], object], ...] = ()
    cancelled = False
    """Whether the response is not wanted any more."""

    def cancel(self) -> None:
        """The response is not wanted any more."""
        with self._lock:
            self.cancelled = True
            listeners, self._listeners = self._listeners, ()
        for listener in listeners:
            listener()

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function once it is cancelled, at once if it is; gives a function that takes this back."""
        with self._lock:
            if not self.cancelled:
                self._listeners = (*self._listeners, listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)


def _enter_child() -> None:
    """A child of this process has none of the threads that may hold the lock."""
    Cancellation._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_enter_child)


class Channel(Protocol):
    """What links need of the connection that their client has; see connection."""

    running: "dict[bytes, RequestLink]"  # by id

    @property
    def revision(self) -> Revision:
        """What the client speaks."""
        ...

    @property
    def is_mute(self) -> bool:
        """Whether nothing can be sent but responses."""
        ...

    def send(self, message: bytes) -> None:
        """Send what is not a response."""

    def ask(self, method: str, params: Any, send: Callable[[bytes], None]) -> PendingRequest:
        """Send a request."""
        ...

    def withdraw(self, question: PendingRequest, send: Callable[[bytes], None]) -> None:
        """Take back a request that has no result yet."""


class RequestLink(Cancellation):
    """One running request, seen from its handler: what can be sent to its client, and what can be asked."""

    id = b""
    """What the request is known by as long as it runs."""
    batch: Sequence[Any] | None = None
    """The messages, where it is a whole batch."""
    whole: "RequestLink | None" = None
    """The link of the batch that it is part of."""
    listening: tuple[Listen, Exchange] | None = None
    """What keeps it open, where it listens."""
    connection: "Channel | None" = None

    def __init__(self, connection: "Channel | None") -> None:
        self.connection = connection

    @property
    def revision(self) -> Revision:
        """What its client speaks."""
        assert self.connection is not None
        return self.connection.revision

    def start(self, id: bytes) -> None:
        """The request begins: it is known by its id until it ends; raises InvalidRequest where another one has it."""
        self.id = normalize_id(id)
        if self.connection is not None and self.connection.running.setdefault(self.id, self) is not self:
            raise InvalidRequest("a request with this id is still running")

    def finish(self) -> bool:
        """The request ends; says whether its response is wanted. A function that was given up learns it here."""
        is_wanted = not self.cancelled
        if self.connection is not None:
            self.connection.running.pop(self.id, None)
        self.cancel()
        return is_wanted

    def for_part(self) -> "RequestLink":
        """The link of one request of this batch, cancelled with it."""
        part = _Part(self)
        self.on_cancel(part.cancel)
        return part

    def refuse(self, error: ProtocolError) -> bytes | None:
        """The response with an error: to the request, or to each request of the batch."""
        if self.batch is None:
            return error_response(error, self.revision, self.id)
        failures = [error_response(error, self.revision, id) for id in jsonrpc.request_ids_of(self.batch)]
        return b"[" + b",".join(failures) + b"]" if failures else None

    def give_up(self, error: ProtocolError) -> None:
        """Cancel it; where the response has a stream of its own, that ends with an error."""
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
        """End the stream of the response, where there is one that can be resumed."""

    # Asking ---------------------------------------------------------------------------------------

    @property
    def obstacle(self) -> str | None:
        """Why the client cannot be asked, if so."""
        assert self.connection is not None
        return "this connection cannot carry questions" if self.connection.is_mute else None

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""
        with self._open_question(method, params) as question:
            return question.wait(question.seconds)

    async def ask_async(self, method: str, params: Any) -> Any:
        """Send a request and await its result; raises PeerError."""
        from .run_async import await_request  # an event loop is loaded already where this is awaited

        with self._open_question(method, params) as question:
            return await await_request(question)

    @contextmanager
    def _open_question(self, method: str, params: Any) -> Generator[PendingRequest, None, None]:
        if self.obstacle is not None:
            raise PeerError(self.obstacle)
        assert self.connection is not None
        question = self.connection.ask(method, params, self.send)
        forget = self.on_cancel(partial(question.resolve, problem="the request was cancelled"))
        try:
            yield question
        finally:
            forget()
            self.connection.withdraw(question, self.send)


class _Part(RequestLink):
    """The link of one request of a batch: it sends and asks by the link of the batch."""

    def __init__(self, whole: RequestLink) -> None:
        super().__init__(whole.connection)
        self.whole: RequestLink = whole

    @property
    def revision(self) -> Revision:
        """What the client speaks."""
        return self.whole.revision

    @property
    def obstacle(self) -> str | None:
        """Why the client cannot be asked, if so."""
        return self.whole.obstacle

    def send(self, message: bytes) -> None:
        """Send a message on the way of the batch."""
        self.whole.send(message)

    def close_stream(self) -> None:
        """End the stream of the batch."""
        self.whole.close_stream()


def normalize_id(id: bytes) -> bytes:
    """An id in one spelling: JSON has several for one text."""
    if b"\\" not in id:
        return id
    with suppress(msgspec.MsgspecError, UnicodeError):
        return msgspec.json.encode(msgspec.json.decode(id))
    return id
