"""This process as one of several replicas of a server: what it asks the store they share, and writes into it.

Knows the store, but neither sessions nor streams. Two threads work for it: one follows logs, one writes.
"""

import os
import threading
from collections.abc import Callable
from contextvars import ContextVar
from secrets import token_hex
from time import monotonic
from typing import Any, TypeVar

from ....protocol.core import Core
from ....store.interface import Store, StoreError
from .store_budget import StoreBudget
from .store_follower import Change, StoreFollower, Take
from .store_health import StoreHealth
from .store_keys import StoreKeys
from .store_writer import StoreWriter

__all__ = ["OwnChanges", "Replica", "replica_of"]

T = TypeVar("T")

ALIVE = 4.0
"""After how many seconds without a sign of it a replica is considered dead."""
MAX_URI = 8_192
"""How many characters the URI of a change may have to reach other replicas: their log is bounded."""
WAIT = 0.5
"""How many seconds the response to a request waits until the store has the changes that it made."""


class OwnChanges:
    """The changes that one request has made."""

    __slots__ = ("_writer", "last")

    def __init__(self, writer: StoreWriter) -> None:
        self._writer = writer
        self.last = 0  # the number of the last one, for the writer

    def are_written(self) -> bool:
        """Whether the store has them."""
        return self._writer.written >= self.last

    def wait(self) -> None:
        """Wait until the store has them, but not for a store that fails."""
        self._writer.wait(self.last, WAIT)


_own_changes: ContextVar[OwnChanges | None] = ContextVar("plainmcp_changes", default=None)


class Replica:
    """One process among those that share a store."""

    def __init__(self, core: Core, store: Store) -> None:
        self._core = core
        self.store = store
        self.keys = StoreKeys(core)
        self.budget = StoreBudget(monotonic)
        self.listeners: list[Take] = []
        """Take the notes for all replicas, and those for this one."""
        self.ticks: list[Callable[[], None]] = []
        """Called about once a second, in the thread of the follower."""
        self.returns: list[Callable[[], None]] = []
        """Called when the store works again."""
        self._reset()
        core.registry.relay = self._relay

    def _reset(self) -> None:
        """Begin as a new replica: at the start, and in each process after a fork."""
        self._process = os.getpid()
        self.name = token_hex(6)
        self._lock = threading.Lock()
        self._ending: threading.Event | None = None
        self._health = StoreHealth(self.returns)
        self._writer = StoreWriter(self.store, self._health, self.keys, self._beat)
        inbox = self.keys.inbox_of(self.name)
        self.follower = StoreFollower(
            self.store, self._health, self.keys, inbox, self._take, self._take_change, self.ticks
        )

    def start(self) -> None:
        """Start to follow and to write, unless it has started in this process."""
        if self._ending is not None and self._process == os.getpid():
            return
        if self._process != os.getpid():
            self._reset()
        with self._lock:
            if self._ending is not None:
                return
            ending = self._ending = threading.Event()
        for name, work in (("follow", self.follower.run), ("write", self._write)):
            threading.Thread(target=work, args=(ending,), name=f"plainmcp-{name}", daemon=True).start()

    def _write(self, ending: threading.Event) -> None:
        while not self.follower.begun.wait(0.2) and not ending.is_set():
            pass  # what it wrote before it follows, it would not see itself
        self._writer.run(ending)

    def wait_to_begin(self, seconds: float = 1) -> None:
        """Start, and wait until no entry is missed any more; but not long, if the store fails."""
        self.start()
        self.follower.begun.wait(seconds)

    def stop(self, seconds: float = 0.5) -> None:
        """Write what waits, within some seconds, and end the threads."""
        ending = self._ending
        if ending is None or self._process != os.getpid():
            return
        self.later(lambda store: store.delete(self.keys.key("replica", self.name)))
        self._writer.finish(seconds)
        self._ending = None
        ending.set()
        self._writer.wake()

    @property
    def problem(self) -> str | None:
        """The reason why the store cannot be used at the moment; None if it can."""
        return self._health.problem

    # Asking the store: these wait, so not in an event loop ----------------------------------------

    def ask(self, work: Callable[[Store], T]) -> T:
        """Use the store in this thread; raises StoreError, at once if the store has failed already."""
        self.start()
        self._health.check()
        try:
            return work(self.store)
        except StoreError as error:
            self._health.fail("writing", error)  # which is tried again soon, and in the background
            self._writer.wake()
            raise

    def append_now(self, log: str, *content: Any) -> int:
        """Append an entry to a log, and return its position; raises StoreError."""
        value = self.keys.sign(log, content)
        return self.ask(lambda store: store.append([(log, value)], *self._writer.limits_of(log)))[0]

    def find_dead(self, names: set[str]) -> set[str]:
        """Those of some replicas that are dead; none, until the store has worked for a while. Raises StoreError."""
        if not names or not self._health.has_worked_for(ALIVE):
            return set()
        return {name for name in names if not self._is_alive(name)}

    def _is_alive(self, name: str) -> bool:
        key = self.keys.key("replica", name)
        value = self.ask(lambda store: store.get(key))
        return value is not None and self.keys.open(key, value) is not None

    def _beat(self, store: Store) -> None:
        key = self.keys.key("replica", self.name)
        store.put(key, self.keys.sign(key, True), ALIVE)

    # Writing later: from any thread, without waiting ----------------------------------------------

    def append(self, log: str, *content: Any) -> int:
        """Append an entry to a log as soon as possible; returns its number."""
        self.start()
        return self._writer.append(log, self.keys.sign(log, content))

    def later(self, work: Callable[[Store], object]) -> None:
        """Do something with the store as soon as possible."""
        self.start()
        self._writer.later(work)

    # Reading --------------------------------------------------------------------------------------

    def follow(self, log: str, take: Take) -> None:
        """Take the entries of a log from its beginning on, in the thread of the follower."""
        self.follower.follow(log, take)
        self.append(self.keys.inbox_of(self.name), "wake")

    def _take(self, kind: str, content: list[Any]) -> None:
        for listener in list(self.listeners):
            listener(kind, content)

    def _take_change(self, change: Change) -> None:
        # Also one that was delivered here at once, because the store failed: this process may not have known then who
        # subscribed to it elsewhere. So after a failure an update may come twice.
        self._core.registry.deliver(change.event, change.uri)

    # Changes --------------------------------------------------------------------------------------

    def _relay(self, event: str, uri: str | None) -> bool:
        """Notify all replicas of a change, this one included; returns False if the listeners are to be called now."""
        if uri is not None and len(uri) > MAX_URI:
            return False
        is_known_here = self.problem is not None
        number = self.append(self.keys.changes, event, uri, self.name if is_known_here else "")
        own = _own_changes.get()
        if own is not None:
            own.last = number
        return not is_known_here

    def watch_changes(self) -> OwnChanges:
        """The changes that are made from now on in this context: by the function of one request."""
        own = OwnChanges(self._writer)
        _own_changes.set(own)
        return own


def replica_of(core: Core, store: Store) -> Replica:
    """The replica of a server: one for all its applications with the same store."""
    replica = getattr(core.registry.relay, "__self__", None)
    if isinstance(replica, Replica) and replica.store is store:
        return replica
    return Replica(core, store)
