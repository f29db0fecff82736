"""Where sessions of the handshake revisions live: what the endpoint asks, whatever the answer is.

There are four answers: in the memory of this process, nowhere (stateless), in their ids (signed), and in several
processes that share a store. An endpoint gets one of them as an object.
"""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ....errors import ProtocolError
from ....limits.shares import Limit
from ....protocol.core import Core
from ....protocol.exchange import Exchange
from ....protocol.request import Caller
from ....protocol.session import Session
from ....wire.jsonrpc import Envelope
from ...connection import Connection
from ..checks import HeaderFacts
from ..headers import Headers
from ..pending import KeptSession, PendingResponse
from ..response import Response

__all__ = ["STARTED_BY_CORE", "Detour", "Dispatch", "Sender", "Sessions"]

Dispatch = Callable[[Core, Envelope, Caller], Exchange]
"""Starts to answer a message."""
STARTED_BY_CORE: Mapping[Any, Dispatch] = MappingProxyType({})
"""For sessions that need no saving: the core starts all messages."""


class Sender(NamedTuple):
    """Who sends a message of a handshake revision: the facts of the session, and what this process has of it."""

    session: Session
    connection: Connection | None = None
    kept: KeptSession | None = None


class Detour(NamedTuple):
    """Another way to a response: an exchange that counts for no limit of running requests, which may wait for it."""

    exchange: Exchange
    respond_with: Callable[[bytes | None], Response]
    """Makes the HTTP response of its JSON-RPC response, or of none."""


class Sessions(Protocol):
    """Where sessions live. What is None has nothing to do: a plain call asks no more than it has to."""

    @property
    def is_started(self) -> bool:
        """Whether `start` was called, or need not be: otherwise it is, before the first request."""
        ...

    @property
    def why_no_changes(self) -> str | None:
        """Why clients cannot be notified of changes; None if they can."""
        ...

    @property
    def why_no_get(self) -> str | None:
        """Why GET and DELETE are not served; None if they are."""
        ...

    @property
    def starts(self) -> Mapping[Any, Dispatch]:
        """How messages of some methods are started, whose session has to be saved after them; the core starts others.

        Their link is a pending response.
        """
        ...

    @property
    def wrap(self) -> Callable[[PendingResponse, Exchange], Exchange] | None:
        """Puts steps before or after the exchange of a whole request, where its session may have to be loaded."""
        ...

    @property
    def routed(self) -> Collection[Any]:
        """The methods of messages that may be for another process; UNSET stands for answers."""
        ...

    def route(self, sender: Sender, pending: PendingResponse, envelope: Envelope) -> Detour | Response | None:
        """The way of such a message to the process that waits for it, or its refusal; None if it is for this one."""
        ...

    @property
    def why_not_listen(self) -> Callable[[PendingResponse], ProtocolError | None] | None:
        """Finds the error for a listen request that cannot stay open now; None if each can."""
        ...

    def open(self, principal: Any, headers: Headers) -> Sender | Limit:
        """The sender of `initialize`, in a session before its handshake; or the limit that it is over."""
        ...

    def discard(self, sender: Sender) -> None:
        """Forget a session whose client does not get to know it."""

    def seal(self, sender: Sender, principal: Any) -> bytes | None:
        """The id of a session after its handshake; None if it has none. Raises ProtocolError."""
        ...

    def find(self, headers: Headers, facts: HeaderFacts, principal: Any) -> Sender | Response | None:
        """The sender of a message; None if it names an unknown session, or a response that refuses it.

        Raises ProtocolError.
        """
        ...

    def start(self) -> None:
        """Start what works in the background; it may wait."""

    def close(self) -> None:
        """End all sessions here."""
