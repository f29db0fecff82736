"""A response under way over HTTP: what is sent before it, and the exchange that ends in it.

It is the link of its request, too. Who opens one is the endpoint's, who moves its bytes is the transport's.
"""

from collections.abc import Callable

from ...errors import ProtocolError
from ...protocol.exchange import Exchange, Run
from ...revisions import Revision
from ..link import RequestLink
from . import rules
from .rules import JSON, RequestProfile, Response, json_response
from .session_store import HttpSession
from .stream import Stream

__all__ = ["PendingResponse", "response_for"]


class PendingResponse(RequestLink):
    """A response under way. Its stream is made when there is something to send before the response."""

    exchange: Exchange | None = None
    """What ends in the response; None on a GET."""
    standing = False
    """Whether it is for messages to come, and ends in no response."""
    after = 0
    """The last event that the client has seen."""
    is_listening = False
    unsubscribe: Callable[[], None] | None = None
    """Ends its notifications of changes."""
    _stream: Stream | None = None

    def __init__(
        self, profile: RequestProfile, revision: Revision, session: HttpSession | None = None, id: bytes = b""
    ) -> None:
        self.profile = profile  # what the client takes
        self.session = session
        self.id = id
        self._revision = revision
        if session is not None:
            self.connection = session.connection

    @property
    def revision(self) -> Revision:
        """What its client speaks."""
        return self._revision

    @property
    def modern(self) -> bool:
        """Whether a disconnect is a cancel."""
        return not self._revision.handshake

    @property
    def stream(self) -> Stream:
        """What is sent, event by event."""
        if self._stream is None:
            self._stream = Stream() if self.session is None else self.session.make_stream()
        return self._stream

    def stand(self, stream: Stream, after: int) -> None:
        """Stay open for messages to come, on a stream that is there already."""
        self.standing, self._stream, self.after = True, stream, after

    @property
    def has_stream(self) -> bool:
        """Whether there was a need for a stream."""
        return self._stream is not None

    @property
    def speaks(self) -> bool:
        """Whether something is to be sent before the response."""
        return self._stream is not None and self._stream.speaks

    @property
    def can_speak(self) -> bool:
        """Whether something may be sent before the response: the function that runs is given a Context."""
        step = None if self.exchange is None else self.exchange.step
        return self.batch is not None or not isinstance(step, Run) or step.feature.context is not None

    @property
    def is_alone(self) -> bool:
        """Whether there is only a response, and it can be JSON."""
        return self.stream.unopened and (self.profile.json or self.stream.answer is None)

    # As the link of its request -------------------------------------------------------------------

    @property
    def obstacle(self) -> str | None:
        """Why the client cannot be asked, if so."""
        if self.session is None:
            return "without a session there is nowhere to answer"
        return None if self.profile.events else "the client takes no event stream, so it cannot be asked"

    def send(self, message: bytes) -> None:
        """Send a message before the response, where the response may be a stream."""
        if self.profile.events:
            self.stream.put(message)

    def close_stream(self) -> None:
        """End the stream early, where the client can come back for the rest."""
        if self.session is not None and self.profile.events:
            self.stream.drop()

    def give_up(self, error: ProtocolError) -> None:
        """Respond with an error, unless there is a response, and cancel what still runs for it. From any thread."""
        self.stream.finish(self.refuse(error))
        self.cancel()


def response_for(message: bytes | None, modern: bool) -> Response:
    """A JSON-RPC response alone, with its status."""
    if type(message) is bytes:
        return Response(200, message, JSON)
    return json_response(200 if message is None else rules.status_of(message, modern), message)
