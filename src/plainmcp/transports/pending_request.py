"""A request of the server to a client, until it has its result. Knows threads, not how messages are sent."""

import threading
from collections.abc import Callable
from typing import Any

from ..protocol.request import PeerError

__all__ = ["PendingRequest"]


class PendingRequest:
    """A request to the client that waits for its result: it is resolved once, from any thread."""

    def __init__(self, id: str, seconds: float) -> None:
        self.id = id
        self.seconds = seconds
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._listener: Callable[[], object] | None = None
        self._result: Any = None
        self._problem: PeerError | None = None

    def resolve(self, result: Any = None, problem: PeerError | None = None) -> None:
        """Set the result, or the problem; later calls have no effect."""
        with self._lock:
            if self._done.is_set():
                return
            self._result, self._problem = result, problem
            self._done.set()
        if self._listener is not None:
            self._listener()

    def on_done(self, listener: Callable[[], object]) -> None:
        """Call a function when the request is resolved, or now if it is."""
        with self._lock:
            self._listener = listener
        if self._done.is_set():
            listener()

    def wait(self, seconds: float | None) -> Any:
        """Wait for the result; raises PeerError if there is none, or not in time."""
        if not self._done.wait(seconds):
            raise PeerError("it took too long")
        if self._problem is not None:
            raise self._problem
        return self._result
