"""How a plain function of the user's is called, and how a question to the client is waited for. Knows no loop."""

import threading
from collections.abc import Callable
from typing import Any

from ..errors import InvalidRequest
from ..methods.answering import Steps
from ..steps import PeerError, Run, Stay

__all__ = ["Pending", "Staying", "called", "cannot_stay"]

Staying = Callable[[Stay, Steps], None]
"""Takes over an answer that stays open: the step that asked for it, and the steps that end it."""


def called(step: Run) -> Any:
    """The value of a plain function."""
    try:
        return step.function(**step.kwargs)
    except SystemExit as error:  # a tool may end its call, never the server
        raise RuntimeError("the function tried to exit the process") from error


def cannot_stay() -> InvalidRequest:
    """What a listen request is told where nothing can be sent after the answer."""
    return InvalidRequest("subscriptions/listen needs a connection that stays open")


class Pending:
    """A question under way: answered once, from any thread."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._told: Callable[[], None] | None = None
        self._answer: Any = None
        self._problem: str | None = None

    def settle(self, answer: Any = None, problem: str | None = None) -> None:
        """Give the answer, or what went wrong; the first word counts."""
        with self._lock:
            if self._done.is_set():
                return
            self._answer, self._problem = answer, problem
            self._done.set()
        if self._told is not None:
            self._told()

    def tell(self, listener: Callable[[], None]) -> None:
        """Call a function once it is settled, at once if it is."""
        with self._lock:
            self._told = listener
        if self._done.is_set():
            listener()

    def wait(self, seconds: float | None) -> Any:
        """The answer; raises PeerError when there is none, or not in time."""
        if not self._done.wait(seconds):
            raise PeerError("it took too long")
        if self._problem is not None:
            raise PeerError(self._problem)
        return self._answer
