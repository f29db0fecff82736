"""What this process reads from the logs of the store, and the thread that reads it.

Each log has a function that takes its entries. Entries of the log of all replicas are taken in its order, under a
lock, so that others can see how far this process is.
"""

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from ...store.interface import Entry, Store, StoreError
from .store_health import PAUSE, StoreHealth, contain
from .store_keys import StoreKeys

__all__ = ["StoreFollower", "Take"]

Take = Callable[[str, list[Any]], None]
"""Takes the kind of an entry, and its content."""
WAIT = 0.5
"""How many seconds it waits for entries before it looks after other things."""
TICK = 1.0
"""How many seconds pass between these, at least."""

_log = logging.getLogger("plainmcp")


class StoreFollower:
    """The logs that one process follows."""

    def __init__(
        self,
        store: Store,
        health: StoreHealth,
        keys: StoreKeys,
        inbox: str,
        take: Take,
        ticks: list[Callable[[], None]],
    ) -> None:
        self._store, self._health, self._keys = store, health, keys
        self._take = take  # takes the entries of the log of all replicas
        self._ticks = ticks  # called about once a second
        self._lock = threading.Lock()
        self._followed: dict[str, tuple[int, Take]] = {inbox: (0, take)}
        self._thread: int | None = None
        self._seen = threading.Condition()
        self.bus_lock = threading.RLock()
        """Held while an entry of the log of all replicas is taken."""
        self.position = 0
        """The position of the last entry of this log that was taken."""
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
    def taken(self) -> int | None:
        """The position of the entry that is being taken; None in other threads than that of the follower."""
        return self.position if threading.get_ident() == self._thread else None

    def wait_for(self, position: int, seconds: float) -> None:
        """Wait until this process has taken an entry of the log of all replicas."""
        with self._seen:
            self._seen.wait_for(lambda: self.position >= position, seconds)

    # The thread -----------------------------------------------------------------------------------

    def run(self, ending: threading.Event) -> None:
        """Take entries as they come, until it ends."""
        self._thread, tick = threading.get_ident(), monotonic()
        while not ending.is_set():
            try:
                if not self.begun.is_set() or self._health.has_failed("reading"):
                    self._find_position()
                for entry in self._store.read(self._get_positions(), WAIT):
                    self._take_entry(entry)
                self._health.recover("reading")
            except StoreError as error:
                if not ending.is_set():
                    self._health.fail("reading", error)
                ending.wait(PAUSE)
            except Exception:
                if not ending.is_set():
                    _log.exception("following the store failed")
                ending.wait(PAUSE)
            if monotonic() - tick > TICK:
                tick = monotonic()
                for one in self._ticks:
                    contain(one)

    def _find_position(self) -> None:
        """Begin after the newest entry of the log of all replicas.

        After a failure go on; but the logs may be new ones, and then they are taken from their beginning.
        """
        last = self._store.last(self._keys.bus)
        with self.bus_lock:
            self.position = min(self.position, last) if self.begun.is_set() else last
        self.begun.set()

    def _get_positions(self) -> dict[str, int]:
        with self._lock:
            return {self._keys.bus: self.position, **{log: at for log, (at, _) in self._followed.items()}}

    def _take_entry(self, entry: Entry) -> None:
        content = self._keys.open(entry.log, entry.value)
        if entry.log == self._keys.bus:
            with self.bus_lock, self._seen:
                self.position = entry.position
                if content is not None:
                    contain(lambda: self._take(content[0], content[1:]))
                self._seen.notify_all()
            return
        with self._lock:
            _, take = self._followed.get(entry.log, (0, None))
            if take is None:
                return
            self._followed[entry.log] = (entry.position, take)
        if content is not None:
            contain(lambda: take(content[0], content[1:]))
