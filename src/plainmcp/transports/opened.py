"""An answer under way over HTTP, and the links its handler gets: what can be said, and who can be asked.

Knows streams and connections; who opens an answer is the endpoint's, who moves it the edges'.
"""

from collections.abc import Callable
from typing import Any

from ..context import Context
from ..methods.answering import Single, Steps
from ..steps import PeerError, Run, Stay
from . import streamable
from .calling import Wanted
from .connection import Call
from .headers import Headers
from .sessions import Held
from .streamable import Reply, said
from .streams import Stream

__all__ = ["Mute", "Open", "Whisper", "answered", "begun", "hears", "opened_for"]


class Whisper(Wanted):
    """The link of a request that belongs to no session: things can be said to its client, but not asked."""

    def __init__(self, send: Callable[[bytes], None] | None) -> None:
        super().__init__()
        self._send = send

    def notify(self, message: bytes) -> None:
        """Send a notification, where the answer may be a stream."""
        if self._send is not None and not self.cancelled:
            self._send(message)

    def ask(self, method: str, params: Any) -> Any:
        """There is nowhere to wait for an answer; raises PeerError."""
        raise PeerError("without a session there is nowhere to answer")

    async def ask_async(self, method: str, params: Any) -> Any:
        """The same."""
        return self.ask(method, params)

    def close_stream(self) -> None:
        """There is no coming back."""


class Mute(Call):
    """The link of a request in a session whose client takes no event stream."""

    def twin(self) -> Call:
        """Another of the kind."""
        return Mute(self._connection)

    def notify(self, message: bytes) -> None:
        """It hears nothing before the answer."""

    def ask(self, method: str, params: Any) -> Any:
        """It can be asked nothing; raises PeerError."""
        raise PeerError("the client takes no event stream, so it cannot be asked")

    async def ask_async(self, method: str, params: Any) -> Any:
        """The same."""
        return self.ask(method, params)


class Open:
    """An answer under way: what is said meanwhile, and the steps that end in it (none on a GET)."""

    def __init__(self, stream: Stream, *, modern: bool = False, json: bool = True, held: Held | None = None) -> None:
        self.stream = stream
        self.modern = modern  # a disconnect is a cancel
        self.json = json  # the client takes JSON
        self.held = held
        self.hears = True  # the client takes an event stream
        self.batch = False
        self.after = 0  # the last event the client has seen
        self.link: Wanted | None = None
        self.steps: Steps | None = None
        self.step: Any = None
        self.staying: Stay | None = None
        self.deaf: Callable[[], None] = _nothing

    @property
    def silent(self) -> bool:
        """Whether nothing can be said before the answer: the function that runs was given no Context."""
        if self.batch or not isinstance(self.step, Run):
            return False
        return not any(isinstance(value, Context) for value in self.step.kwargs.values())


def _nothing() -> None: ...


def hears(headers: Headers) -> bool:
    """Whether a client takes an event stream."""
    return streamable.accepts(headers.get("accept"), "text/event-stream")


def opened_for(headers: Headers, stream: Stream, *, modern: bool = False, held: Held | None = None) -> Open:
    """An answer to a request with these headers."""
    json = streamable.accepts(headers.get("accept"), "application/json")
    opened = Open(stream, modern=modern, json=json, held=held)
    opened.hears = hears(headers)
    return opened


def begun(opened: Open, answer: bytes | Single | Steps | None) -> Reply | Open:
    """An answer that is there already, or one that has come as far as its first step."""
    if answer is None or isinstance(answer, bytes):
        return answered(opened, answer)
    try:
        opened.steps = iter(answer)
        opened.step = next(opened.steps)
    except StopIteration as end:
        return answered(opened, end.value)
    return opened


def answered(opened: Open, answer: bytes | None) -> Reply:
    """The answer alone, with its status."""
    return said(200 if answer is None else streamable.status(answer, opened.modern), answer)
