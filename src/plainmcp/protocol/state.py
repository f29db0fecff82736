"""What a server keeps longer than a request: records by owner that expire, bounded in number and in bytes.

On the store of the server, or in memory if it has none. Knows bytes, not what a record means.

The theory. A record has a key of its own in the store. What the records of one share take, and what those of all
shares take, stands in ledgers: small values that change by compare-and-set, so that several processes count alike.
Space is taken in the ledgers before a record is written, and given back after it was removed. So a process that dies
in between, or a store that fails, leaves space that is taken and not used, until the entry of the ledger expires with
its record: the limits hold at every moment, and a record may be refused too early. Before that happens for all shares
together, they are counted again.

Each attempt to write a record has an entry of its own, so that an attempt that loses against another one gives back
its own space and no other. What others attempt is left alone: it may succeed later. Of the attempts for one record
the largest counts. A ledger of a share is read after that of all shares: the last one who writes what a share has
there has seen all that others wrote before.

A record that another version of this code has written is treated as absent, so that replicas of two releases may run
side by side. So is one that was not signed with the key of the server.
"""

from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from ..errors import PlainMCPError
from ..store.interface import Store, StoreError
from ..store.memory import MemoryStore
from ..wire import signing
from .conversation import Steps
from .core import Core
from .identity import lasting_text_of
from .request import Request
from .store_keys import ServerKeys
from .store_steps import ask_store

__all__ = ["Full", "KeptRecord", "Kind", "RecordOwner", "State", "owner_of"]

T = TypeVar("T")

FORM = "state 1"
"""The form of what is written here: another form has other keys, so that two releases do not read each other's."""
TRIES = 50
"""How often a change is tried while others change the same value."""
OVERHEAD = 200
"""How many bytes a record counts for in addition to its value."""
GONE = 0.001
"""How many seconds the mark stays that takes the place of a record that is removed."""
SWEEP_SECONDS = 1.0
"""How long after a search for expired entries the next one may begin."""


class Full(PlainMCPError):
    """There is no space for a record: its owner has as much as one may have, or all together have."""


class Kind(Struct, frozen=True):
    """What records are for, and how many there may be."""

    name: str
    version: int = 1  # of what the values are
    most: int = 1_000
    most_per_owner: int = 50
    most_bytes: int = 256 * 2**20
    most_bytes_per_owner: int = 16 * 2**20


class RecordOwner(NamedTuple):
    """Whose a record is."""

    name: str
    """Who may use it: the text of a principal; empty if callers are not told apart, and its id is the secret."""
    share: str
    """Whose limit it counts for: the principal, else the address, else the session."""


class KeptRecord(NamedTuple):
    """A record: its value, and until when it is kept, in seconds since 1970."""

    value: bytes
    until: float


class _Record(Struct, array_like=True):
    version: int
    owner: str
    share: str
    until: float
    value: bytes
    attempt: str  # its entry in the ledger


class _Count(Struct, array_like=True):
    """How many bytes a record takes, or several records together; and until when."""

    size: int
    until: float
    count: int = 1


_Ledger = dict[str, _Count]
"""Of all shares: by share. Of one share: by record and attempt."""


def owner_of(core: Core, request: Request) -> RecordOwner:
    """The owner of what a request leaves behind."""
    if request.principal is not None:
        name = lasting_text_of(core, request.principal, "what this caller leaves behind cannot be found again")
        return RecordOwner(name, f"principal {name}")
    if request.headers is not None and request.headers.network is not None:  # one address may have many sessions
        return RecordOwner("", f"address {request.headers.network}")
    return RecordOwner("", "" if request.session is None else f"session {request.session.id}")


class State:
    """The records of one kind that a server keeps."""

    def __init__(self, core: Core, kind: Kind) -> None:
        self._kind, self._now = kind, core.now
        self._keys = ServerKeys(core)
        self._store: Store = MemoryStore() if core.store is None else core.store
        self._waits = core.store is not None
        self._swept = -SWEEP_SECONDS

    def ask(self, work: Callable[[], T]) -> Steps:
        """The steps of work with the records, which wait for the store; their value is that of the work.

        Raises what the work raises, and InternalError if the store fails.
        """
        if not self._waits:
            return work()
        outcome: list[tuple[Any, PlainMCPError | None]] = []

        def run() -> None:
            try:
                outcome.append((work(), None))
            except StoreError:
                raise
            except PlainMCPError as problem:
                outcome.append((None, problem))

        failure = yield from ask_store(run)
        if failure is not None:
            raise failure
        value, problem = outcome[0]
        if problem is not None:
            raise problem
        return value

    # Each of these waits for the store, and raises StoreError.

    def add(self, owner: RecordOwner, id: str, value: bytes, seconds: float) -> bool:
        """Keep a value for some seconds; returns False if there is a record with this id. Raises Full."""
        for _ in range(TRIES):
            raw, there = self._read(id)
            if there is not None:
                return False
            record = _Record(self._kind.version, owner.name, owner.share, self._now() + seconds, value, "")
            if self._write(id, raw, record):
                return True
        raise _too_busy()

    def find(self, owner: RecordOwner, id: str) -> KeptRecord | None:
        """A record; None if there is none, none any more, or it is of another owner."""
        _, record = self._read(id)
        return None if record is None or record.owner != owner.name else KeptRecord(record.value, record.until)

    def change(
        self, owner: RecordOwner, id: str, to_next: Callable[[bytes], bytes | None], seconds: float | None = None
    ) -> KeptRecord | None:
        """Change a record by a function of its value, which returns the next one, or None to leave it as it is.

        The function is called again if another process changes the record meanwhile. With `seconds` the record is
        kept so long from now on. Returns the record as it is then; None if there is none. Raises Full.
        """
        for _ in range(TRIES):
            raw, record = self._read(id)
            if record is None or record.owner != owner.name:
                return None
            value = to_next(record.value)
            if value is None:
                return KeptRecord(record.value, record.until)
            until = record.until if seconds is None else self._now() + seconds
            following = msgspec.structs.replace(record, value=value, until=until)
            if self._write(id, raw, following):
                self._give_back(record)
                return KeptRecord(value, until)
        raise _too_busy()

    def remove(self, owner: RecordOwner, id: str) -> None:
        """Keep a record no longer."""
        for _ in range(TRIES):
            raw, record = self._read(id)
            if record is None or record.owner != owner.name:
                return
            key = self._key_of(id)
            if self._store.change(key, raw, self._keys.sign(key, None), GONE):
                return self._give_back(record)
        raise _too_busy()

    # Records --------------------------------------------------------------------------------------

    def _key_of(self, id: str) -> str:
        return self._keys.key(FORM, self._kind.name, "record", signing.digest(id))

    def _read(self, id: str) -> tuple[bytes | None, _Record | None]:
        """What the store has for an id, and the record in it: None if it has expired, or cannot be read here."""
        key = self._key_of(id)
        raw = self._store.get(key)
        content = self._keys.open(key, raw)
        if not isinstance(content, list) or not content or content[0] != self._kind.version:
            return raw, None
        record = msgspec.convert(content, _Record)
        return raw, record if record.until > self._now() else None

    def _write(self, id: str, before: bytes | None, record: _Record) -> bool:
        """Write a record unless another process has changed it since it was read; returns whether it was written.

        Raises Full.
        """
        record.attempt = f"{signing.digest(id)} {token_hex(8)}"
        self._take_space(record)
        key, seconds = self._key_of(id), max(0.001, record.until - self._now())
        is_written = self._store.change(key, before, self._keys.sign(key, record), seconds)
        if not is_written:
            self._give_back(record)
        return is_written

    # Ledgers --------------------------------------------------------------------------------------

    def _take_space(self, record: _Record) -> None:
        """Count a record as large as it is going to be; raises Full."""
        kind, share = self._kind, signing.digest(record.share)
        entry = _Count(len(record.value) + OVERHEAD, record.until)

        def count(ledger: _Ledger) -> _Ledger:
            after = {**ledger, record.attempt: entry}
            old, new = _sum_records(ledger), _sum_records(after)
            _check(old, new, kind.most_per_owner, kind.most_bytes_per_owner, "one caller")
            return after

        self._change(self._ledger_of(share), count)
        try:
            self._count_in_all(share)
        except Full:
            self._give_back(record)
            raise

    def _give_back(self, record: _Record) -> None:
        """Count a record no longer: it was not written, or it is replaced or removed."""
        share, attempt = signing.digest(record.share), record.attempt
        self._change(
            self._ledger_of(share),
            lambda ledger: {name: entry for name, entry in ledger.items() if name != attempt},
        )
        with suppress(Full):  # others of the share have taken space meanwhile, and count it themselves
            self._count_in_all(share)

    def _count_in_all(self, share: str) -> None:
        """Count what one share has among those of all; raises Full."""
        kind = self._kind

        def count(ledger: _Ledger) -> _Ledger:
            own = _sum_records(self._read_ledger(self._ledger_of(share))[1])
            after = {one: entry for one, entry in {**ledger, share: own}.items() if entry.count}
            _check(_sum(ledger), _sum(after), kind.most, kind.most_bytes, "all callers together")
            return after

        try:
            self._change(self._ledger_of(""), count)
        except Full:
            if monotonic() - self._swept < SWEEP_SECONDS:
                raise
            self._swept = monotonic()
            self._sweep()
            self._change(self._ledger_of(""), count)

    def _sweep(self) -> None:
        """Count again what each share has: single records may have expired."""
        seen = self._read_ledger(self._ledger_of(""))[1]
        counted = {share: _sum_records(self._read_ledger(self._ledger_of(share))[1]) for share in seen}

        def recount(ledger: _Ledger) -> _Ledger:
            fresh = {share: counted[share] for share in ledger if ledger[share] == seen.get(share)}
            less = {
                share: one
                for share, one in fresh.items()
                if one.count <= ledger[share].count and one.size <= ledger[share].size
            }
            return {share: one for share, one in {**ledger, **less}.items() if one.count}

        self._change(self._ledger_of(""), recount)

    def _ledger_of(self, share: str) -> str:
        """The key of the ledger of a share; of all shares if it is empty."""
        return self._keys.key(FORM, self._kind.name, "ledger", share)

    def _read_ledger(self, key: str) -> tuple[bytes | None, _Ledger]:
        raw, now = self._store.get(key), self._now()
        ledger = msgspec.convert(self._keys.open(key, raw) or {}, _Ledger)
        return raw, {name: entry for name, entry in ledger.items() if entry.until > now}

    def _change(self, key: str, to_next: Callable[[_Ledger], _Ledger]) -> _Ledger:
        """Change a ledger by compare-and-set; returns it as it is then."""
        for _ in range(TRIES):
            raw, ledger = self._read_ledger(key)
            after = to_next(ledger)
            until = max((entry.until for entry in after.values()), default=0)
            if self._store.change(key, raw, self._keys.sign(key, after), max(1.0, until - self._now())):
                return after
        raise _too_busy()


def _sum(ledger: _Ledger) -> _Count:
    entries = ledger.values()
    return _Count(
        sum(one.size for one in entries),
        max((one.until for one in entries), default=0),
        sum(one.count for one in entries),
    )


def _sum_records(ledger: _Ledger) -> _Count:
    """The sum of the records of one share: only one of the attempts for a record succeeds."""
    largest: _Ledger = {}
    for name, entry in ledger.items():
        id = name.split()[0]
        other = largest.get(id, entry)
        largest[id] = _Count(max(entry.size, other.size), max(entry.until, other.until))
    return _sum(largest)


def _check(old: _Count, new: _Count, most: int, most_bytes: int, who: str) -> None:
    """Let a sum grow up to a limit; raises Full."""
    if new.count > max(most, old.count):
        raise Full(f"{who} may have {most} of these at a time")
    if new.size > max(most_bytes, old.size):
        raise Full(f"{who} may have {most_bytes} bytes of these at a time")


def _too_busy() -> StoreError:
    return StoreError(f"others have changed the same value {TRIES} times meanwhile")
