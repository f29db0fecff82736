"""One request and its sender, as plain data: everything that is known before a method runs.

`Caller` holds the facts that a transport knows about the sender. `Link` is the way back to the sender while one of
its requests is being answered. `Request` is one request with both.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from msgspec import Raw, Struct

from ..revisions import LATEST_HANDSHAKE, Revision
from ..wire.jsonrpc import Envelope, Meta, Params
from .session import Session

__all__ = ["Caller", "Cancelled", "CannotAsk", "Link", "PeerError", "Receiver", "Request", "RequestHeaders"]


class PeerError(Exception):
    """The client answered a question with an error, which has a code, or did not answer."""

    def __init__(self, text: str, code: int | None = None, data: Any = None) -> None:
        super().__init__(text)
        self.code = code
        self.data = data


class CannotAsk(PeerError):
    """The client cannot be asked, with the reason."""


class Cancelled(BaseException):
    """Ends a cancelled request. It is not an Exception, so that handlers and methods do not catch it."""


class Link(Protocol):
    """The way back to one client while one of its requests is being answered."""

    cancelled: bool
    """Whether the request was cancelled."""
    batch: Sequence[Any] | None
    """The messages of the batch, if this is the link of a whole batch."""

    @property
    def why_no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        ...

    @property
    def transport(self) -> str | None:
        """How messages come: "pipe" or "tcp"; None if the program passes them itself."""
        ...

    @property
    def session_state(self) -> dict[str, Any] | None:
        """What handlers keep in the session, as this request sees it; None if no other process shares that."""
        ...

    def start(self, id: bytes) -> None:
        """Register the request under its id; raises InvalidRequest if another request with this id still runs."""

    def finish(self) -> bool:
        """Mark the request as ended; returns whether its response is to be sent."""
        ...

    def for_part(self) -> "Link":
        """The link of one request of a batch, derived from this link of the whole batch."""
        ...

    def notify(self, message: bytes) -> None:
        """Send a notification, or drop it if nothing can be sent before the response."""

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""

    def ask_async(self, method: str, params: Any) -> Awaitable[Any]:
        """Send a request; returns an awaitable of its result, which raises PeerError."""
        ...

    def close_stream(self) -> None:
        """End the stream of the response early, if the client can fetch the response later."""

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function, from any thread, when the request is cancelled; returns a function that removes it."""
        ...


class RequestHeaders(Protocol):
    """The headers of an HTTP request."""

    address: str | None
    """The address of the client, if it is known."""

    @property
    def network(self) -> str | None:
        """What its address is counted by: many addresses may be one client's."""
        ...

    scope: Any
    """What else is known of the request: a mapping with the keys of an ASGI scope; None if there is nothing."""

    def as_dict(self) -> dict[str, str]:
        """The values by lowercase name."""
        ...


class Receiver(Protocol):
    """The receiver of messages that get no response: notifications, and responses to our own requests."""

    def take(self, envelope: Envelope) -> None:
        """Receive one such message."""


class Caller(Struct):
    """The sender of a message, as far as its transport knows it. What the message itself states takes precedence."""

    session: Session | None = None  # the result of a handshake; None for a message without one
    principal: Any = None  # the caller, if the transport authenticates callers
    revision: Revision | None = None  # used if neither the message nor the session names one
    link: Link | None = None
    receiver: Receiver | None = None
    headers: RequestHeaders | None = None  # of the HTTP request

    @property
    def assumed_revision(self) -> Revision:
        """The revision of a message that does not name one."""
        return self.revision or (self.session and self.session.revision) or LATEST_HANDSHAKE

    def for_part(self) -> "Caller":
        """The caller of one message of a batch."""
        link = None if self.link is None else self.link.for_part()
        return Caller(self.session, self.principal, self.revision, link, self.receiver, self.headers)


class Request(Struct):
    """One request, and the facts about its sender."""

    id: Raw
    method: str
    params: Params
    meta: Meta | None
    revision: Revision
    session: Session | None = None
    link: Link | None = None
    principal: Any = None
    headers: RequestHeaders | None = None
    state: dict[str, Any] = {}  # for middleware, dependencies and the handler; msgspec makes a new one each time

    @property
    def why_no_changes(self) -> str | None:
        """Why the client cannot be notified of changes; None if it can."""
        reason = None if self.session is None else self.session.why_unreachable
        return reason or (None if self.link is None else self.link.why_no_changes)

    @property
    def header_values(self) -> dict[str, str]:
        """The HTTP headers by lowercase name; empty on other transports."""
        return {} if self.headers is None else self.headers.as_dict()

    # With a handshake the session has these facts; without one each request has them in its _meta (BASE-18).

    @property
    def capabilities(self) -> dict[str, Any]:
        """The capabilities of the client."""
        if self.revision.handshake:
            return self.session.capabilities if self.session else {}
        return _to_object(self.meta.capabilities if self.meta else None)

    @property
    def client(self) -> dict[str, Any]:
        """The clientInfo of the client."""
        if self.revision.handshake:
            return self.session.client if self.session else {}
        return _to_object(self.meta.client if self.meta else None)

    @property
    def log_level(self) -> str | None:
        """The lowest level of log messages that the client wants; None if it wants none."""
        if self.revision.handshake:
            return self.session.log_level if self.session else None
        return self.meta.log_level if self.meta and isinstance(self.meta.log_level, str) else None


def _to_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
