"""A message that is being answered: its next step, or its response. Knows no transport and no method.

A transport takes the steps: for a `Run` it calls a function, and a `Listen` it keeps open. It passes the value or the
error back to the exchange.
"""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from ..errors import ProtocolError
from .features import Feature
from .request import Link

__all__ = ["FAILURES", "Exchange", "Listen", "Run", "Subscription"]

FAILURES = (Exception, SystemExit, KeyboardInterrupt)
"""Exceptions of the user's code that fail one request and nothing else; see interrupts for Ctrl-C."""


class Run(Struct, frozen=True):
    """Call the function of a feature, and pass back the response that `finish` returns for its value."""

    feature: Feature  # with the options for how its function runs
    kwargs: dict[str, Any]
    finish: Callable[[Any], bytes]
    """Returns the response for the function's value. Runs where the function ran: it may take long. Never raises."""
    link: Link | None


class Subscription(Protocol):
    """The changes that a client wants to be notified of."""

    def includes(self, event: str, uri: str | None) -> bool:
        """Whether the client wants to know of a change."""
        ...

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of a change."""
        ...


class Listen(Struct, frozen=True):
    """Keep the response open: send `first`, then each change, until the client or the server ends it."""

    first: bytes
    subscription: Subscription
    link: Link | None


class Exchange(Struct):
    """One message and its response; `response` is valid when `step` is None, and is None if none is sent."""

    response: bytes | None = None
    step: Run | Listen | None = None

    def send(self, value: Any) -> None:
        """Pass back the value of the step."""

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of the step."""

    def fail(self, error: ProtocolError) -> bytes | None:
        """End with an error, without taking the remaining steps; returns the response."""
        while self.step is not None:
            self.throw(error)
        return self.response
