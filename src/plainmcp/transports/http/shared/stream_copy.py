"""The copy of a stream in the store, which the replica that has the stream writes: others can send the rest of it."""

from collections.abc import Hashable

from .entries import Event, Lost, StreamEnd
from .replica import Replica

__all__ = ["StreamCopy"]

MAX_COPY = 2**20
"""How many bytes of one stream are copied into the store; if it has more, other replicas cannot send it."""


class StreamCopy:
    """The copy of one stream, in a log of the store."""

    def __init__(self, replica: Replica, log: str, owner: Hashable) -> None:
        self._replica, self._log = replica, log
        self._owner = owner  # whose budget it counts for
        self._size = 0
        self._is_lost = False

    def write(self, number: int, message: bytes | None) -> None:
        """Copy an event, by its number, or the end; after too many bytes nothing more is copied."""
        if self._is_lost:
            return
        if message is None:
            self._replica.append(self._log, StreamEnd())
            return
        self._size += len(message)
        is_too_much = self._size > MAX_COPY or self._replica.budget.spend(self._owner, len(message)) is not None
        self._is_lost = is_too_much
        self._replica.append(self._log, Lost() if is_too_much else Event(number, bytes(message)))
