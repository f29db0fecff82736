"""A message that is being answered: what has to be done next, or the response. Knows no transport and no method.

The core asks and a transport does: it runs the function that a `Run` names, or keeps a `Listen` open, and brings
back the value or the error.
"""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from ..errors import ProtocolError
from .features import Feature
from .request import Link

__all__ = ["FAILURES", "Exchange", "Listen", "Run", "Subscription"]

FAILURES = (Exception, SystemExit, KeyboardInterrupt)
"""What fails the request in which the user's code raises it, and nothing more; see interrupts for Ctrl-C."""


class Run(Struct, frozen=True):
    """Call the function of a feature, and bring back the response that `finish` makes of its value."""

    feature: Feature  # it also says how its function is run
    kwargs: dict[str, Any]
    finish: Callable[[Any], bytes]
    """Makes the response for the function's value, where the function ran: it may take long. Never raises."""
    link: Link | None


class Subscription(Protocol):
    """Which changes a client wants to be notified of."""

    def includes(self, event: str, uri: str | None) -> bool:
        """Whether the client wants to know of a change."""
        ...

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of a change."""
        ...


class Listen(Struct, frozen=True):
    """Keep the response open: send `first`, then what is published, until the client or the server ends it."""

    first: bytes
    subscription: Subscription
    link: Link | None


class Exchange(Struct):
    """One message and its response; `response` counts once there is no `step`, and is None where none is sent."""

    response: bytes | None = None
    step: Run | Listen | None = None

    def send(self, value: Any) -> None:
        """Bring back the value of the step."""

    def throw(self, error: BaseException) -> None:
        """Bring back the exception of the step."""

    def fail(self, error: ProtocolError) -> bytes | None:
        """End with an error, whatever step comes next; gives the response."""
        while self.step is not None:
            self.throw(error)
        return self.response
