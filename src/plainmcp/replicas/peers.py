"""The other replicas that are known, and which of them have acknowledged a broadcast of this one. Does no I/O."""

import threading
from itertools import count

__all__ = ["Peers"]


class Peers:
    """The other replicas, by name."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._names: set[str] = set()
        self._late: set[str] = set()
        self._numbers = count(1)
        self._acks: dict[int, set[str]] = {}  # by the number of the broadcast: who has acknowledged it

    def add(self, name: str) -> None:
        """Add a replica that has joined, unless it is known."""
        with self._changed:
            self._names.add(name)

    def remove(self, name: str) -> None:
        """Remove a replica that has left, or is dead."""
        with self._changed:
            self._names.discard(name)
            self._late.discard(name)
            self._changed.notify_all()

    def begin(self) -> int:
        """The number of a new broadcast; `end` has to follow."""
        with self._changed:
            number = next(self._numbers)
            self._acks[number] = set()
            return number

    def end(self, number: int) -> None:
        """Forget a broadcast."""
        with self._changed:
            self._acks.pop(number, None)

    def note_ack(self, number: int, name: str) -> None:
        """Note that a replica has acknowledged a broadcast."""
        with self._changed:
            self._late.discard(name)
            if number in self._acks:
                self._acks[number].add(name)
                self._changed.notify_all()

    def wait(self, number: int, seconds: float) -> None:
        """Wait until all replicas have acknowledged a broadcast, but not longer than some seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._names <= self._acks[number], seconds)
            self._late |= self._names - self._acks[number]

    @property
    def late(self) -> set[str]:
        """Those that have not acknowledged a broadcast in time, and none since: they may be dead."""
        with self._changed:
            return set(self._late)
