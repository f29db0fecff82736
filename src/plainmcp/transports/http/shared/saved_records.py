"""The records of sessions in the store: loaded, saved and kept, and announced to the other replicas.

Knows the store, but neither HTTP nor exchanges. Its methods wait for the store, so none may run in an event loop.
"""

from functools import partial
from time import monotonic

import msgspec

from ....errors import InternalError
from ....replicas.entries import Saved, SessionEnd
from ....replicas.keys import SMALL
from ....replicas.replica import Replica
from ....replicas.session_record import RecordChange, SessionRecord
from ....store.interface import Store, StoreError
from .session import SharedSession

__all__ = ["SavedRecords"]

MAX_RECORD = 2**20
"""How many bytes the record of a session may take in the store: more than all that it may subscribe to."""
MAX_SENT = 2**10
"""How many bytes of a record are sent to other replicas; they read a larger one from the store."""
SAVE_SECONDS = 0.25
"""How long a change is tried when others change the record, too: clients are answered within a second."""
MAX_AGAIN = 1_000
"""How many sessions are ended again after the store has lost that, the last ones first."""
TRIES = 3
"""How often a session is kept, while others change it."""

REFUSED = "this session keeps too much, has too many subscriptions or too many changes at once, or has ended"
"""Why a change of a session is refused."""


class SavedRecords:
    """The records of the sessions of one endpoint."""

    def __init__(self, replica: Replica, seconds: float) -> None:
        self._replica = replica
        self._seconds = seconds  # how long a session is kept after its last use

    def load(self, session: SharedSession, store: Store) -> SessionRecord | None:
        """Load the record of a session; None if the store has none."""
        key = self._key_of(session.name)
        session.stored = store.get(key)
        record = self._decode(key, session.stored)
        if record is not None:
            session.apply(record)
        return record

    def receive(self, session: SharedSession, record: SessionRecord | None) -> None:
        """Take a record that a replica has sent, or load one that was too large to send; raises StoreError."""
        if record is None:
            self._replica.use_store(partial(self.load, session))
        else:
            session.apply(record)

    # Changes --------------------------------------------------------------------------------------

    def save(self, session: SharedSession, change: RecordChange) -> InternalError | None:
        """Save a change, and wait until all replicas have it; returns the error for the client if it is refused.

        A change that the store has already is sent again: perhaps that failed at the last try. Raises StoreError.
        """
        started = monotonic()
        record = self._replica.use_store(partial(self._change, session, change))
        if record is None:
            return InternalError(REFUSED)
        if monotonic() - started > SAVE_SECONDS:
            raise StoreError("the store is too slow")
        content = record if len(msgspec.msgpack.encode(record)) <= MAX_SENT else None
        self._replica.broadcast(Saved(session.name, content))
        session.apply(record)  # not before: a change that was not sent is refused, and must not have an effect here
        return None

    def _change(self, session: SharedSession, change: RecordChange, store: Store) -> SessionRecord | None:
        """Change the record in the store, and return it; None if that is refused."""
        key, before, until = self._key_of(session.name), session.stored, monotonic() + SAVE_SECONDS
        while monotonic() < until:  # others may change it at the same time
            stored = self._decode(key, before)
            if stored is not None and (stored.has_ended or change.is_in(stored)):
                return None if stored.has_ended else stored
            record = change.apply(session.record.complete(stored))  # what the store has lost is written again
            value = self._replica.keys.sign(key, record)
            growth = max(0, len(value) - len(before or b""))  # the value before it is gone
            if len(value) > MAX_RECORD or self._replica.budget.spend(session.caller, SMALL + growth) is not None:
                return None
            if store.change(key, before, value, self._seconds):
                return record
            before = store.get(key)
        return None

    # Ends -----------------------------------------------------------------------------------------

    def end(self, session: SharedSession) -> None:
        """End a session on all replicas; raises StoreError."""
        self._replica.use_store(partial(self._put_end, session.name))
        self._replica.broadcast(SessionEnd(session.name))

    def end_again(self, names: list[str]) -> None:
        """Write the ends of the newest of some sessions again, soon, if the store has lost them."""
        for name in names[: -MAX_AGAIN - 1 : -1]:
            self._replica.later(partial(self._end_again, name))

    def _end_again(self, name: str, store: Store) -> None:
        key = self._key_of(name)
        record = self._decode(key, store.get(key))
        if record is None or not record.has_ended:  # the store may have come back with an older record
            self._put_end(name, store)
            self._replica.notify_all(SessionEnd(name))

    def _put_end(self, name: str, store: Store) -> None:
        key = self._key_of(name)
        store.put(key, self._replica.keys.sign(key, SessionRecord(has_ended=True)), self._seconds)

    # Use ------------------------------------------------------------------------------------------

    def renew(self, session: SharedSession, store: Store) -> None:
        """Keep a session that is in use.

        If the record of the store is not the one that is known here, nor a later one, it has lost that. Then it gets
        all that is known.
        """
        key, own = self._key_of(session.name), session.record
        for _ in range(TRIES):  # unless others change it at the same time, and so keep it
            before = store.get(key)
            stored = self._decode(key, before)
            record = own.complete(stored)
            value = before if before is not None and record is stored else self._replica.keys.sign(key, record)
            if store.change(key, before, value, self._seconds):
                if stored is not None and record is not stored:
                    self._replica.notify_all(Saved(session.name, None))
                return

    def _decode(self, key: str, value: bytes | None) -> SessionRecord | None:
        content = self._replica.keys.open(key, value)
        return None if content is None else msgspec.convert(content, SessionRecord)

    def _key_of(self, name: str) -> str:
        return self._replica.keys.session_of(name)
