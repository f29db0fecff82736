"""The responses that are open: those whose functions run, and streams that stay open for later messages.

Counts them within the limits, and ends them: when their client leaves, when a token expires, when the server drains
or gives up. Knows no sessions. Does no I/O: ASGI and WSGI send what the streams have.

What may be assumed:

- Each method may be called from any thread: that of the request, those of its functions, that of the server's end.
- The transport counts a response with `add_running` before it waits for its functions. It calls `finish` or
  `remove_running` when these have ended, and `leave` when it sends no more, in either order.

What is guaranteed:

- A response is counted once, under the lock, and its share is given back once, whichever comes first: its end, the
  end of its client, `drain` or `give_up`. So counting it down twice has no effect.
- A request whose client has left still counts while its function runs: what it uses is used until then.
- After `drain` no stream may stay open. One that was admitted before, and is counted while `drain` runs, is ended by
  `drain` or by the one who counts it: `draining` is set first and read last. Running requests go on until `give_up`.
- A listener for changes is removed before its stream ends, and no change is sent before the acknowledgement
  (R26-SUB-03): both happen under the lock `first`.

What happens when it is late:

- A client leaves while its function runs: on 2026-07-28 the request is cancelled. On the handshake revisions the work
  goes on, and its stream is kept for the client to continue. The share is given back when the function ends.
- The response comes after its stream has ended, because the server gave up: the stream has its end already, and keeps
  that one.
- A limit is checked before a response is counted, and not under one lock with it. Requests that arrive together may
  go over a limit by as many as there are threads that receive them.
"""

import threading
from collections.abc import Hashable
from functools import partial

from ...errors import InternalError, InvalidRequest, ProtocolError
from ...limits.shares import Limit, share_of
from ...protocol.core import Core
from ...protocol.exchange import FAILURES, Exchange, Listen
from ...protocol.interrupts import raise_interrupt
from ...protocol.request import Cancelled
from ..shutdown import SHUTTING_DOWN
from ..threads import threads_of
from .pending import PendingResponse, Phase
from .refusals import over_limit
from .response import json_response
from .settings import Settings
from .stream import Reader, Stream

__all__ = ["NO_STREAMS", "OpenResponses"]

NO_STREAMS = "no stream stays open for later messages (max_standing=0)"
"""Why clients cannot be notified of changes if GET is not served."""
ENDING = Limit("the server is shutting down", False)
"""Why no stream may stay open at the end."""


class OpenResponses:
    """The open responses of one endpoint."""

    def __init__(self, core: Core, settings: Settings) -> None:
        self.core, self.settings = core, settings
        self.threads = threads_of(core)
        self.unread = share_of(settings, "max_unread", "bytes", "unread")
        """Counts the bytes that wait for readers."""
        self.draining = False  # no new stream may stay open
        self._lock = threading.Lock()  # for the attributes below
        self._standing: set[PendingResponse] = set()  # streams that stay open for later messages
        self.running: set[PendingResponse] = set()
        self._running_share = share_of(settings, "max_running", "requests", "running")
        self._standing_share = share_of(settings, "max_standing", "streams", "open")

    # Limits ---------------------------------------------------------------------------------------

    def find_limit(self, caller: Hashable) -> Limit | None:
        """The limit that one more request of a caller is over."""
        return self._running_share.find_limit(caller) or self.unread.find_limit(caller)

    def find_stream_limit(self, caller: Hashable) -> Limit | None:
        """The reason why no stream of a caller may stay open now; None if one may."""
        return ENDING if self.draining else self._standing_share.find_limit(caller)

    def may_replace(self, stream: Stream) -> bool:
        """Whether a client may read a stream that it has read before, whatever the limits are."""
        return not self.draining and self._count_readers(stream) <= 1

    def why_not_listen(self, pending: PendingResponse) -> ProtocolError | None:
        """The error for a listen request that cannot stay open; None if it can."""
        if not pending.facts.events:
            pending.respond_with = partial(json_response, 406)
            return InvalidRequest("subscriptions/listen is answered by text/event-stream")
        if not self.settings.max_standing:
            return InvalidRequest(f"subscriptions/listen is not served here: {NO_STREAMS}")
        limit = self.find_stream_limit(pending.caller)
        if limit is None:
            return None
        pending.respond_with = partial(over_limit, limit)
        return InternalError(limit.text)

    # Counting -------------------------------------------------------------------------------------

    def add_running(self, pending: PendingResponse) -> None:
        """Count a response among the running ones, until it is finished."""
        with self._lock:
            self.running.add(pending)
            self._running_share.add(pending.caller)

    def remove_running(self, pending: PendingResponse) -> None:
        """Do not count a response among the running ones any more."""
        with self._lock:
            if pending in self.running:
                self.running.remove(pending)
                self._running_share.remove(pending.caller)

    def add_standing(self, pending: PendingResponse) -> None:
        """Count a stream that stays open, until its client leaves or the server ends it."""
        pending.expires = _expiry_of(pending.principal)
        with self._lock:
            self._standing.add(pending)
            self._standing_share.add(pending.caller)
        if self.draining:
            self._end(pending)

    def _remove_standing(self, pending: PendingResponse) -> None:
        with self._lock:
            if pending in self._standing:
                self._standing.remove(pending)
                self._standing_share.remove(pending.caller)
        if pending.unsubscribe is not None:
            pending.unsubscribe()

    def _count_readers(self, stream: Stream) -> int:
        """How many responses were reading a stream, and have not ended: the last one, or others that do not read."""
        with self._lock:
            return sum(pending.opened_stream is stream for pending in self._standing)

    # The progress of a response -------------------------------------------------------------------

    def listen(self, pending: PendingResponse, step: Listen, exchange: Exchange) -> None:
        """Keep a response open for notifications of changes, until the client disconnects or the server ends it."""
        stream, first = pending.stream, threading.Lock()

        def publish(event: str, uri: str | None) -> None:
            if step.subscription.includes(event, uri):
                with first:
                    stream.put(step.subscription.message(event, uri))

        with first:  # no change is sent before the acknowledgement (R26-SUB-03), and none after it is lost
            pending.phase, pending.listening = Phase.LISTENING, (step, exchange)
            pending.unsubscribe = self.core.registry.listen(publish)
            stream.put(step.first)
        self.add_standing(pending)

    def finish(self, pending: PendingResponse, response: bytes | None) -> None:
        """Put the response into the stream, unless it listens for changes now."""
        if pending.phase is Phase.RUNNING:
            pending.stream.finish(response)
        if pending.phase is not Phase.RUNNING or pending.is_left:
            self.remove_running(pending)

    def leave(self, pending: PendingResponse) -> None:
        """Stop sending to a client that has disconnected or has everything.

        In the modern revisions a disconnect cancels the request (R26-HTTP-15).
        """
        pending.is_left = True
        self._remove_standing(pending)
        stream = pending.stream
        if stream.finished:  # until then the response still runs
            self.remove_running(pending)
        if pending.session is not None:
            if stream.speaks:
                pending.session.streams.tidy()
            if pending.phase is Phase.STANDING:
                pending.session.leave_stream(stream)
        if not pending.modern or stream.finished:
            return  # R2511-HTTP-14: the work goes on, and the client can fetch its messages later
        stream.finish()
        pending.cancel()
        if pending.listening is not None and pending.listening[1].step is not None:
            pending.listening[1].throw(Cancelled())

    def wait_seconds(self, pending: PendingResponse) -> float:
        """How long a stream may wait for its next message: until a comment is due, or until its token expires."""
        seconds = self.settings.keep_alive_seconds
        return seconds if pending.expires is None else max(0, min(seconds, pending.expires - self.core.now()))

    def end_if_expired(self, pending: PendingResponse, reader: Reader) -> None:
        """End a stream that stays open if the token of its caller has expired.

        A listen request gets its result (R26-SUB-05). Any other stream can be resumed with a new token.
        """
        if pending.expires is None or self.core.now() < pending.expires:
            return
        if pending.phase is Phase.LISTENING:
            _end_listening(pending)
        else:
            reader.leave()

    # The end of the server ------------------------------------------------------------------------

    def drain(self) -> None:
        """End the streams that stay open; listen requests get their result (R26-SUB-05). Running requests go on.

        A server that shuts down waits for its responses, and these streams would never end by themselves.
        """
        self.draining = True
        with self._lock:
            standing = list(self._standing)
        for pending in standing:
            self._end(pending)

    def _end(self, pending: PendingResponse) -> None:
        self._remove_standing(pending)
        if pending.phase is Phase.LISTENING:
            _end_listening(pending)
        elif pending.session is not None and pending.stream in pending.session.standing:
            pending.stream.finish()

    def give_up(self) -> int:
        """Answer the requests that still run with an error and cancel them; returns their number. From any thread."""
        with self._lock:
            running = list(self.running)
        for pending in running:
            pending.give_up(SHUTTING_DOWN)
        return len(running)


def _end_listening(pending: PendingResponse) -> None:
    if pending.listening is not None and not pending.stream.finished:
        exchange = pending.listening[1]
        exchange.send(None)
        pending.stream.finish(exchange.response)


def _expiry_of(principal: object) -> float | None:
    """When the token of a caller expires: its attribute `expires`, in seconds since 1970; None if it has none."""
    try:
        expires = getattr(principal, "expires", None)
        return float(expires) if isinstance(expires, (int, float)) else None
    except FAILURES as error:  # the class is the author's
        raise_interrupt(error)
        return None
