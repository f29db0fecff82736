"""A transport that gives up: a request fails if the server sends nothing for some seconds. Knows no transport."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from .client import Receive, Transport, Unreachable

__all__ = ["TimedTransport"]

_LEAST = 0.05  # seconds between two looks at the clock


class TimedTransport:
    """Another transport, whose requests raise Unreachable after `seconds` without a message of the server.

    The time in which a message is handled does not count: a person may think about a question.
    """

    def __init__(self, connect: Callable[[Receive], Transport], seconds: float, receive: Receive) -> None:
        self._seconds = seconds
        self._receive = receive
        self._handling = 0
        self._last = time.monotonic()
        self._inner = connect(self._note)
        self.has_headers = self._inner.has_headers

    def request(self, message: bytes, revision: str, negotiated: bool, headers: Mapping[str, str]) -> bytes:
        """Send a request and return its response; raises Unreachable if it takes too long."""
        outcome: list[Any] = []
        done = threading.Event()

        def run() -> None:
            try:
                outcome.append(self._inner.request(message, revision, negotiated, headers))
            except BaseException as error:  # it is raised in the thread that waits
                outcome.append(error)
            done.set()

        self._last = time.monotonic()
        threading.Thread(target=run, daemon=True).start()
        while not done.wait(max(_LEAST, self._last + self._seconds - time.monotonic())):
            if not self._handling and time.monotonic() >= self._last + self._seconds:
                raise Unreachable(f"the server sent nothing for {self._seconds:g} seconds; --timeout sets this limit")
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        response: bytes = outcome[0]
        return response

    def notify(self, message: bytes, revision: str) -> None:
        """Send a message that has no response."""
        self._inner.notify(message, revision)

    def close(self) -> None:
        """End the conversation."""
        self._inner.close()

    def _note(self, message: bytes) -> None:
        self._handling += 1
        try:
            self._receive(message)
        finally:
            self._handling -= 1
            self._last = time.monotonic()
