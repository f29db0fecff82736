"""Observers: functions that see each request begin and end. They change nothing, and their faults break nothing.

What an observer sets in context variables holds for the whole request: for its handler, in any thread or task, and
for the function that ends it. Knows exchanges and their steps, not how they are taken.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import CoroutineType
from typing import Any, TypeVar

from msgspec.structs import replace

from ..errors import AuthorError
from ..wire.jsonrpc import Envelope
from .core import Core
from .exchange import FAILURES, Detach, Exchange, Listen, Step
from .facts import HttpFacts, RequestFacts, SessionFacts, current_http
from .failures import log_incident
from .features import Feature
from .files import reads_file
from .interrupts import name_of, raise_interrupt
from .request import Caller

__all__ = [
    "ObservedExchange",
    "Observer",
    "SessionObserver",
    "check_observer",
    "observe",
    "observe_http",
    "observe_session",
]

T = TypeVar("T")
Observer = Callable[[RequestFacts], Callable[[RequestFacts], object] | None]
"""Called when a request begins; the function that it returns, if any, is called when the request has ended."""
SessionObserver = Callable[[SessionFacts], Callable[[SessionFacts], object] | None]
"""Called when a session begins; the function that it returns, if any, is called when the session has ended."""

Variables = dict[ContextVar[Any], Any]
Ends = list[Callable[[Any], object]]

_ABSENT = object()


def check_observer(observer: Any, where: str) -> Any:
    """An observer; raises AuthorError for what cannot be one."""
    if not callable(observer):
        raise AuthorError(f"{where} takes a function of the facts of a request, not {type(observer).__name__}")
    target = getattr(observer, "__call__", observer)  # noqa: B004
    for kind, is_kind in (
        ("an async function", iscoroutinefunction),
        ("a generator function", isgeneratorfunction),
        ("an async generator function", isasyncgenfunction),
    ):
        if is_kind(observer) or is_kind(target):
            raise AuthorError(
                f"{where}: {observer!r} is {kind}; give a plain function, which is called when a request begins and "
                "may return a function to call when it has ended"
            )
    return observer


def observe(server: Core, answer: Callable[[], Exchange], envelope: Envelope | None, caller: Caller) -> Exchange:
    """Start to answer a message, with the observers of the server around it; `envelope` is None for an unread one."""
    facts = RequestFacts(server, envelope, caller, _http_of(caller))
    before = copy_context()
    inside = before.copy()
    ends: Ends = inside.run(_begin, server.observers, facts)
    variables = {one: value for one, value in inside.items() if before.get(one, _ABSENT) is not value}
    with _set(variables):
        inner = answer()
    exchange = ObservedExchange(inner=inner, facts=facts, ends=ends, variables=variables)
    exchange.advance()
    return exchange


def _http_of(caller: Caller) -> HttpFacts | None:
    """The HTTP request that brought a message; it is not that of a handler which passes on messages itself."""
    if caller.link is None or caller.link.transport != "tcp":
        return None
    http = current_http.get()
    if http is not None:
        http.has_message = True
    return http


def observe_http(server: Core, http: HttpFacts, status: int | None, body: bytes) -> None:
    """Report an HTTP request that brought no message, at its end: it was refused before, or it is not a POST."""
    facts = RequestFacts(server, None, None, http)
    facts.end_http(status, body)
    copy_context().run(lambda: _end(_begin(server.observers, facts), facts))


def observe_session(server: Core, facts: SessionFacts) -> Callable[[], None]:
    """Report the beginning of a session; returns a function that reports its end, once."""
    ends = copy_context().run(_begin, server.session_observers, facts)

    def end() -> None:
        facts.end()
        copy_context().run(_end, ends, facts)

    return end


def _begin(observers: Sequence[Callable[[Any], Any]], facts: Any) -> Ends:
    """Call the observers; returns the functions for the end."""
    return [end for end in [_call(observer, facts) for observer in observers] if end is not None]


def _end(ends: Ends, facts: Any) -> None:
    """Call the functions for the end, the last one first, each once."""
    with suppress(IndexError):  # two threads may end a request at once
        while True:
            _call(ends.pop(), facts)


def _call(function: Callable[[Any], Any], facts: Any) -> Any:
    """What a function of an observer returns; None if it raises, which is logged."""
    try:
        return function(facts)
    except FAILURES as error:
        log_incident(f"The observer {_name_of(function)}", error)
        return None


def _name_of(function: Any) -> str:
    try:
        return str(getattr(function, "__qualname__", None) or repr(function))
    except FAILURES as error:  # its class is the author's
        raise_interrupt(error)
        return name_of(type(function))


class _InsideExchange(Exchange, kw_only=True):
    """An exchange whose steps are taken with context variables."""

    inner: Exchange
    variables: Variables

    def send(self, value: Any) -> None:
        """Pass back the value of the step."""
        with _set(self.variables):
            self.inner.send(value)
        self.advance()

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of the step."""
        with _set(self.variables):
            self.inner.throw(error)
        self.advance()

    def advance(self) -> None:
        """Go on to the next step; if there is none, end."""
        step = self.inner.step
        if step is not None:
            self.step = _with(step, self.variables) if self.variables else step
            return
        self.step, self.response = None, self.inner.response
        self.end()

    def end(self) -> None:
        """Called once, when there is a response."""

    @property
    def has_one_step(self) -> bool:  # type: ignore[override]
        """Whether the next step is the last one."""
        return self.inner.has_one_step


class ObservedExchange(_InsideExchange, kw_only=True):
    """An exchange whose observers are called at its end, and whose steps are taken with their context variables."""

    facts: RequestFacts
    ends: Ends

    def end(self) -> None:
        """Call the observers."""
        if self.facts.outcome is None:
            self.facts.end(self.response)
        with _set(self.variables):
            _end(self.ends, self.facts)


# Context variables --------------------------------------------------------------------------------


@contextmanager
def _set(variables: Variables) -> Generator[None, None, None]:
    """Set context variables, and set them back at the end; what they are then is kept for the next step.

    So a function of the author that is called between two steps can change them for the rest of the request.
    """
    tokens = [(variable, variable.set(value)) for variable, value in variables.items()]
    try:
        yield
    finally:
        for variable, token in tokens:
            variables[variable] = variable.get(None)
            with suppress(ValueError):  # a coroutine that is closed by the garbage collector has another context
                variable.reset(token)


def _with(step: Step, variables: Variables) -> Step:
    """A step whose functions run with context variables."""
    if isinstance(step, Listen):
        return step
    if isinstance(step, Detach):
        inside = _InsideExchange(inner=step.exchange, variables=variables)
        inside.advance()
        return replace(step, exchange=inside)
    feature = step.feature
    call = partial(_call_async if feature.is_async else _call_plain, variables, feature.function)
    if getattr(feature.function, "reads_file", False):
        call = reads_file(call)
    wrapped = Feature(
        function=call,
        is_async=feature.is_async,
        context=feature.context,
        inline=feature.inline,
        timeout=feature.timeout,
    )
    return replace(step, feature=wrapped, finish=partial(_call_plain, variables, step.finish))


def _call_plain(variables: Variables, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    with _set(variables):
        value = function(*args, **kwargs)
    # A plain wrapper around an async function returns a coroutine, which runs later.
    return _wait(variables, value) if type(value) is CoroutineType else value


async def _call_async(variables: Variables, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    with _set(variables):
        return await function(*args, **kwargs)


async def _wait(variables: Variables, coroutine: Any) -> Any:
    with _set(variables):
        return await coroutine
