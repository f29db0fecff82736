"""The copy of a stream in the store, which the replica that has the stream writes: others can send the rest of it."""

from collections.abc import Hashable

from ....replicas.budget import NEW_LOG, SMALL
from ....replicas.entries import Event, Lost, StreamEnd
from ....replicas.replica import Replica

__all__ = ["StreamCopy"]

MAX_COPY = 2**20
"""How many bytes of one stream are copied into the store; if it has more, other replicas cannot send it."""


class StreamCopy:
    """The copy of one stream, in a log of the store."""

    def __init__(self, replica: Replica, log: str, caller: Hashable) -> None:
        self._replica, self._log = replica, log
        self._caller = caller  # whose budget it counts for
        self._size = 0
        self._is_lost = False

    def write(self, number: int, message: bytes | None) -> None:
        """Copy an event, by its number, or the end; after too many bytes nothing more is copied."""
        if self._is_lost:
            return
        if message is None:
            self._replica.append(self._log, StreamEnd())
            return
        cost = len(message) + (SMALL if self._size else NEW_LOG)
        self._size += len(message)
        limit = self._replica.budget.spend(self._caller, cost, is_optional=True)
        self._is_lost = self._size > MAX_COPY or limit is not None
        self._replica.append(self._log, Lost() if self._is_lost else Event(number, bytes(message)))
