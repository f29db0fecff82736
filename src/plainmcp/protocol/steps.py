"""What the core asks of whoever drives it. Plain data: running, sending and waiting happen at the edges."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from msgspec import Struct

__all__ = ["FAILURES", "Cancelled", "Link", "PeerError", "Run", "RunAndMake", "Stay"]


FAILURES = (Exception, SystemExit, KeyboardInterrupt)
"""What fails no more than the request it happens in, wherever the user's code has a say: also to try and exit.

Whoever catches these lets a Ctrl-C pass on: see interrupts.
"""


class Run(Struct, frozen=True):
    """Run a function of the user's, and come back with its value or its exception."""

    feature: Any  # the Feature whose function it is, which also says how it is run
    kwargs: dict[str, Any]
    link: Any  # the Link of the request it belongs to, if any

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        function: Callable[..., Any] = self.feature.function
        return function

    def finish(self, value: Any) -> Any:
        """What is brought back for the function's value; a plain function's is worked out in the thread it ran in."""
        return value


class RunAndMake(Run, frozen=True):
    """The same, and come back with what is made of the value: a large one must not hold up an event loop."""

    make: Callable[[Any], Any]

    def finish(self, value: Any) -> Any:
        """What is made of the value."""
        return self.make(value)


class Stay(Struct, frozen=True):
    """Keep the answer open: send `first`, then whatever is published, until the peer or the server ends it."""

    first: bytes
    subscription: Any
    link: Any  # as above


class Link(Protocol):
    """The way back to one peer while one of its requests is being answered."""

    def notify(self, message: bytes) -> None:
        """Send a notification, or drop it where nothing can be sent before the answer."""

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises PeerError."""

    def ask_async(self, method: str, params: Any) -> Awaitable[Any]:
        """The same, to be awaited."""
        ...

    cancelled: bool
    """Whether nobody waits for the answer any more."""

    def over(self) -> bool:
        """The request is at its end; says whether its answer is wanted."""
        ...

    def close_stream(self) -> None:
        """End the stream the answer would come on, where the client can fetch the answer later."""

    def on_cancel(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call a function, from any thread, once that is so, at once if it is; gives what takes the wish back."""
        ...


class PeerError(Exception):
    """The peer answered a question with an error, or not at all."""


class Cancelled(BaseException):
    """Ends a request whose answer nobody wants; not an Exception, so that handlers and methods let it pass."""
