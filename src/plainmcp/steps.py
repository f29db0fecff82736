"""What the core asks of whoever drives it. Plain data: running, sending and waiting happen at the edges."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Link", "PeerError", "Run", "Stay"]


@dataclass(frozen=True, slots=True)
class Run:
    """Run a function of the user's, and come back with its value or its exception."""

    function: Callable[..., Any]
    kwargs: dict[str, Any]
    is_async: bool = False
    inline: bool = False  # run it in the event loop, not in a thread
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Stay:
    """Keep the answer open: send `first`, then whatever is published, until the peer or the server ends it."""

    first: bytes
    subscription: Any


class Link(Protocol):
    """The way back to one peer while one of its requests is being answered."""

    def notify(self, message: bytes) -> None:
        """Send a notification, or drop it where nothing can be sent before the answer."""

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""

    def ask_async(self, method: str, params: Any) -> Awaitable[Any]:
        """The same, to be awaited."""

    @property
    def cancelled(self) -> bool:
        """Whether the peer no longer wants the answer."""
        ...


class PeerError(Exception):
    """The peer answered a question with an error, or not at all."""
