"""One session in the memory of this process: its connection, and the streams that its client can resume.

Knows connections and streams, but does no I/O.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, final

from ....errors import InternalError
from ....limits.shares import OwnShare, Share, caller_of
from ....protocol.core import Core
from ...connection import Connection
from ...link import RequestLink
from ..response import Response
from ..settings import Settings
from ..stream import Stream
from .kept_streams import KeptStreams, ReplayBudget
from .session_ids import make_session_id

__all__ = ["SESSION_ENDED", "HttpSession", "Parts", "SessionShares", "add_standing", "make_parts"]

MAX_OPEN_STREAMS = 8
"""How many streams one session may have open for later messages."""
SESSION_ENDED = InternalError("the session ended before this request was answered")
"""The error for a request that still runs when its session ends."""


class SessionShares(NamedTuple):
    """What the sessions of one endpoint share."""

    budget: ReplayBudget
    questions: Share
    unread: Share
    remove: Callable[[Any], None]
    """Removes a session where it is kept, and closes it."""


class Parts(NamedTuple):
    """What each session is made of, whether or not other processes serve it, too."""

    caller: Any
    """The key of its client in the shares of callers."""
    owner: Any
    """Whose share of the sessions it uses."""
    connection: Connection
    streams: KeptStreams


def make_parts(
    core: Core,
    settings: Settings,
    shares: SessionShares,
    principal: Any,
    address: str | None,
    id: bytes,
    send: Callable[[bytes], None],
) -> Parts:
    """The parts of a session; `send` gets the messages that belong to no request."""
    caller = caller_of(principal, id, address)
    connection = Connection(
        core,
        send,
        principal=principal,
        ask_seconds=settings.ask_seconds,
        transport="tcp",
        questions=OwnShare(shares.questions, caller),
    )
    unread = OwnShare(shares.unread, caller)
    streams = KeptStreams(settings, core.now, shares.budget, unread, connection.session)
    return Parts(caller, caller_of(principal, None, address), connection, streams)


def add_standing(standing: list[Stream], stream: Stream) -> list[Stream]:
    """Add a stream that stays open; returns the oldest ones, which are removed if there are too many."""
    standing.append(stream)
    surplus = standing[:-MAX_OPEN_STREAMS]
    del standing[:-MAX_OPEN_STREAMS]
    return surplus


@final
class HttpSession:
    """One session: its connection, and the streams that the client may still read."""

    __slots__ = (
        "_lock",
        "_shares",
        "caller",
        "can_resume",
        "closed",
        "connection",
        "created",
        "id",
        "is_used",
        "owner",
        "principal",
        "standing",
        "streams",
        "used",
    )  # fmt: skip
    why_not_ask = None
    is_reopenable = False  # what is closed here is gone

    def __init__(
        self,
        core: Core,
        settings: Settings,
        principal: Any,
        now: float,
        shares: SessionShares,
        address: str | None = None,
    ) -> None:
        self.id = make_session_id(now)
        self.principal = principal
        parts = make_parts(core, settings, shares, principal, address, self.id, self.send)
        self.caller, self.owner, self.connection, self.streams = parts
        self.connection.session.id = self.id.decode()
        self.created = self.used = now
        self.is_used = False  # no message came after its handshake
        self.closed = False
        self.can_resume = settings.max_standing > 0  # by a GET, which stays open
        self.standing: list[Stream] = []
        self._lock = self.streams.lock  # for the streams above: one is enough
        self._shares = shares

    def note_use(self, now: float) -> None:
        """Note that the client uses the session."""
        self.used, self.is_used = now, True

    # Streams --------------------------------------------------------------------------------------

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept."""
        return self.streams.find(event_id)

    def open_stream(self, event_id: str = "") -> tuple[Stream, int]:
        """A new stream for messages that belong to no request, and the event after which it is read."""
        stream = self.streams.open()
        self.streams.keep(stream)
        with self._lock:
            surplus = add_standing(self.standing, stream)
        for one in surplus:
            one.finish()
        return stream, 0

    def leave_stream(self, stream: Stream) -> None:
        """Note that the client does not read an open stream any more; it can come back to it."""

    def send(self, message: bytes) -> None:
        """Send a message that belongs to no request on one stream only: the newest with a reader (R2511-HTTP-22).

        If no stream has a reader, the newest one keeps the message.
        """
        with self._lock:
            standing = list(self.standing)
        read = [stream for stream in standing if stream.reader is not None]
        for stream in (read or standing)[-1:]:
            stream.put(message)

    # Its end --------------------------------------------------------------------------------------

    def open_values(self, has_ended: bool) -> None:
        """What handlers keep is in this process."""

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a client reads a stream."""
        return self.connection.busy or self.streams.are_read

    def end(self, link: RequestLink) -> Response:
        """The response to DELETE, which ends the session (R2511-SESS-04)."""
        self._shares.remove(self)
        return Response(204)

    def close(self) -> None:
        """End the session and its streams, once; requests that still run are answered with an error."""
        with self._lock:
            was_closed, self.closed = self.closed, True
        if was_closed:
            return
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        self.streams.close()
