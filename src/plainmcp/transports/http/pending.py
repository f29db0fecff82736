"""A response that is not ready yet: what may be sent before it, and how it ends. Does no I/O.

A pending response is in one phase, and leaves it by one of these ways:

    RUNNING ──── its exchange has a response ──────────────────────── ended
       └──────── its exchange listens for changes ── LISTENING ────── ended, by the server or with its token
    STANDING ─── a GET: no response will come ─────────────────────── ended, when its stream has

- It begins as RUNNING or as STANDING, and only RUNNING becomes LISTENING.
- "Ended" is a fact of its stream (`stream.finished`), because a stream may end before the function does: when the
  server gives up, or the session ends.
- `is_left` is apart from that: the client has disconnected, or has everything. A response of a handshake revision
  goes on then, and its client can fetch the rest; one of 2026-07-28 is cancelled (R26-HTTP-15).

These combinations are legal, and no others:

    phase       session   opened_stream   listening, unsubscribe   expires    counted, when the transport waits
    RUNNING     any       any             None                     None       among the running requests
    LISTENING   None      yes             both                     any        among the streams that stay open
    STANDING    yes       yes             None                     any        among the streams that stay open

- `listening` and `unsubscribe` are set together with the phase, under a lock, and stay there after the end.
- A response that becomes LISTENING after it has waited counts among both until its functions have ended.
- `exchange` is there until the transport takes it, and None from then on and for a GET.
- A stream exists only where something was sent before the response, or is to be read later. Without one, a response
  is sent in one piece.

What is late has no effect: a message after the end of the stream is dropped, a second end keeps the first, and a
response for a client that has left stays in the stream, if that is kept.

The threads that touch it: the one that receives the request, those of its functions, which send messages and end it,
and the one that sends to the client. What more than one of them sets is set under a lock, or once.
"""

from collections.abc import Callable, Hashable
from enum import Enum
from functools import cached_property
from typing import Any, Protocol

from ...errors import ProtocolError
from ...limits.shares import OwnShare, Share, caller_of
from ...protocol.exchange import Exchange
from ...protocol.request import RequestHeaders
from ...revisions import Revision
from ...wire.jsonrpc import Failure
from ..connection import Connection
from ..link import RequestLink
from ..threads import Job, OwnThreads, Threads
from .checks import HeaderFacts
from .refusals import status_of
from .response import EVENT_STREAM, JSON, Response, json_response
from .sessions.kept_streams import KeptStreams
from .stream import Stream

__all__ = ["KeptSession", "PendingResponse", "Phase"]


class Phase(Enum):
    """What a pending response waits for: see above."""

    RUNNING = "running"
    LISTENING = "listening"
    STANDING = "standing"


class KeptSession(Protocol):
    """A session that this process has: its connection, and the streams that its client may read again."""

    @property
    def standing(self) -> list[Stream]:
        """Its streams that stay open for later messages."""
        ...

    @property
    def streams(self) -> KeptStreams:
        """Its streams that can be resumed."""
        ...

    @property
    def caller(self) -> Hashable:
        """The key of its client in the shares of callers."""
        ...

    def open_values(self, has_ended: bool) -> dict[str, Any] | None:
        """What handlers keep in it, for one request, which may have ended; None if no other process shares that."""
        ...

    @property
    def connection(self) -> Connection:
        """Its requests, questions and facts."""
        ...

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        ...

    @property
    def why_not_ask(self) -> str | None:
        """The reason why its client cannot be asked at the moment."""
        ...

    @property
    def can_resume(self) -> bool:
        """Whether its client can continue a stream."""
        ...

    def leave_stream(self, stream: Stream) -> None:
        """Note that the client does not read an open stream any more."""

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept."""
        ...

    def open_stream(self, event_id: str) -> tuple[Stream, int] | Response:
        """A stream that stays open, and the event after which it is read; or a response that refuses it."""
        ...

    def end(self, link: RequestLink) -> Any:
        """The response to DELETE, which ends the session, or a detour to it: see sessions/interface."""
        ...


class PendingResponse(RequestLink):
    """A response that is not ready yet, as the link of its request and as the executor of its functions."""

    exchange: Exchange | None = None
    """The exchange that ends in the response, until the transport takes it; None for a GET.

    It refers to this response, its link. So the transport takes it out of here before it runs it: then the memory of
    both is free as soon as the request ends, and the garbage collector has nothing to do.
    """
    phase = Phase.RUNNING
    """What it waits for."""
    threads: Threads
    """Run its plain functions."""
    unread: Share
    """Counts the bytes that wait for readers."""
    principal: Any = None
    """Who sent the request, if the transport knows it."""
    headers: RequestHeaders | None = None
    """The headers of the request."""
    opened_stream: Stream | None = None
    """Its stream, if one was needed so far."""
    after = 0
    """The number of the last event that the client has received."""
    expires: float | None = None
    """When the token of its caller expires, if it stays open; None if that is not known."""
    unsubscribe: Callable[[], None] | None = None
    """Removes its listener for changes."""
    can_speak = True
    """Whether messages may be sent before the response, because the function has a Context."""
    is_left = False
    """Whether the client has disconnected, or has everything."""
    respond_with: Callable[[bytes | None], Response] | None = None
    """Makes the HTTP response of a JSON-RPC response, or of none, if its status is not the usual one."""
    kept_values: Any = None
    """What handlers keep in its session, if other processes share that, once a function has asked for it."""
    why_unreachable = "without a session there is nowhere to answer"
    """Why a client without a session here cannot be asked."""

    def __init__(
        self, facts: HeaderFacts, revision: Revision, session: KeptSession | None = None, id: bytes = b""
    ) -> None:
        self.facts = facts  # what the client accepts
        self.session = session
        self.id = id
        self.modern = not revision.handshake  # then a disconnect cancels the request
        self._revision = revision
        if session is not None:
            self.connection, self.caller = session.connection, session.caller

    @property
    def revision(self) -> Revision:
        """The revision of the request."""
        return self._revision

    @property
    def transport(self) -> str | None:
        """How the request came."""
        return "tcp"

    @property
    def why_no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        return self.facts.why_no_changes

    @cached_property
    def caller(self) -> Hashable:
        """The key of its sender in the shares of callers."""
        return caller_of(self.principal, None, None if self.headers is None else self.headers.address)

    # Its stream and its response ------------------------------------------------------------------

    @property
    def stream(self) -> Stream:
        """The stream of events, created when it is first needed."""
        if self.opened_stream is None:
            session = self.session
            new = Stream(share=self._unread_share) if session is None else session.streams.open(self.id)
            with self._lock:  # the function may send from another thread, while the transport starts to read
                self.opened_stream = self.opened_stream or new
        return self.opened_stream

    def _unread_share(self) -> OwnShare:
        return OwnShare(self.unread, self.caller)

    def stand(self, stream: Stream, after: int) -> None:
        """Stay open for later messages, on a stream that exists already."""
        self.phase, self.opened_stream, self.after = Phase.STANDING, stream, after

    @property
    def is_alone(self) -> bool:
        """Whether only the response was put into the stream, and can be sent as JSON."""
        return self.stream.unopened and (self.facts.json or self.stream.answer is None)

    def respond(self, response: bytes | None) -> Response:
        """The HTTP response of an exchange that has ended, in one piece with what was sent before its response."""
        if self.facts.json and self.opened_stream is None:
            return self.to_response(response)
        stream = self.stream
        events = stream.finish_at_once(response, is_json=self.facts.json)
        if events is None:
            return self.to_response(stream.answer)
        self.keep_stream()
        return Response(200, events, EVENT_STREAM)

    def keep_stream(self) -> None:
        """Keep its stream, so that it can be resumed; one that stays open is kept, or not, since it was opened."""
        if self.session is not None and self.phase is not Phase.STANDING:
            self.session.streams.keep(self.stream)

    def to_response(self, message: bytes | None) -> Response:
        """The HTTP response with one JSON-RPC response, or without one."""
        if type(message) is bytes:
            return Response(200, message, JSON)
        if isinstance(message, Failure) and message.cause is not None:
            return self.facts.challenges.refuse_scopes(message.cause, message)
        if self.respond_with is not None:
            return self.respond_with(message)
        return json_response(200 if message is None else status_of(message, self.modern), message)

    # As the executor of its functions -------------------------------------------------------------

    @property
    def files(self) -> OwnThreads:
        """The threads that read files, within the share of its caller."""
        return OwnThreads(self.threads.files, self.caller)

    def submit(self, work: Callable[[], object]) -> Job:
        """Run a function in a thread, within the share of its caller."""
        return self.threads.submit(work, self.caller)

    # As the link of its request -------------------------------------------------------------------

    @property
    def session_state(self) -> dict[str, Any] | None:
        """What handlers keep in its session, as its functions see it; None if no other process shares that."""
        if self.kept_values is None and self.session is not None:
            values = self.session.open_values(self.cancelled)
            with self._lock:  # another thread of the function may be here, too
                if self.kept_values is None:
                    self.kept_values = values
        return self.kept_values  # type: ignore[no-any-return]

    @property
    def why_not_ask(self) -> str | None:
        """The reason why the client cannot be asked a question; None if it can."""
        if self.session is None:
            return self.why_unreachable
        if not self.facts.events:
            return "it takes no event stream"
        return self.session.why_not_ask

    def send(self, message: bytes) -> None:
        """Send a message before the response, if the client accepts a stream."""
        if self.facts.events:
            self.stream.put(message)

    def close_stream(self) -> None:
        """End the stream early, if the client can reconnect for the rest."""
        if self.session is not None and self.session.can_resume and self.facts.events:
            self.stream.drop()

    def give_up(self, error: ProtocolError) -> None:
        """Respond with an error, unless there is a response already, and cancel the request. From any thread."""
        self.stream.finish(self.refuse(error))
        self.cancel()
