"""A message that is being answered: what has to be done next, or the response. Knows no transport and no method.

The core asks and a transport does: it runs the function that a `Run` names, or keeps a `Listen` open, and brings
back the value or the error.
"""

from typing import Any, Protocol

from ..context import Context
from ..errors import ProtocolError
from .features import Feature
from .request import Cancelled, Link, Request

__all__ = ["FAILURES", "Exchange", "Invocation", "Listen", "Responder", "Run", "Subscription"]

FAILURES = (Exception, SystemExit, KeyboardInterrupt)
"""What fails the request in which the user's code raises it, and nothing more; see interrupts for Ctrl-C."""


class Responder(Protocol):
    """Makes the responses of one feature; see plan."""

    feature: Any

    def respond(self, request: Request, value: Any) -> bytes:
        """The response for the value of the function."""
        ...

    def fail(self, request: Request, error: BaseException) -> bytes:
        """The response for an exception of the function."""
        ...


class Run:
    """Call a function of the user's, and bring back what `finish` makes of its value, or its exception."""

    __slots__ = ("feature", "kwargs", "plan", "request")

    def __init__(self, plan: Responder, request: Request, kwargs: dict[str, Any]) -> None:
        self.plan = plan
        self.request = request
        self.kwargs = kwargs
        self.feature: Feature = plan.feature  # whose function it is; it also says how it is run

    @property
    def link(self) -> Link | None:
        """The link of the request."""
        return self.request.link

    def finish(self, value: Any) -> bytes:
        """The response for the function's value. It is made where the function ran: it may take long."""
        try:
            return self.plan.respond(self.request, value)
        except BaseException as error:  # a generator that is returned is the user's code too
            return self.plan.fail(self.request, error)


class Subscription(Protocol):
    """Which changes a client wants to be notified of."""

    def includes(self, event: str, uri: str | None) -> bool:
        """Whether the client wants to know of a change."""
        ...

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of a change."""
        ...


class Listen:
    """Keep the response open: send `first`, then what is published, until the client or the server ends it."""

    __slots__ = ("first", "link", "subscription")

    def __init__(self, first: bytes, subscription: Subscription, link: Link | None) -> None:
        self.first = first
        self.subscription = subscription
        self.link = link


class Exchange:
    """One message and its response; `response` counts once there is no `step`, and is None where none is sent."""

    __slots__ = ("response", "step")

    def __init__(self, response: bytes | None = None, step: Run | Listen | None = None) -> None:
        self.step = step
        self.response = response

    def send(self, value: Any) -> None:
        """Bring back the value of the step."""

    def throw(self, error: BaseException) -> None:
        """Bring back the exception of the step."""

    def fail(self, error: ProtocolError) -> bytes | None:
        """End with an error, whatever step comes next; gives the response."""
        while self.step is not None:
            self.throw(error)
        return self.response


class Invocation(Exchange):
    """One function of the user's, then a response."""

    __slots__ = ("_context",)
    step: Run | None

    def __init__(self, run: Run, context: Context | None = None) -> None:
        link = run.request.link
        if link is not None:
            link.start(bytes(run.request.id))
        self.step = run
        self.response = None
        self._context = context

    def send(self, value: Any) -> None:
        """The response was made of the function's value."""
        self._close(value)

    def throw(self, error: BaseException) -> None:
        """The function raised."""
        step = self.step
        assert step is not None
        self._close(None if isinstance(error, Cancelled) else step.plan.fail(step.request, error))

    def _close(self, response: bytes | None) -> None:
        step, self.step = self.step, None
        assert step is not None
        if self._context is not None:
            self._context.finish()
        link = step.request.link
        if link is None or link.finish():  # CANC-01: no response after a cancel
            self.response = response
