"""An answer under way over HTTP, and the links its handler gets: what can be said, and who can be asked.

Knows streams and connections; who opens an answer is the endpoint's, who moves it the edges'.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...context import Context
from ...errors import ProtocolError
from ...protocol.methods.shared import Steps
from ...protocol.methods.tools import Single
from ...protocol.steps import PeerError, Run, Stay
from ...revisions import Revision
from ..connection import Call
from ..invoke import Wanted
from . import rules
from .rules import JSON, Fit, Reply, said
from .session_store import Held
from .stream import Stream

__all__ = ["Alone", "Open", "Quiet", "Within", "answered", "begun"]


class Open(Wanted):
    """An answer under way: what is said meanwhile, and the steps that end in it (none on a GET)."""

    standing = False
    """Whether it is for what is to come, and ends in no answer."""
    after = 0
    """The last event the client has seen."""
    steps: Single | Steps | None = None
    step: Any = None
    staying: Stay | None = None

    deaf: Callable[[], None] | None = None
    """Ends its hearing of changes."""
    _stream: Stream | None = None

    def __init__(self, fit: Fit, modern: bool, held: Held | None = None) -> None:
        self.fit = fit  # what the client takes
        self.modern = modern  # a disconnect is a cancel
        self.held = held

    @property
    def stream(self) -> Stream:
        """What is said; most answers come so soon, and alone, that they never need one."""
        if self._stream is None:
            self._stream = Stream() if self.held is None else self.held.stream()
        return self._stream

    @property
    def link(self) -> Wanted | None:
        """What its handler was given to speak through, where that ends with the answer."""
        return None

    @classmethod
    def stood(cls, fit: Fit, held: Held, stream: Stream) -> "Open":
        """One that stands: what a GET is answered with."""
        opened = cls(fit, False, held)
        opened.standing, opened._stream = True, stream
        return opened

    def taken(self) -> tuple[Single | Steps, Any]:
        """Its steps and the first of them, for whoever drives them; they know us, so we forget them."""
        assert self.steps is not None
        steps, step, self.steps, self.step = self.steps, self.step, None, None
        return steps, step

    def say(self, message: bytes) -> None:
        """Say something before the answer."""
        self.stream.put(message)

    def drop(self) -> None:
        """Send the client away, to come back for the rest."""
        self.stream.drop()

    def give_up(self, error: ProtocolError) -> None:
        """Answer with an error, unless there is an answer, and cancel what still runs for it. From any thread."""
        self.stream.finish(self.refusal(error))
        self.cancel()

    @property
    def silent(self) -> bool:
        """Whether nothing can be said before the answer: the function that runs was given no Context."""
        if isinstance(self.steps, Single):
            return True
        if self.batch or not isinstance(self.step, Run):
            return False
        return not any(isinstance(value, Context) for value in self.step.kwargs.values())


class Alone(Open):
    """The answer to a request that belongs to no session. It is its own link: its client can be told, not asked."""

    def __init__(self, fit: Fit, revision: Revision, id: bytes = b"", batch: Sequence[Any] | None = None) -> None:
        super().__init__(fit, not revision.handshake)
        self.revision, self.id, self.batch = revision, id, batch

    @property
    def link(self) -> Wanted:
        """What its handler gets."""
        return self

    def notify(self, message: bytes) -> None:
        """Send a notification, where the answer may be a stream."""
        if self.fit.events and not self.cancelled:
            self.stream.put(message)

    def ask(self, method: str, params: Any) -> Any:
        """There is nowhere to wait for an answer; raises PeerError."""
        raise PeerError("without a session there is nowhere to answer")

    async def ask_async(self, method: str, params: Any) -> Any:
        """The same."""
        return self.ask(method, params)

    def close_stream(self) -> None:
        """There is no coming back."""


class Within(Open, Call):
    """The answer to a request in a session. It is what its handler is given, too, and the way what that says goes."""

    def __init__(self, fit: Fit, held: Held) -> None:
        super().__init__(fit, False, held)
        self._connection = held.connection

    @property
    def _way(self) -> "Within":  # type: ignore[override]
        return self


class Quiet(Within):
    """The same for a client that takes no event stream."""

    def twin(self) -> Call:
        """Another of the kind."""
        assert self.held is not None
        return self._part(Quiet(self.fit, self.held))

    def close_stream(self) -> None:
        """There is none."""

    def notify(self, message: bytes) -> None:
        """It hears nothing before the answer."""

    def ask(self, method: str, params: Any) -> Any:
        """It can be asked nothing; raises PeerError."""
        raise PeerError("the client takes no event stream, so it cannot be asked")

    async def ask_async(self, method: str, params: Any) -> Any:
        """The same."""
        return self.ask(method, params)


def begun(opened: Open, answer: bytes | Single | Steps | None) -> Reply | Open:
    """An answer that is there already, a single function to run, or one that has come as far as its first step."""
    if type(answer) is Single:
        opened.steps = answer
        return opened
    if answer is None or isinstance(answer, bytes):
        return answered(answer, opened.modern)
    try:
        opened.steps = iter(answer)
        opened.step = next(opened.steps)
    except StopIteration as end:
        return answered(end.value, opened.modern)
    return opened


def answered(answer: bytes | None, modern: bool) -> Reply:
    """The answer alone, with its status."""
    if type(answer) is bytes:
        return Reply(200, answer, JSON)
    return said(200 if answer is None else rules.status(answer, modern), answer)
