"""What this process still has to write into the store, and the thread that writes it, in order and in groups.

Knows logs and values, and that changes are worth more than the rest. Writers never wait for the store: changes are
kept until it works, up to a number, and other entries for a while.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from ..store.interface import Store, StoreError
from .health import PAUSE, StoreHealth
from .keys import StoreKeys

__all__ = ["StoreWriter"]

BEAT = 1.0
"""How often a replica writes that it is alive."""
MAX_QUEUE = 10_000
"""How many changes, and how many other entries, may wait to be written; beyond that the oldest are dropped."""
MAX_QUEUE_BYTES = 2**26
"""How many bytes of entries that are not changes."""
MAX_AGE = 30.0
"""How many seconds an entry that is not a change waits for a store that fails, before it is dropped."""
SLICE = 0.05
"""How many seconds other work may take, before entries are written again."""

_log = logging.getLogger("plainmcp")

Work = Callable[[Store], object]


class _Entry(NamedTuple):
    """An entry of a log that waits to be written."""

    number: int
    log: str
    value: bytes
    since: float


class StoreWriter:
    """The queues and the thread of one process: changes, the entries of other logs, and other work with the store."""

    def __init__(self, store: Store, health: StoreHealth, keys: StoreKeys, beat: Work) -> None:
        self._store, self._health, self._keys = store, health, keys
        self._beat = beat  # writes that the replica is alive
        self._next_beat = 0.0
        self._changed = threading.Condition()
        self._changes: deque[_Entry] = deque()
        self._others: deque[_Entry] = deque()
        self._other_bytes = 0
        self._work: deque[Work] = deque()
        self._count = 0
        self._has_warned = False
        self.written = 0
        """The number of the last change that does not wait any more."""

    def append(self, log: str, value: bytes) -> int:
        """Append an entry to a log as soon as possible; returns its number, for `wait`."""
        with self._changed:
            self._count += 1
            entry = _Entry(self._count, log, value, monotonic())
            if log == self._keys.changes:
                self._changes.append(entry)
                if len(self._changes) > MAX_QUEUE:
                    self.written = self._changes.popleft().number
                    self._warn()
            else:
                self._others.append(entry)
                self._other_bytes += len(value)
                while len(self._others) > MAX_QUEUE or self._other_bytes > MAX_QUEUE_BYTES:
                    self._other_bytes -= len(self._others.popleft().value)
                    self._warn()
            self._changed.notify_all()
            return entry.number

    def later(self, work: Work) -> None:
        """Do something with the store when no entry waits."""
        with self._changed:
            self._work.append(work)
            if len(self._work) > MAX_QUEUE:
                self._work.popleft()
            self._changed.notify_all()

    def wait(self, number: int, seconds: float) -> None:
        """Wait until a change is written; not for a store that fails."""
        with self._changed:
            self._changed.wait_for(lambda: self.written >= number or self._health.why_down is not None, seconds)

    def finish(self, seconds: float) -> None:
        """Wait until everything is written; not for a store that fails."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_waiting() or self._health.why_down is not None, seconds)

    def _is_waiting(self) -> bool:
        return bool(self._changes or self._others or self._work)

    def wake(self) -> None:
        """Wake the thread: it has to end, or to try again a store that failed."""
        self._next_beat = 0.0
        with self._changed:
            self._changed.notify_all()

    # The thread -----------------------------------------------------------------------------------

    def run(self, ending: threading.Event) -> None:
        """Write what waits, and now and then that the replica is alive, until it ends."""
        while not ending.is_set():
            with self._changed:
                if not self._is_waiting():
                    self._changed.wait(max(0.0, min(BEAT, self._next_beat - monotonic())))
                entries = [*self._changes, *self._others]
                is_due = monotonic() >= self._next_beat and not ending.is_set()  # not after its heartbeat was removed
                has_work = bool(entries or self._work)
            try:
                if is_due:
                    self._beat(self._store)
                    self._next_beat = monotonic() + BEAT
                self._write(entries)
                self._do_work()
            except StoreError as error:
                self._health.fail("writing", error)
                self._next_beat = 0.0
                self._drop_old()
                ending.wait(PAUSE)
            except Exception as error:
                self._health.fail("writing", error)
                self._remove(entries)  # it may fail again because of one of them
                ending.wait(PAUSE)
            else:
                if has_work or is_due:
                    self._has_warned = False
                    self._health.recover("writing")

    def _write(self, entries: list[_Entry]) -> None:
        for limits, group in self._group(entries).items():
            self._store.append([(entry.log, entry.value) for entry in group], *limits)
            self._remove(group)

    def _group(self, entries: list[_Entry]) -> dict[tuple[int, float], list[_Entry]]:
        """The entries by the limits of their logs; broadcasts first, because changes rely on them."""
        groups: dict[tuple[int, float], list[_Entry]] = {self._keys.limits_of(self._keys.broadcasts): []}
        for entry in entries:
            groups.setdefault(self._keys.limits_of(entry.log), []).append(entry)
        return {limits: group for limits, group in groups.items() if group}

    def _do_work(self) -> None:
        """Do other work, but not for long: replicas that wait for entries or for a heartbeat come first."""
        until = monotonic() + SLICE
        while self._work and monotonic() < until:
            work = self._work[0]
            try:
                work(self._store)
            except StoreError:
                raise  # it is done when the store works again
            except Exception:
                _log.exception("writing to the store failed")
            with self._changed:
                if self._work and self._work[0] is work:
                    self._work.popleft()
                self._changed.notify_all()

    def _remove(self, entries: list[_Entry]) -> None:
        done = {entry.number for entry in entries}
        with self._changed:
            self._changes = deque(entry for entry in self._changes if entry.number not in done)
            self._others = deque(entry for entry in self._others if entry.number not in done)
            self._other_bytes = sum(len(entry.value) for entry in self._others)
            for entry in entries:
                if entry.log == self._keys.changes:
                    self.written = max(self.written, entry.number)
            self._changed.notify_all()

    def _drop_old(self) -> None:
        """Drop entries that have waited too long. Changes wait as long as it takes: clients need them later, too."""
        oldest = monotonic() - MAX_AGE
        with self._changed:
            while self._others and self._others[0].since < oldest:
                self._other_bytes -= len(self._others.popleft().value)
                self._warn()
            self._changed.notify_all()  # those who wait see that the store fails

    def _warn(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            _log.warning(
                "too much waits to be written into the store, or for too long: what other replicas wait for is lost"
            )
