"""The store in the memory of one process."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from .interface import MAX_READ, Entry

__all__ = ["MemoryStore"]


class MemoryStore:
    """A store in the memory of this process: for tests, and for several applications in one process."""

    is_shared = False

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._changed = threading.Condition()
        self._values: dict[str, tuple[bytes, float]] = {}  # with the time at which they expire
        self._logs: dict[str, tuple[deque[Entry], float]] = {}
        self._position = 0
        self._swept = 0.0

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none any more."""
        with self._changed:
            self._sweep()
            return self._values.get(key, (None, 0))[0]

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Set the value of a key, which expires after some seconds."""
        with self._changed:
            self._sweep()
            self._values[key] = (value, self._now() + seconds)

    def delete(self, key: str) -> None:
        """Remove the value of a key."""
        with self._changed:
            self._values.pop(key, None)

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        """Set the value of a key if it still has the value `before` (None: no value); returns whether it had."""
        with self._changed:
            if self.get(key) != before:
                return False
            self.put(key, after, seconds)
            return True

    def append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        """Append each value to its log; returns the positions."""
        positions: list[int] = []
        with self._changed:
            self._sweep()
            for log, value in entries:
                self._position += 1
                kept, _ = self._logs.get(log, (deque[Entry](), 0))
                kept.append(Entry(log, self._position, value))
                while len(kept) > most:
                    kept.popleft()
                self._logs[log] = kept, self._now() + seconds
                positions.append(self._position)
            self._changed.notify_all()
        return positions

    def advance(self, log: str, position: int, seconds: float) -> None:
        """Let the next positions of a log be greater than this one."""
        with self._changed:
            self._position = max(self._position, position)

    def last(self, log: str) -> int:
        """The position of the newest entry of a log; 0 if there is none."""
        with self._changed:
            self._sweep()
            kept = self._logs.get(log)
            return kept[0][-1].position if kept else 0

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        """The next entries of each log after a position, the oldest first; waits some seconds if there are none."""
        with self._changed:
            entries = self._find(after)
            if not entries and seconds > 0:
                self._changed.wait_for(lambda: bool(self._find(after)), seconds)
                entries = self._find(after)
            return entries

    def _find(self, after: Mapping[str, int]) -> list[Entry]:
        self._sweep()
        return [
            entry
            for log, position in after.items()
            if log in self._logs
            for entry in [one for one in self._logs[log][0] if one.position > position][:MAX_READ]
        ]

    def _sweep(self) -> None:
        now = self._now()
        if now - self._swept < 0.01:
            return
        self._swept = now
        for kept in (self._values, self._logs):
            for key in [key for key, (_, until) in kept.items() if until <= now]:
                del kept[key]

    def close(self) -> None:
        """There is nothing to close."""
