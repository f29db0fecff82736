"""What this process reads from the logs of the store, and the thread that reads it.

Each log has a function that takes its entries. Changes are taken in their order, under a lock, and the last ones are
remembered for clients that reconnect.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from ....store.interface import MAX_READ, Entry, Store, StoreError
from .store_health import PAUSE, StoreHealth, contain
from .store_keys import StoreKeys
from .store_writer import MAX_CHANGES

__all__ = ["Change", "StoreFollower", "Take"]

Take = Callable[[str, list[Any]], None]
"""Takes the kind of an entry, and its content."""
WAIT = 0.5
"""How many seconds it waits for entries before it looks after other things."""
TICK = 1.0
"""How many seconds pass between these, at least."""
LAG = 2.5
"""After how many seconds without a read it may have missed entries: a paused process does not notice otherwise.

Less than the time after which other replicas may take it for dead.
"""

_log = logging.getLogger("plainmcp")


class Change(NamedTuple):
    """One entry of the log of changes."""

    position: int
    event: str
    uri: str | None
    source: str  # the replica in which it was made
    number: int  # among the changes of that replica
    was_delivered: bool  # whether the listen requests there were notified at once

    @property
    def id(self) -> tuple[str, int]:
        """The same for a change that was written again, because the response of the store got lost."""
        return self.source, self.number


class StoreFollower:
    """The logs that one process follows."""

    def __init__(
        self,
        store: Store,
        health: StoreHealth,
        keys: StoreKeys,
        inbox: str,
        take: Take,
        take_change: Callable[[Change], None],
        tick: Callable[[], None],
    ) -> None:
        self._store, self._health, self._keys = store, health, keys
        self._take_change = take_change
        self._tick = tick  # called about once a second
        self._lock = threading.Lock()
        # The replicas come first: who waits for a note has to know who else takes it.
        self._followed: dict[str, tuple[int, Take]] = dict.fromkeys((keys.replicas, keys.notes, inbox), (0, take))
        self._last_read = monotonic()
        self._seen = threading.Condition()
        self.lock = threading.RLock()
        """Held while a change is taken."""
        self.changes: OrderedDict[tuple[str, int], Change] = OrderedDict()
        """The last changes, by id, the oldest first."""
        self.position = 0
        """The position of the last change that was taken; the end of the log, if the store has lost it."""
        self.newest = 0
        """The greatest position of a change, also if the store has lost it."""
        self.begun = threading.Event()
        """Set when it follows: from then on it misses nothing."""

    def follow(self, log: str, take: Take) -> None:
        """Take the entries of a log from its beginning on. Write something, so that the thread looks around."""
        with self._lock:
            self._followed[log] = (0, take)

    def unfollow(self, log: str) -> None:
        """Do not take the entries of a log any more."""
        with self._lock:
            self._followed.pop(log, None)

    @property
    def is_late(self) -> bool:
        """Whether it has not read for so long that it may have missed entries."""
        return monotonic() - self._last_read > LAG

    def wait_for(self, position: int, seconds: float) -> None:
        """Wait until this process has taken a note about a session."""
        with self._seen:
            self._seen.wait_for(lambda: self._followed[self._keys.notes][0] >= position, seconds)

    # The thread -----------------------------------------------------------------------------------

    def run(self, ending: threading.Event) -> None:
        """Take entries as they come, until it ends."""
        tick = self._last_read = monotonic()
        while not ending.is_set():
            try:
                if not self.begun.is_set():
                    self._begin()
                elif self._health.has_failed("reading"):
                    self._go_back()
                entries, is_late = self._store.read(self._get_positions(), WAIT), self.is_late
                self._last_read = monotonic()
                if is_late:
                    self._health.fail(
                        "reading",
                        StoreError("this process did not read it for a while, because it was paused or very busy"),
                    )
                self._take_entries(entries)
                self._health.recover("reading")
            except Exception as error:
                if not ending.is_set():
                    self._health.fail("reading", error)
                ending.wait(PAUSE)
            if monotonic() - tick > TICK:
                tick = monotonic()
                contain(self._tick)

    def _begin(self) -> None:
        """Begin after the newest entries; changes from before are remembered."""
        with self._lock:
            self._followed[self._keys.notes] = (
                self._store.last(self._keys.notes),
                self._followed[self._keys.notes][1],
            )
        log, newest = self._keys.changes, self._store.last(self._keys.changes)
        while self.position < newest:
            entries = self._store.read({log: self.position})
            for entry in entries:
                self._remember(entry)
            if not entries:
                break
        self.begun.set()

    def _go_back(self) -> None:
        """Go on at the end of each log that the store has lost, or a part of it, in a failure."""
        with self.lock:
            self.position = min(self.position, self._store.last(self._keys.changes))
        for log, (position, take) in list(self._followed.items()):
            last = self._store.last(log)
            with self._lock:
                if last < position and log in self._followed:
                    self._followed[log] = (last, take)

    def _get_positions(self) -> dict[str, int]:
        """The positions of all logs; changes come last, because they rely on notes from before."""
        with self._lock:
            return {**{log: at for log, (at, _) in self._followed.items()}, self._keys.changes: self.position}

    def _take_entries(self, entries: list[Entry]) -> None:
        is_behind = sum(entry.log == self._keys.notes for entry in entries) >= MAX_READ
        for entry in entries:
            if entry.log != self._keys.changes:
                self._take_entry(entry)
            elif not is_behind:
                with self.lock:
                    change = self._remember(entry)
                    if change is not None:
                        contain(partial(self._take_change, change))

    def _remember(self, entry: Entry) -> Change | None:
        """Remember a change; returns None if it is known already, or cannot be read."""
        self.position, self.newest = entry.position, max(self.newest, entry.position)
        content = self._keys.open(entry.log, entry.value)
        try:
            change = None if content is None else Change(entry.position, *content)
        except TypeError:  # of another version of this package
            return None
        if change is None or change.id in self.changes:
            return None
        self.changes[change.id] = change
        if len(self.changes) > MAX_CHANGES:
            self.changes.popitem(last=False)
        return change

    def _take_entry(self, entry: Entry) -> None:
        content = self._keys.open(entry.log, entry.value)
        with self._lock:
            _, take = self._followed.get(entry.log, (0, None))
        if take is not None and content is not None:
            contain(lambda: take(content[0], content[1:]))
        with self._lock, self._seen:
            if entry.log in self._followed and take is not None:
                self._followed[entry.log] = (entry.position, take)
            self._seen.notify_all()
