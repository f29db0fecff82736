"""The changes that one request makes, so that its response can wait until the store has them."""

from contextvars import ContextVar

from .writer import StoreWriter

__all__ = ["OwnChanges", "note_change", "watch_changes"]

WAIT = 0.5
"""How many seconds a response waits for them."""


class OwnChanges:
    """The changes that one request has made."""

    __slots__ = ("_writer", "last")

    def __init__(self, writer: StoreWriter) -> None:
        self._writer = writer
        self.last = 0  # the number of the last one, for the writer

    def are_written(self) -> bool:
        """Whether the store has them."""
        return self._writer.written >= self.last

    def wait(self) -> None:
        """Wait until the store has them, but not for a store that fails."""
        self._writer.wait(self.last, WAIT)


_current: ContextVar[OwnChanges | None] = ContextVar("plainmcp_changes", default=None)


def watch_changes(writer: StoreWriter) -> OwnChanges:
    """The changes that are made from now on in this context: by the function of one request."""
    changes = OwnChanges(writer)
    _current.set(changes)
    return changes


def note_change(number: int) -> None:
    """Note the number of a change for the request in whose context it is made, if there is one."""
    changes = _current.get()
    if changes is not None:
        changes.last = number
