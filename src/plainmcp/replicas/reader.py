"""What this process reads from the logs of the store, and the thread that reads it.

Each log has a function that receives its entries. Changes are received in their order, under a lock, after what they
rely on.
"""

import threading
from collections.abc import Callable
from functools import partial
from time import monotonic

from ..store.interface import MAX_READ, Entry, Store
from .change_log import Change, ChangeLog
from .entries import LogEntry, read_entry
from .health import PAUSE, StoreHealth, contain
from .keys import StoreKeys

__all__ = ["Receive", "StoreReader"]

Receive = Callable[[LogEntry], None]
"""Receives an entry."""
WAIT = 0.5
"""How many seconds it waits for entries before it looks after other things."""
TICK = 1.0
"""How many seconds pass between two calls of `tick`, at least."""
BEHIND = 0.9
"""After how many seconds without a read a session is loaded again before a request is answered in it."""
LAG = 2.5
"""After how many seconds without a read it may have missed entries: a paused process does not notice otherwise.

Less than the time after which other replicas may take it for dead.
"""


class _Log:
    """A log that is followed: the position of the last entry, and who receives the next ones."""

    __slots__ = ("position", "receive")

    def __init__(self, receive: Receive) -> None:
        self.position, self.receive = 0, receive


class StoreReader:
    """The logs that one process follows."""

    def __init__(
        self,
        store: Store,
        health: StoreHealth,
        keys: StoreKeys,
        inbox: str,
        receive: Receive,
        receive_change: Callable[[Change], None],
        tick: Callable[[], None],
    ) -> None:
        self._store, self._health, self._keys = store, health, keys
        self._receive_change = receive_change
        self._tick = tick  # called about once a second
        self._moved = threading.Condition()  # for the logs, and notified when one of them has moved on
        # The replicas come first: who waits for a broadcast has to know who else receives it.
        self._logs = {log: _Log(receive) for log in (keys.replicas, keys.broadcasts, inbox)}
        self.last_read = monotonic()
        """When it has read last: more than `BEHIND` seconds ago, entries may wait that others rely on."""
        self.change_log = ChangeLog(keys)
        """The last changes."""
        self.begun = threading.Event()
        """Set when it follows: from then on it misses nothing."""

    def follow(self, log: str, receive: Receive) -> None:
        """Receive the entries of a log from its beginning on. Append an entry somewhere after it, to end the wait."""
        with self._moved:
            self._logs[log] = _Log(receive)

    def unfollow(self, log: str) -> None:
        """Do not receive the entries of a log any more."""
        with self._moved:
            self._logs.pop(log, None)

    def wait_for(self, position: int, seconds: float) -> None:
        """Wait until this process has received a broadcast, by its position."""
        log = self._logs[self._keys.broadcasts]
        with self._moved:
            self._moved.wait_for(lambda: log.position >= position, seconds)

    # The thread -----------------------------------------------------------------------------------

    def run(self, ending: threading.Event) -> None:
        """Receive entries as they come, until it ends."""
        tick = self.last_read = monotonic()
        while not ending.is_set():
            try:
                if not self.begun.is_set():
                    self._begin()
                elif self._health.has_failed("reading"):
                    self._go_back()
                logs, positions = self._get_positions()
                entries = self._store.read(positions, WAIT)
                if monotonic() - self.last_read > LAG:
                    self._health.note_gap(
                        "reading", "it was not read for a while: this process was paused, or is very busy"
                    )
                self._receive_all(entries, logs)
                self._health.recover("reading")
                self.last_read = monotonic()  # not before: what was read is received now
            except Exception as error:
                if not ending.is_set():
                    self._health.fail("reading", error)
                ending.wait(PAUSE)
            if monotonic() - tick > TICK:
                tick = monotonic()
                contain(self._tick)

    def _begin(self) -> None:
        """Begin after the newest entries; changes from before are remembered."""
        self._logs[self._keys.broadcasts].position = self._store.last(self._keys.broadcasts)
        log, newest = self._keys.changes, self._store.last(self._keys.changes)
        while self.change_log.position < newest:
            entries = self._store.read({log: self.change_log.position})
            for entry in entries:
                self.change_log.add(entry)
            if not entries:
                break
        self.begun.set()

    def _go_back(self) -> None:
        """Go on at the end of each log that the store has lost, or a part of it, in a failure."""
        with self.change_log.lock:
            self.change_log.position = min(self.change_log.position, self._store.last(self._keys.changes))
        for name, log in list(self._logs.items()):
            log.position = min(log.position, self._store.last(name))

    def _get_positions(self) -> tuple[dict[str, _Log], dict[str, int]]:
        """All logs, and their positions; changes come last, because they rely on broadcasts from before."""
        with self._moved:
            logs = dict(self._logs)
            positions = {name: log.position for name, log in logs.items()}
        return logs, {**positions, self._keys.changes: self.change_log.position}

    def _receive_all(self, entries: list[Entry], logs: dict[str, _Log]) -> None:
        is_behind = sum(entry.log == self._keys.broadcasts for entry in entries) >= MAX_READ
        for entry in entries:
            if entry.log != self._keys.changes:
                self._receive(entry, logs[entry.log])
            elif not is_behind:
                with self.change_log.lock:
                    change = self.change_log.add(entry)
                    if change is not None:
                        contain(partial(self._receive_change, change))

    def _receive(self, entry: Entry, log: _Log) -> None:
        if self._logs.get(entry.log) is not log:  # followed from its beginning again since the read, or not any more
            return
        content = read_entry(self._keys.open(entry.log, entry.value))
        if content is not None:
            contain(partial(log.receive, content))
        with self._moved:
            log.position = entry.position
            self._moved.notify_all()
