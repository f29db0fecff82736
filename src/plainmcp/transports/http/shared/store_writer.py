"""What this process still has to write into the store, and the thread that writes it, in order and in groups.

Knows logs and values, but not what they mean. Writers never wait for the store: what cannot be written is kept for a
while, and then dropped.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from ....store.interface import Store, StoreError
from .store_health import PAUSE, StoreHealth
from .store_keys import StoreKeys

__all__ = ["MAX_CHANGES", "StoreWriter"]

BEAT = 1.0
"""How often a replica writes that it is alive."""
MAX_CHANGES = 10_000
"""How many changes are kept: those since then reach clients that reconnect."""
CHANGE_SECONDS = 60.0 * 60
"""How long they are kept after the last one."""
MAX_LOG = 1_000
"""How many entries other logs keep."""
LOG_SECONDS = 10.0 * 60
"""How long these are kept after the last one."""
MAX_QUEUE = 10_000
"""How many entries may wait to be written; beyond that the oldest are dropped."""
MAX_QUEUE_BYTES = 2**26
"""How many bytes of them."""
MAX_AGE = 30.0
"""How many seconds an entry waits for a store that fails, before it is dropped."""

_log = logging.getLogger("plainmcp")


class _Item(NamedTuple):
    """Something that waits to be written: an entry of a log, or other work."""

    number: int
    log: str
    value: bytes
    work: Callable[[Store], object] | None
    since: float


class StoreWriter:
    """The queue and the thread of one process."""

    def __init__(self, store: Store, health: StoreHealth, keys: StoreKeys, beat: Callable[[Store], None]) -> None:
        self._store, self._health, self._keys = store, health, keys
        self._beat = beat  # writes that the replica is alive
        self._next_beat = 0.0
        self._changed = threading.Condition()
        self._queue: deque[_Item] = deque()
        self._queued_bytes = 0
        self._count = 0
        self.written = 0
        """The number of the last change that does not wait any more."""

    def append(self, log: str, value: bytes) -> int:
        """Append an entry to a log as soon as possible; returns its number, for `wait`."""
        return self._put(log, value, None)

    def later(self, work: Callable[[Store], object]) -> None:
        """Do something with the store as soon as possible."""
        self._put("", b"", work)

    def _put(self, log: str, value: bytes, work: Callable[[Store], object] | None) -> int:
        with self._changed:
            self._count += 1
            self._queue.append(_Item(self._count, log, value, work, monotonic()))
            self._queued_bytes += len(value)
            while len(self._queue) > MAX_QUEUE or self._queued_bytes > MAX_QUEUE_BYTES:
                dropped = self._queue.popleft()
                self._queued_bytes -= len(dropped.value)
                self._note_end_of(dropped)
            self._changed.notify_all()
            return self._count

    def limits_of(self, log: str) -> tuple[int, float]:
        """How many entries a log keeps, and for how many seconds."""
        if log == self._keys.changes:
            return MAX_CHANGES, CHANGE_SECONDS
        return MAX_CHANGES if log == self._keys.notes else MAX_LOG, LOG_SECONDS

    def wait(self, number: int, seconds: float) -> None:
        """Wait until a change is written; not for a store that fails."""
        with self._changed:
            self._changed.wait_for(lambda: self.written >= number or self._health.problem is not None, seconds)

    def finish(self, seconds: float) -> None:
        """Wait until everything is written; not for a store that fails."""
        with self._changed:
            self._changed.wait_for(lambda: not self._queue or self._health.problem is not None, seconds)

    def wake(self) -> None:
        """Let the thread look around, because it is to end or the store has failed."""
        self._next_beat = 0.0
        with self._changed:
            self._changed.notify_all()

    # The thread -----------------------------------------------------------------------------------

    def run(self, ending: threading.Event) -> None:
        """Write what waits, and now and then that the replica is alive, until it ends."""
        while not ending.is_set():
            with self._changed:
                if not self._queue:
                    self._changed.wait(max(0.0, min(BEAT, self._next_beat - monotonic())))
                items, is_due = list(self._queue), monotonic() >= self._next_beat
            try:
                if is_due:
                    self._beat(self._store)
                    self._next_beat = monotonic() + BEAT
                self._write(items)
            except StoreError as error:
                self._health.fail("writing", error)
                self._next_beat = 0.0
                self._drop_old()
                ending.wait(PAUSE)
            except Exception:
                if not ending.is_set():
                    _log.exception("writing to the store failed")
                self._remove(items)
            else:
                if items or is_due:
                    self._health.recover("writing")

    def _write(self, items: list[_Item]) -> None:
        for limits, group in self._group(items).items():
            self._store.append([(item.log, item.value) for item in group], *limits)
            self._remove(group)
        for item in items:
            if item.work is not None:
                item.work(self._store)
                self._remove([item])

    def _group(self, items: list[_Item]) -> dict[tuple[int, float], list[_Item]]:
        """The entries by the limits of their logs; notes first, because changes rely on them."""
        groups: dict[tuple[int, float], list[_Item]] = {self.limits_of(self._keys.notes): []}
        for item in items:
            if item.work is None:
                groups.setdefault(self.limits_of(item.log), []).append(item)
        return {limits: group for limits, group in groups.items() if group}

    def _remove(self, items: list[_Item]) -> None:
        done = {item.number for item in items}
        with self._changed:
            self._queue = deque(item for item in self._queue if item.number not in done)
            for item in items:
                self._note_end_of(item)
            self._queued_bytes = sum(len(item.value) for item in self._queue)
            self._changed.notify_all()

    def _note_end_of(self, item: _Item) -> None:
        if item.log == self._keys.changes:
            self.written = max(self.written, item.number)

    def _drop_old(self) -> None:
        now = monotonic()
        with self._changed:
            old = [item for item in self._queue if now - item.since > MAX_AGE]
            self._changed.notify_all()  # those who wait see that the store fails
        if old:
            _log.warning("the store failed for too long: %d entries for other replicas were dropped", len(old))
            self._remove(old)
