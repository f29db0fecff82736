"""The other replicas that are known, and which of them have taken an announcement of this one. Does no I/O."""

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
        self._taken: dict[int, set[str]] = {}  # by the number of the announcement: who has taken it

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
        """The number of a new announcement; `wait` or `end` has to follow."""
        with self._changed:
            number = next(self._numbers)
            self._taken[number] = set()
            return number

    def end(self, number: int) -> None:
        """Do not wait for an announcement any more."""
        with self._changed:
            self._taken.pop(number, None)

    def note_taken(self, number: int, name: str) -> None:
        """Note that a replica has taken an announcement."""
        with self._changed:
            self._late.discard(name)
            if number in self._taken:
                self._taken[number].add(name)
                self._changed.notify_all()

    def wait(self, number: int, seconds: float) -> None:
        """Wait until all replicas have taken an announcement, but not longer."""
        with self._changed:
            self._changed.wait_for(lambda: self._names <= self._taken[number], seconds)
            self._late |= self._names - self._taken.pop(number)

    @property
    def late(self) -> set[str]:
        """Those that have not taken an announcement in time, and none since: they may be dead."""
        with self._changed:
            return set(self._late)
