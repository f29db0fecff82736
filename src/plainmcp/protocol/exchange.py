"""A message that is being answered: its next step, or its response. Knows no transport and no method.

A transport takes the steps: for a `Run` it calls a function, and a `Listen` it keeps open. It passes the value or the
error back to the exchange.
"""

from collections.abc import Callable, Generator
from typing import Any, ClassVar, Protocol, final

from msgspec import Struct

from ..errors import ProtocolError
from .features import Feature
from .request import Link

__all__ = [
    "FAILURES",
    "Around",
    "Detach",
    "Detachable",
    "Detachment",
    "Evaluation",
    "Exchange",
    "Listen",
    "Run",
    "Step",
    "Subscription",
]

FAILURES = (BaseException,)
"""Exceptions of the user's code that fail one request and nothing else; see interrupts for Ctrl-C.

For code that runs without a wait: where a task can be cancelled, or a generator closed, it is too much.
"""


class Run(Struct, frozen=True):
    """Call the function of a feature, and pass back the response that `finish` returns for its value."""

    feature: Feature  # with the options for how its function runs
    kwargs: dict[str, Any]
    finish: Callable[[Any], bytes]
    """Returns the response for the function's value. Runs where the function ran: it may take long. Never raises."""
    link: Link | None


@final
class Around(Struct, frozen=True):
    """Call a middleware function with a request and `call_next`; pass back what `finish` returns for its value.

    `call_next` belongs to the driver: it takes the steps of `proceed(request)`, and returns or raises what they end
    with. Both the function and these steps may run in a thread or in an event loop.
    """

    feature: Feature
    request: Any
    proceed: Callable[[Any], "Evaluation"]
    finish: Callable[[Any], Any]
    link: Link | None


class Subscription(Protocol):
    """The changes that a client wants to be notified of."""

    def includes(self, event: str, uri: str | None) -> bool:
        """Whether the client wants to know of a change."""
        ...

    def message(self, event: str, uri: str | None) -> bytes:
        """The notification of a change."""
        ...


@final
class Listen(Struct, frozen=True):
    """Keep the response open: send `first`, then each change, until the client or the server ends it."""

    first: bytes
    subscription: Subscription
    link: Link | None


class Detachment(Protocol):
    """How a request is answered before it has ended, and who gets its response then."""

    after: float | None
    """After how many seconds it is answered, if it has not ended; None: only if its function asks for it."""

    def listen(self, listener: Callable[[], object]) -> None:
        """Call a function, from any thread, when the request may be answered, or now if it may already."""

    def answer(self) -> "Exchange":
        """The exchange whose response is sent in place of that of the request, which goes on.

        It has a response for its own errors, too: what is raised here leaves the client without one.
        """
        ...

    def end(self, response: bytes | None) -> "Exchange":
        """The exchange that takes the response of the request when it ends, after `answer`; it sends nothing.

        The response is None after a cancel, also when the event loop ends or `answer` was cancelled or failed.
        """
        ...


@final
class Detach(Struct, frozen=True):
    """Take the steps of an exchange, and pass back its response; or what its detachment answers, and let it go on.

    A driver that ends with the request, as `run` does, takes all steps, and answers with the response.
    """

    exchange: "Exchange"
    detachment: Detachment


Step = Run | Around | Listen | Detach


class Exchange(Struct):
    """One message and its response; `response` is valid when `step` is None, and is None if none is sent."""

    response: bytes | None = None
    step: Step | None = None
    has_one_step: ClassVar[bool] = True
    """Whether the next step is the last one."""

    def send(self, value: Any) -> None:
        """Pass back the value of the step."""

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of the step."""

    def fail(self, error: ProtocolError) -> bytes | None:
        """End with an error, without taking the remaining steps; returns the response."""
        while self.step is not None:
            self.throw(error)
        return self.response


class Evaluation(Exchange, kw_only=True):
    """The steps that a generator yields, one after the other; it ends with a value or with an exception."""

    steps: Generator[Step, Any, Any]
    has_one_step: ClassVar[bool] = False
    value: Any = None
    error: BaseException | None = None

    def begin(self) -> "Evaluation":
        """Go to the first step; returns itself."""
        self.send(None)
        return self

    def send(self, value: Any, go_on: Callable[[Any], Step] | None = None) -> None:
        """Pass the value of a step to the generator, by another of its methods if one is given."""
        try:
            self.step = (go_on or self.steps.send)(value)
            return
        except StopIteration as end:
            self.value = end.value
        except GeneratorExit:
            raise
        except BaseException as error:
            self.error = error
        self.step = None
        self.end()

    def throw(self, error: BaseException) -> None:
        """Pass the exception of a step to the generator."""
        self.send(error, self.steps.throw)

    def result(self) -> Any:
        """The value at the end; raises the exception at the end."""
        if self.error is not None:
            raise self.error
        return self.value

    def end(self) -> None:
        """Called once, when there is a value or an exception."""


class Detachable(Exchange):
    """An exchange with the one step of another one that may go on after its response."""

    def send(self, value: Any) -> None:
        """End with the response."""
        self.step, self.response = None, value

    def throw(self, error: BaseException) -> None:
        """End without a response: the inner exchange has one for each exception, but if it was cancelled."""
        self.send(None)
