"""Functions that are called when something changes. Does not know what changes, nor who is notified of it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, ParamSpec

__all__ = ["Listeners"]

P = ParamSpec("P")


class Listeners(Generic[P]):
    """The functions to call with each change, in the order in which they were added."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, None]] = []

    def __len__(self) -> int:
        return len(self._listeners)

    def add(self, listener: Callable[P, None]) -> Callable[[], None]:
        """Call a function on every change; returns a function that removes it."""
        self._listeners.append(listener)

        def forget() -> None:
            with suppress(ValueError):  # another thread was first
                self._listeners.remove(listener)

        return forget

    def call(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all of them."""
        for listener in list(self._listeners):
            listener(*args, **kwargs)
