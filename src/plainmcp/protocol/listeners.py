"""Functions that are called when something changes. Does not know what changes, nor who is notified of it."""

from collections.abc import Callable
from contextlib import suppress

__all__ = ["Event", "Listeners"]

Event = Callable[[str, str | None], None]
"""Takes the name of an event, and the URI of the resource if it is about one."""


class Listeners:
    """The functions to call with each change, in the order in which they were added."""

    def __init__(self) -> None:
        self._listeners: list[Event] = []

    def __len__(self) -> int:
        return len(self._listeners)

    def add(self, listener: Event) -> Callable[[], None]:
        """Call a function with (event, uri) on every change; returns a function that removes the listener."""
        self._listeners.append(listener)

        def forget() -> None:
            with suppress(ValueError):  # another thread was first
                self._listeners.remove(listener)

        return forget

    def call(self, event: str, uri: str | None) -> None:
        """Call all of them."""
        for listener in list(self._listeners):
            listener(event, uri)
