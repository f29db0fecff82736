"""This process as one of several replicas: what it writes into the store they share, and what it reads from there.

Two threads do it: one follows the logs, one writes. Knows the store and the server's key, but neither sessions nor
streams: each log has a function that takes its entries. All content is signed before it is written, and is not
believed otherwise.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from secrets import token_hex
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from ...protocol.core import Core
from ...store.interface import Entry, Store, StoreError
from ...wire import signing

__all__ = ["UNAVAILABLE", "Replica", "replica_of"]

T = TypeVar("T")
Take = Callable[[str, list[Any]], None]
"""Takes the kind of an entry, and its content."""

WAIT = 0.5
"""How many seconds the follower waits for entries before it looks after other things."""
PAUSE = 0.2
"""How many seconds pass before the next try, after the store has failed."""
BEAT = 1.0
"""How often a replica writes that it is alive."""
ALIVE = 4.0
"""After how many seconds without such a sign it is considered dead."""
MAX_BUS = 10_000
"""How many entries the log of all replicas keeps: changes since then reach clients that reconnect."""
MAX_LOG = 1_000
"""How many entries other logs keep."""
BUS_SECONDS = 60 * 60
"""How long the log of all replicas is kept after its last entry."""
LOG_SECONDS = 10 * 60
"""How long other logs are kept after their last entry."""
MAX_QUEUE = 10_000
"""How many entries may wait to be written; beyond that the oldest are dropped."""
MAX_QUEUE_BYTES = 2**26
"""How many bytes of them."""
MAX_AGE = 30.0
"""How many seconds an entry waits for a store that fails, before it is dropped."""
UNAVAILABLE = "the store that the replicas of this server share cannot be used at the moment; try again"
"""What clients are sent when the store fails; the log says why."""

_log = logging.getLogger("plainmcp")


class _Item(NamedTuple):
    """Something that waits to be written: an entry of a log, or other work."""

    log: str
    value: bytes
    work: Callable[[Store], object] | None
    since: float


class Replica:
    """One process among those that share a store."""

    def __init__(self, core: Core, store: Store) -> None:
        self._core = core
        self.store = store
        self._base = f"{{{quote(core.info.name, safe='')}}}:"  # in braces: one slot of a cluster
        self._secret: bytes | None = None
        self._has_warned = False
        self.listeners: list[Take] = []
        """Take the entries of the log of all replicas, and those for this replica."""
        self.ticks: list[Callable[[], None]] = []
        """Called now and then in the thread of the follower."""
        self.returns: list[Callable[[], None]] = []
        """Called in that thread when the store works again."""
        self._process = 0
        self._reset()
        core.registry.relay = self._relay

    def _reset(self) -> None:
        """Begin as a new replica: at the start, and in each process after a fork."""
        self._process = os.getpid()
        self.name = token_hex(6)
        self.bus = self._base + "bus"
        self.bus_lock = threading.RLock()
        """Held while an entry of the log of all replicas is taken."""
        self.position = 0
        """The position of the last entry of this log that was taken."""
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)
        self._seen = threading.Condition()
        self._running: threading.Event | None = None
        self.begun = threading.Event()
        """Set when it follows the store: from then on it misses nothing."""
        self._queue: deque[_Item] = deque()
        self._queued_bytes = 0
        self._followed: dict[str, tuple[int, Take]] = {}
        self._problems: dict[str, str] = {}  # what failed last, of reading and writing
        self._up_since = monotonic()
        self._next_beat = 0.0
        self._follower: int | None = None

    # The start and the end ------------------------------------------------------------------------

    def start(self) -> None:
        """Start to follow and to write, unless it has started in this process."""
        if self._running is not None and self._process == os.getpid():
            return
        if self._process != os.getpid():
            self._reset()
        with self._lock:
            if self._running is not None:
                return
            running = self._running = threading.Event()
        for work in (self._follow, self._write):
            threading.Thread(target=work, args=(running,), name=f"plainmcp-{work.__name__}", daemon=True).start()

    def stop(self, seconds: float = 0.5) -> None:
        """Write what waits, within some seconds, and end the threads."""
        running = self._running
        if running is None or self._process != os.getpid():
            return
        self.later(lambda store: store.delete(self.key("replica", self.name)))
        until = monotonic() + seconds
        with self._work:
            while self._queue and not self._problems and monotonic() < until:
                self._work.wait(0.05)
            self._running = None
            running.set()
            self._work.notify_all()

    @property
    def problem(self) -> str | None:
        """The reason why the store cannot be used at the moment; None if it can."""
        return UNAVAILABLE if self._problems else None

    @property
    def taken(self) -> int | None:
        """The position of the entry that is being taken; None in other threads than that of the follower."""
        return self.position if threading.get_ident() == self._follower else None

    # Keys and signatures --------------------------------------------------------------------------

    def key(self, *parts: str) -> str:
        """A key of this server: those of other servers are different."""
        return self._base + ":".join(parts)

    def inbox_of(self, name: str) -> str:
        """The log with the entries for one replica."""
        return self.key("inbox", name)

    def sign(self, key: str, content: Any) -> bytes:
        """Content for a key or log, signed so that it is valid there only."""
        return signing.sign(msgspec.msgpack.encode([key, content]), self._get_secret())

    def open(self, key: str, value: bytes) -> Any:
        """The content that was signed for a key or log; None if it was not signed with the server's key."""
        raw = signing.verify(value, self._get_secret())
        if raw is not None:
            signed_for, content = msgspec.msgpack.decode(raw)
            if signed_for == key:
                return content
        if not self._has_warned:
            self._has_warned = True
            _log.warning(
                "the store has something that was not written by this server, and is ignored (%s): give all replicas "
                "the same Server(key=…), and different servers different names. This is logged once.",
                ascii(key),
            )
        return None

    def mark(self, *parts: str) -> str:
        """A short signature of some texts, for ids that clients send back."""
        return signing.derive_key(self._get_secret(), "mark", *parts).hex()[:16]

    def _get_secret(self) -> bytes:
        if self._secret is None:
            self._secret = signing.derive_key(self._core.key, "store", self._core.info.name)
        return self._secret

    # Asking the store: these wait, so not in an event loop ----------------------------------------

    def ask(self, work: Callable[[Store], T]) -> T:
        """Use the store in this thread; raises StoreError, at once if the store has failed already."""
        self.start()
        if self._problems:
            raise StoreError(next(iter(self._problems.values()), UNAVAILABLE))
        try:
            return work(self.store)
        except StoreError as error:
            self._fail("asking", error)
            raise

    def find_dead(self, names: set[str]) -> set[str]:
        """Those of some replicas that are dead; none, until the store has worked for a while. Raises StoreError."""
        if not names or self._problems or monotonic() - self._up_since <= ALIVE:
            return set()
        return {name for name in names if not self._is_alive(name)}

    def _is_alive(self, name: str) -> bool:
        key = self.key("replica", name)
        value = self.ask(lambda store: store.get(key))
        return value is not None and self.open(key, value) is not None

    def wait_to_begin(self, seconds: float = 1) -> None:
        """Start, and wait until no entry is missed any more; but not long, if the store fails."""
        self.start()
        self.begun.wait(seconds)

    def wait_for(self, position: int, seconds: float) -> None:
        """Wait until this replica has taken an entry of the log of all replicas."""
        with self._seen:
            self._seen.wait_for(lambda: self.position >= position, seconds)

    def append_now(self, log: str, *content: Any) -> int:
        """Append an entry to a log, and return its position; raises StoreError."""
        value, limits = self.sign(log, content), _limits_of(log == self.bus)
        return self.ask(lambda store: store.append([(log, value)], *limits))[0]

    # Writing later: from any thread, without waiting ----------------------------------------------

    def append(self, log: str, *content: Any) -> None:
        """Append an entry to a log as soon as possible."""
        self._put(_Item(log, self.sign(log, content), None, monotonic()))

    def later(self, work: Callable[[Store], object]) -> None:
        """Do something with the store as soon as possible."""
        self._put(_Item("", b"", work, monotonic()))

    def _put(self, item: _Item) -> None:
        self.start()
        with self._work:
            self._queue.append(item)
            self._queued_bytes += len(item.value)
            while len(self._queue) > MAX_QUEUE or self._queued_bytes > MAX_QUEUE_BYTES:
                self._queued_bytes -= len(self._queue.popleft().value)
            self._work.notify_all()

    def _write(self, running: threading.Event) -> None:
        while not self.begun.wait(PAUSE) and not running.is_set():
            pass  # what it wrote before it follows, it would not see itself
        while not running.is_set():
            with self._work:
                if not self._queue:
                    self._work.wait(max(0.0, min(BEAT, self._next_beat - monotonic())))
                items, is_due = list(self._queue), monotonic() >= self._next_beat
            try:
                if is_due:
                    key = self.key("replica", self.name)
                    self.store.put(key, self.sign(key, True), ALIVE)
                    self._next_beat = monotonic() + BEAT
                self._write_items(items)
            except StoreError as error:
                self._fail("writing", error)
                self._drop_old()
                running.wait(PAUSE)
            except Exception:
                _log.exception("writing to the store failed")
                self._remove(items)
            else:
                if items or is_due:
                    self._recover("writing")

    def _write_items(self, items: list[_Item]) -> None:
        for is_bus in (True, False):
            group = [item for item in items if item.work is None and (item.log == self.bus) is is_bus]
            if group:
                self.store.append([(item.log, item.value) for item in group], *_limits_of(is_bus))
                self._remove(group)
        for item in items:
            if item.work is not None:
                item.work(self.store)
                self._remove([item])

    def _remove(self, items: list[_Item]) -> None:
        done = {id(item) for item in items}
        with self._work:
            self._queue = deque(item for item in self._queue if id(item) not in done)
            self._queued_bytes = sum(len(item.value) for item in self._queue)
            self._work.notify_all()

    def _drop_old(self) -> None:
        now = monotonic()
        with self._work:
            old = [item for item in self._queue if now - item.since > MAX_AGE]
        if old:
            _log.warning("the store failed for too long: %d entries for other replicas were dropped", len(old))
            self._remove(old)

    # Following ------------------------------------------------------------------------------------

    def follow(self, log: str, take: Take) -> None:
        """Take the entries of a log from its beginning on, in the thread of the follower."""
        with self._lock:
            self._followed[log] = (0, take)
        self.append(self.inbox_of(self.name), "wake")

    def unfollow(self, log: str) -> None:
        """Do not take the entries of a log any more."""
        with self._lock:
            self._followed.pop(log, None)

    def _follow(self, running: threading.Event) -> None:
        inbox, tick = self.inbox_of(self.name), 0.0
        self._follower = threading.get_ident()
        with self._lock:
            self._followed[inbox] = (0, self._take)
        has_begun = False
        while not running.is_set():
            try:
                if not has_begun or "reading" in self._problems:
                    self._find_position(is_first=not has_begun)
                    has_begun = True
                    self.begun.set()
                with self._lock:
                    after = {self.bus: self.position, **{log: at for log, (at, _) in self._followed.items()}}
                entries = self.store.read(after, WAIT)
                self._recover("reading")
                for entry in entries:
                    self._take_entry(entry)
            except StoreError as error:
                if not running.is_set():
                    self._fail("reading", error)
                running.wait(PAUSE)
            except Exception:
                _log.exception("following the store failed")
                running.wait(PAUSE)
            if monotonic() - tick > 1:
                tick = monotonic()
                for one in self.ticks:
                    _contain(one)

    def _find_position(self, is_first: bool) -> None:
        """Begin after the newest entry of the log of all replicas, but learn from all which sessions have ended.

        After a failure the log may be a new one: then it is taken from its beginning.
        """
        last = self.store.last(self.bus)
        if not is_first:
            self.position = min(self.position, last)
            return
        position = 0
        while position < last:
            entries = self.store.read({self.bus: position})
            if not entries:
                break
            for entry in entries:
                position = entry.position
                content = self.open(self.bus, entry.value)
                if content and content[0] == "end":
                    self._take("end", content[1:])
        with self.bus_lock:
            self.position = max(position, last)

    def _take_entry(self, entry: Entry) -> None:
        content = self.open(entry.log, entry.value)
        if entry.log == self.bus:
            with self.bus_lock, self._seen:
                self.position = entry.position
                if content is not None:
                    _contain(lambda: self._take(content[0], content[1:]))
                self._seen.notify_all()
            return
        with self._lock:
            _, take = self._followed.get(entry.log, (0, None))
            if take is None:
                return
            self._followed[entry.log] = (entry.position, take)
        if content is not None:
            _contain(lambda: take(content[0], content[1:]))

    def _take(self, kind: str, content: list[Any]) -> None:
        if kind == "change":
            event, uri, told = content
            if told != self.name:
                self._core.registry.deliver(event, uri)
        for listener in list(self.listeners):
            listener(kind, content)

    # Changes --------------------------------------------------------------------------------------

    def _relay(self, event: str, uri: str | None) -> bool:
        """Notify all replicas of a change, this one included; returns False if the listeners are to be called now."""
        is_known_here = self._problems != {}
        self.append(self.bus, "change", event, uri, self.name if is_known_here else "")
        return not is_known_here

    # Failures -------------------------------------------------------------------------------------

    def _fail(self, what: str, error: StoreError) -> None:
        if not self._problems:
            _log.warning("the store of the replicas failed: %s", error)
        what = "writing" if what == "asking" else what  # which is tried again soon, and in the background
        self._problems[what] = str(error)
        self._up_since, self._next_beat = monotonic(), 0.0

    def _recover(self, what: str) -> None:
        if self._problems.pop(what, None) is None or self._problems:
            return
        _log.warning("the store of the replicas works again")
        self._up_since = monotonic()
        for one in self.returns:
            _contain(one)


def _limits_of(is_bus: bool) -> tuple[int, float]:
    """How many entries a log keeps, and for how many seconds."""
    return (MAX_BUS, BUS_SECONDS) if is_bus else (MAX_LOG, LOG_SECONDS)


def _contain(work: Callable[[], None]) -> None:
    """Call a function; what it raises ends nothing but itself."""
    try:
        work()
    except StoreError as error:
        _log.debug("%s", error)
    except Exception:
        _log.exception("an entry of the store could not be taken")


def replica_of(core: Core, store: Store) -> Replica:
    """The replica of a server: one for all its applications with the same store."""
    replica = getattr(core.registry.relay, "__self__", None)
    if isinstance(replica, Replica) and replica.store is store:
        return replica
    return Replica(core, store)
