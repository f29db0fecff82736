"""One request and who sent it: what is known before a method runs. Plain data; it sends and asks nothing itself.

`Caller` is what a transport knows of the sender, `Link` is the way back to that sender while one of its requests is
being answered, and `Request` is one request with both.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from msgspec import Raw, Struct

from ..revisions import LATEST_HANDSHAKE, Revision
from ..wire.jsonrpc import Envelope, Meta, Params
from .session import Session

__all__ = ["Caller", "Cancelled", "Link", "PeerError", "Receiver", "Request"]


class PeerError(Exception):
    """The client answered a question with an error, or not at all."""


class Cancelled(BaseException):
    """Ends a request whose response is not wanted; not an Exception, so that handlers and methods let it pass."""


class Link(Protocol):
    """The way back to one client while one of its requests is being answered."""

    cancelled: bool
    """Whether the response is not wanted any more."""
    batch: Sequence[Any] | None
    """The messages, where it is the link of a whole batch."""

    def start(self, id: bytes) -> None:
        """The request begins; raises InvalidRequest where another one with this id still runs."""

    def finish(self) -> bool:
        """The request ends; says whether its response is wanted."""
        ...

    def for_part(self) -> "Link":
        """The link of one request of a batch, whose own link this is."""
        ...

    def notify(self, message: bytes) -> None:
        """Send a notification, or drop it where nothing can be sent before the response."""

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""

    def ask_async(self, method: str, params: Any) -> Awaitable[Any]:
        """Send a request; gives what awaits its result and raises PeerError."""
        ...

    def close_stream(self) -> None:
        """End the stream that would carry the response, where the client can fetch the response later."""

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function, from any thread, once the request is cancelled; gives a function that takes this back."""
        ...


class Receiver(Protocol):
    """What takes messages that get no response: notifications, and responses to our own requests."""

    def take(self, envelope: Envelope) -> None:
        """Take one such message."""


class Caller(Struct):
    """Who sent a message, as far as its transport knows. A message that says more about itself is believed."""

    session: Session | None = None  # what a handshake settled; None for a message that stands alone
    principal: Any = None  # who the transport found the caller to be
    revision: Revision | None = None  # what is spoken where neither the message nor the session says so
    link: Link | None = None
    receiver: Receiver | None = None

    @property
    def assumed_revision(self) -> Revision:
        """What is spoken as long as a message has not said so itself."""
        return self.revision or (self.session and self.session.revision) or LATEST_HANDSHAKE

    def for_part(self) -> "Caller":
        """The caller of one message of a batch."""
        link = None if self.link is None else self.link.for_part()
        return Caller(self.session, self.principal, self.revision, link, self.receiver)


class Request(Struct):
    """One request, and what is known of its sender."""

    id: Raw
    method: str
    params: Params
    meta: Meta | None
    revision: Revision
    session: Session | None = None
    link: Link | None = None
    principal: Any = None

    # A session knows what a handshake settled; without one each request speaks for itself (BASE-18).

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client can do."""
        if self.revision.handshake:
            return self.session.capabilities if self.session else {}
        return _object(self.meta.capabilities if self.meta else None)

    @property
    def client(self) -> dict[str, Any]:
        """What the client calls itself."""
        if self.revision.handshake:
            return self.session.client if self.session else {}
        return _object(self.meta.client if self.meta else None)

    @property
    def log_level(self) -> str | None:
        """From which level on the client wants log messages; None for not at all."""
        if self.revision.handshake:
            return self.session.log_level if self.session else None
        return self.meta.log_level if self.meta and isinstance(self.meta.log_level, str) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
