"""This process as one of several replicas of a server: what it asks the store they share, and writes into it.

Knows the store, but neither sessions nor streams. Two threads work for it: one follows logs, one writes.

What may be assumed:

- Of the store: what store/interface promises, as long as it works. What `append` has returned is in its log, `read`
  leaves nothing out, and an entry comes with those that were appended before it to the logs that are named first.
- A store may fail at any moment, and may have written what it reports as failed. After a failure it may have lost
  anything: values, the end of a log, or all of it. Positions may be smaller then.
- A replica may end without a word, stop for any time and go on, or fork. No clock is compared with that of another
  machine: each replica measures time by its own.
- Other replicas may run another release. An entry that cannot be read, or has a wrong signature, is skipped.

What is guaranteed:

- From `begun` on a replica receives all entries of its logs, each log in its order, in one thread. Its own are among
  them: its writer begins only when its reader has. A change comes after all broadcasts that were written before it.
- Changes are known by their replica and their number there, so one that was written twice is delivered once. The
  response of the request that made a change waits for it to be written, but not longer than `own_changes.WAIT`.
- `broadcast` returns when every replica that had joined before has received the entry and done what it says, or after
  `ACK_SECONDS`. Who has joined is known, because it waits for its own entry first: `replicas` is read before.
- What one thread appends to one log is written in that order. Broadcasts are written before changes.
- `notify` and `append` promise no more than to try: their entries wait in `writer` within its limits, in number,
  bytes and age. Changes have no greatest age, because clients may ask for them later.
- After a fork the child is another replica, with a name, threads and queues of its own.

What happens when it is late:

- A replica does not acknowledge in time: `broadcast` returns without it, and it is `late`. It has the entry when it
  goes on reading. If it has no heartbeat for `heartbeat.ALIVE` seconds in which the store worked, it is dead, and not
  waited for any more.
- A replica was paused, or too busy to read for `reader.LAG` seconds: it may be dead for others, and may have missed
  entries that expired. It notices by its own clock, before others may take it for dead, and does what it does after a
  failure of the store.
- The store fails: what needs it raises StoreError at once, without another try in the thread of a request. The two
  threads try again every `health.PAUSE` seconds, and everything that needs no store goes on.
- The store works again, or a gap is noticed: `_come_back` joins again, writes the own changes of the last time again
  if the log has lost them, and lets the receivers write what only they know. `reader` goes on at the end of each log
  that got shorter, so nothing is received twice because of that.
- A change is reported before it starts, or after it has stopped: it is written in the thread of the caller, who gets
  the StoreError. What changes in its lists by itself is delivered in this process only.
"""

import os
import threading
from collections.abc import Callable
from functools import partial
from itertools import count
from secrets import token_hex
from time import monotonic
from typing import Protocol, TypeVar
from weakref import WeakSet

from ..errors import AuthorError
from ..limits.shares import Budget
from ..protocol.core import Core, check_key
from ..protocol.listeners import Listeners
from ..store.interface import Store, StoreError
from .change_log import Change, ChangeContent
from .entries import Ack, Broadcast, Holder, Join, Leave, LogEntry, Saved, SessionEnd, SessionEntry, Wake
from .health import StoreHealth, contain
from .heartbeat import Heartbeat
from .keys import LIMITS, StoreKeys
from .own_changes import note_change
from .peers import Peers
from .reader import Receive, StoreReader
from .writer import StoreWriter

__all__ = ["Replica", "replica_of"]

T = TypeVar("T")

MAX_URI = 8_192
"""How many characters the URI of a change may have to reach other replicas: their log is bounded."""
PERIOD = 10.0 * 60
"""The limits of the next two are for so many seconds: almost everything has expired after that."""
MAX_ALL = 2**29
"""How many bytes all callers may let one process write."""
MAX_EACH = 2**26
"""How many bytes one caller may."""
ACK_SECONDS = 0.25
"""How long the other replicas have to acknowledge a broadcast."""
JOIN_PERIOD = 60.0
"""How many seconds pass before a replica writes again that it has joined, so that new ones get to know it."""


class EntryReceiver(Protocol):
    """What the replica passes entries to: the sessions of one application."""

    def receive(self, entry: SessionEntry) -> bool:
        """Receive an entry; returns whether it is about something that it has."""
        ...

    def refuse(self, entry: SessionEntry) -> None:
        """Answer an entry about something that no endpoint has."""

    def tick(self) -> None:
        """Look after what takes time; called about once a second."""

    def write_again(self) -> None:
        """Write again what the store may have lost, because it works again."""


class Replica:
    """One process among those that share a store."""

    def __init__(self, core: Core, store: Store) -> None:
        self._core = core
        self.store = store
        self.keys = StoreKeys(core)
        self.budget = Budget("the shared store of this server", MAX_ALL, MAX_EACH, PERIOD, monotonic)
        self._receivers: list[EntryReceiver] = []
        self._holds = 0
        self.change_listeners = Listeners[[Change]]()
        """Called with the changes in the log, in its order."""
        self.reset()
        core.registry.relay = self
        _replicas.add(self)

    def reset(self) -> None:
        """Begin as a new replica: at the start, and in each process after a fork."""
        self.name = token_hex(6)
        self._peers = Peers()
        self._joined = 0.0  # when it last wrote that it has joined
        self.numbers = count(1)
        """Numbers that are used once in this process."""
        self._lock = threading.Lock()
        self._ending: threading.Event | None = None  # None before the start, and set after the end
        self.health = StoreHealth(self._come_back)
        """Whether the store works."""
        self._heartbeat = Heartbeat(self.keys, self.name, self.health)
        self.writer = StoreWriter(self.store, self.health, self.keys, self._heartbeat.beat)
        """Writes later what the others have to know."""
        inbox = self.keys.inboxes + self.name
        self.reader = StoreReader(
            self.store, self.health, self.keys, inbox, self._receive, self._receive_change, self._tick
        )

    @property
    def is_running(self) -> bool:
        """Whether it has started, and not stopped since."""
        return self._ending is not None and not self._ending.is_set()

    def start(self) -> None:
        """Start to follow and to write, unless it does."""
        if self.is_running:
            return
        with self._lock:
            if self.is_running:
                return
            former, self._ending = self._ending, threading.Event()  # before its threads run: they look at it
            self._heartbeat.start()
            threads = [
                threading.Thread(target=work, args=(self._ending,), name=f"plainmcp-{name}-{self.name}", daemon=True)
                for name, work in (("read", self.reader.run), ("write", self._write))
            ]
            try:
                for thread in threads:
                    thread.start()
            except RuntimeError:  # the system has no more threads: the next use tries again
                self._ending.set()
                self._ending = former
                raise
        self._join()

    def _start_unless_stopped(self) -> None:
        """Start when the store is first used; what its own threads still do after its end does not start it again."""
        if self._ending is None:
            self.start()

    def _join(self) -> None:
        """Write that this replica is there: others wait until it has acknowledged what they send."""
        self._joined = monotonic()
        self.append(self.keys.replicas, Join(self.name))

    def attach(self, receiver: EntryReceiver) -> None:
        """Pass entries to the sessions of an endpoint, unless they get them already."""
        with self._lock:
            if receiver not in self._receivers:
                self._receivers.append(receiver)

    def detach(self, receiver: EntryReceiver) -> None:
        """Do not pass entries to the sessions of an endpoint any more, and stop after the last one."""
        with self._lock:
            if receiver in self._receivers:
                self._receivers.remove(receiver)
        if not self.is_used:
            self.stop()

    def hold(self) -> None:
        """Run until `release` is called as often, whether or not an endpoint has it; waits a moment for the store."""
        with self._lock:
            self._holds += 1
        self.wait_to_join()

    def release(self, seconds: float) -> None:
        """Stop, unless it is held again or an endpoint has it, when what waits is written; at most some seconds."""
        with self._lock:
            self._holds -= 1
        if not self.is_used:
            self.stop(seconds)

    @property
    def is_used(self) -> bool:
        """Whether an endpoint has it, or something else holds it."""
        return bool(self._receivers) or self._holds > 0

    @property
    def is_divided(self) -> bool:
        """Whether several endpoints have it: applications of one server in one process, which have the same inbox."""
        return len(self._receivers) > 1

    def _tick(self) -> None:
        """Look after what takes time, about once a second."""
        if monotonic() - self._joined > JOIN_PERIOD:
            self._join()
        for receiver in list(self._receivers):
            contain(receiver.tick)
        for name in self.find_dead(self._peers.late):
            self._peers.remove(name)

    def _come_back(self) -> None:
        """Write again what the store may have lost, because it works again."""
        self._join()
        self.later(self._write_changes_again)
        for receiver in list(self._receivers):
            contain(receiver.write_again)

    def _write_changes_again(self, store: Store) -> None:
        """Write the last changes of this replica again, if the store has lost them: others may not have read them."""
        log, keys = self.reader.change_log, self.keys
        if store.last(keys.changes) >= log.newest:
            return
        limits = keys.limits_of(keys.changes)
        store.advance(keys.changes, log.newest, limits[1])
        own = [change for change in log.find_after(0) if change.source == self.name]
        store.append([(keys.changes, keys.sign(keys.changes, change.content)) for change in own], *limits)

    def _write(self, ending: threading.Event) -> None:
        while not self.reader.begun.wait(0.2) and not ending.is_set():
            pass  # what it wrote before it follows, it would not see itself
        self.writer.run(ending)

    def wait_to_begin(self, seconds: float = 1) -> None:
        """Start, and wait until no entry is missed any more; but not long, if the store fails."""
        self._start_unless_stopped()
        self.reader.begun.wait(seconds)

    def wait_to_join(self, seconds: float = 1) -> None:
        """Start, and wait until other replicas can know of this one; but not long, if the store fails."""
        self.start()
        self.wait_to_begin(seconds)
        self.writer.finish(seconds)

    def stop(self, seconds: float = 0.5) -> None:
        """Write what waits, within some seconds, and end the threads."""
        ending = self._ending
        if ending is None or not self.is_running:
            return
        self.append(self.keys.replicas, Leave(self.name))
        self.later(self._heartbeat.end)
        self.writer.finish(seconds)
        ending.set()
        self.writer.wake()

    # Asking the store: these wait, so not in an event loop ----------------------------------------

    def use_store(self, work: Callable[[Store], T]) -> T:
        """Use the store in this thread; raises StoreError, at once if the store has failed already."""
        self._start_unless_stopped()
        why_down = self.health.why_down
        if why_down is not None:
            raise StoreError(why_down)
        try:
            return work(self.store)
        except StoreError as error:
            self.health.fail("writing", error)  # which is tried again soon, and in the background
            self.writer.wake()
            raise

    def append_now(self, log: str, entry: LogEntry) -> int:
        """Append an entry to an inbox or to the broadcasts, and return its position; raises StoreError."""
        value = self.keys.sign(log, entry)
        return self.use_store(lambda store: store.append([(log, value)], *LIMITS))[0]

    def broadcast(self, entry: Saved | SessionEnd | Holder) -> None:
        """Write an entry for all replicas, and wait a moment until all have acknowledged it; raises StoreError."""
        number = self._peers.begin()
        try:
            position = self.append_now(self.keys.broadcasts, Broadcast(self.name, number, entry))
            until = monotonic() + ACK_SECONDS
            self.reader.wait_for(position, ACK_SECONDS)  # then all that have joined before are known
            self._peers.wait(number, until - monotonic())
        finally:
            self._peers.end(number)

    def find_dead(self, names: set[str]) -> set[str]:
        """Those of some replicas that are dead; none, if the store does not work. Raises StoreError."""
        if not names or self.health.why_down:
            return set()
        return self.use_store(partial(self._heartbeat.find_dead, names))

    # Writing later: from any thread, without waiting ----------------------------------------------

    def append(self, log: str, entry: LogEntry | ChangeContent) -> int:
        """Append an entry to a log as soon as possible; returns its number."""
        self._start_unless_stopped()
        return self.writer.append(log, self.keys.sign(log, entry))

    def notify(self, replica: str, entry: LogEntry) -> None:
        """Send an entry to one replica, as soon as possible."""
        self.append(self.keys.inboxes + replica, entry)

    def notify_all(self, entry: SessionEntry) -> None:
        """Send an entry to all replicas, as soon as possible."""
        self.append(self.keys.broadcasts, entry)

    def later(self, work: Callable[[Store], object]) -> None:
        """Do something with the store as soon as possible."""
        self._start_unless_stopped()
        self.writer.later(work)

    # Reading --------------------------------------------------------------------------------------

    def follow(self, log: str, receive: Receive) -> None:
        """Receive the entries of a log from its beginning on, in the thread of the reader."""
        self.reader.follow(log, receive)
        self.notify(self.name, Wake())

    def _receive(self, entry: LogEntry) -> None:
        match entry:
            case Join(name):
                if name != self.name:
                    self._peers.add(name)
            case Leave(name):
                self._peers.remove(name)
            case Ack(number, name):
                self._peers.note_ack(number, name)
            case Broadcast(source, number, content):
                self._receive(content)  # without an acknowledgement, if that raises
                if source != self.name:
                    self.notify(source, Ack(number, self.name))
            case SessionEntry():
                receivers = list(self._receivers)  # the last one may leave meanwhile
                is_received = [receiver.receive(entry) for receiver in receivers]
                if receivers and not any(is_received):
                    receivers[0].refuse(entry)
            case _:
                pass

    def _receive_change(self, change: Change) -> None:
        if not (change.was_delivered and change.source == self.name):
            self._core.registry.deliver(change.event, change.uri)
        self.change_listeners.call(change)

    # Changes --------------------------------------------------------------------------------------

    def relay(self, event: str, uri: str | None, is_reported: bool) -> bool:
        """Notify all replicas of a change, this one included; returns False if the registry's listeners come first.

        These are the listen requests in this process, which need no store. Sessions follow the log. A process that
        does not serve writes at once what the author reports, and may raise StoreError. A list that changes there
        without that is one that the process puts together before it serves.
        """
        is_serving = self.is_running or bool(self._receivers)
        if not (is_serving or is_reported):
            return False
        if uri is not None and len(uri) > MAX_URI:
            if is_serving:
                return False
            raise StoreError(f"a URI of more than {MAX_URI} characters cannot be sent to other processes")
        is_delivered = bool(self.health.why_down) or not is_serving
        change = Change(0, event, uri, self.name, next(self.numbers), is_delivered)
        if is_serving:
            note_change(self.append(self.keys.changes, change.content))
        else:
            log = self.keys.changes
            self.store.append([(log, self.keys.sign(log, change.content))], *self.keys.limits_of(log))
        return not is_delivered


def replica_of(core: Core, store: Store) -> Replica:
    """The replica of a server: one for all its applications."""
    if getattr(store, "is_shared", True):
        check_key(core, "store=")
    replica = core.registry.relay
    if not isinstance(replica, Replica) or (replica.store != store and not replica.is_used):
        return Replica(core, store)
    if replica.store != store:
        raise AuthorError(
            "this server has an application with another store already, and all of them share one: pass the same "
            "store= to all, or leave out --store and serve that application"
        )
    return replica


_replicas: "WeakSet[Replica]" = WeakSet()


def _reset_replicas() -> None:
    """Begin as new replicas in a child process: the threads of the parent are not there."""
    for replica in list(_replicas):
        replica.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_replicas)
