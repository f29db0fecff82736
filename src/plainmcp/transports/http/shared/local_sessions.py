"""The sessions that all replicas serve, as this one has them.

They are opened from their signed ids, and entries of other replicas change them. A session is loaded from the store
before its first request at this replica; later plain calls do not ask the store.
"""

import threading
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from secrets import token_urlsafe
from typing import Any
from weakref import WeakValueDictionary

from ....limits.shares import Limit, Share
from ....protocol.core import Core
from ....protocol.store_keys import StreamName
from ....replicas.entries import (
    Answer,
    Cancel,
    Handover,
    Holder,
    Left,
    Lost,
    Resend,
    Saved,
    SessionEnd,
    SessionEntry,
)
from ....replicas.replica import replica_of
from ....store.interface import Store, StoreError
from ...threads import threads_of
from ..sessions.memory import SessionTable, shares_of
from ..sessions.signed_ids import SignedId, SignedIds
from ..settings import Settings
from ..stream import Stream, split_event_id
from .mirrors import Mirrors
from .saved_records import SavedRecords
from .session import SharedSession
from .session_expiry import SessionExpiry, seconds_of
from .standing_streams import is_standing_stream

__all__ = ["LocalSessions"]

MAX_DIGITS = 19
"""How many digits a position in the log of changes may have, which is the number of an event."""
MAX_ENDED = 10_000
"""How many sessions that have ended are remembered; the store has all of them."""


class LocalSessions:
    """The sessions of one endpoint that other replicas serve, too, as this replica has them."""

    def __init__(self, core: Core, store: Store, settings: Settings, unread: Share) -> None:
        self._core, self._settings = core, settings
        self.kept = SessionTable[SharedSession](settings, core.now, self.restore)
        self._shares = shares_of(self.kept, settings, unread)
        self._ids = SignedIds(core, settings.session_seconds)
        self._by_name: WeakValueDictionary[str, SharedSession] = WeakValueDictionary()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._opening = threading.Lock()
        self.replica = replica_of(core, store)
        idle = settings.session_idle_seconds
        self.records = SavedRecords(self.replica, seconds_of(idle))
        self._expiry = SessionExpiry(self.replica, idle, core.now, self._get_all, self.records.renew)
        self._mirrors = Mirrors(self.replica)
        self.threads = threads_of(core).files
        self.attach()

    def attach(self) -> None:
        """Receive the entries of the replica, and be called now and then."""
        self.replica.attach(self)

    def detach(self) -> None:
        """Receive no more entries; the replica stops with its last endpoint."""
        self.replica.detach(self)

    def tick(self) -> None:
        """Look after what takes time; called about once a second."""
        self._mirrors.tick()
        self._expiry.tick()
        muted = {session: session.standing_streams.muted_by for session in self._get_all()}
        dead = self.replica.find_dead({holder for holder in muted.values() if holder is not None})
        for session, holder in muted.items():
            if holder in dead:
                session.standing_streams.read_here()

    def _get_all(self) -> list[SharedSession]:
        refs = self._by_name.valuerefs()  # a list: other threads add sessions meanwhile
        return [session for ref in refs if (session := ref()) is not None]

    def write_again(self) -> None:
        """Write again what other replicas need, and read what they have changed: the store works again.

        It may have lost what it had.
        """
        self._expiry.begin_again()
        for session in self._get_all():
            session.is_loaded = False
            if session.version and not session.closed:
                self.replica.later(partial(self.records.renew, session))
            session.standing_streams.announce_again()
        self.records.end_again(list(self._ended))

    def make(self, principal: Any, address: str | None) -> SharedSession:
        """A new session, before its handshake."""
        return self._make(principal, address, token_urlsafe(15))

    def _make(self, principal: Any, address: str | None, name: str) -> SharedSession:
        self.attach()
        self.replica.start()
        session = SharedSession(self, self._core, self._settings, principal, self._shares, address, name)
        self._by_name[name] = session
        return session

    def make_id(self, session: SharedSession) -> bytes:
        """The signed id of a session after its handshake; raises InvalidParams."""
        id = self._ids.make(session.connection.session, session.principal, session.name)
        self.kept.rename(session, id)
        return id

    def restore(self, id: bytes, principal: Any, address: str | None) -> SharedSession | Limit | None:
        """The session of an id that another replica made; None if there is none, or the limit that it is over."""
        facts = self._ids.read(id, principal)
        if facts is None or facts.name in self._ended:
            return None
        with self._opening:
            if id in self.kept:  # another request has opened it, or its principal is not equal to this one
                return self.kept.get(id, principal)
            return self._open(id, facts, principal, address)

    def _open(self, id: bytes, facts: SignedId, principal: Any, address: str | None) -> SharedSession | Limit | None:
        session = self._make(principal, address, facts.name)
        if not session.restore(id, facts):
            session.close()
            return None
        limit = self.kept.add(session)
        if limit is not None:
            session.close()
        return limit or session

    def note_use(self, session: SharedSession, now: float) -> None:
        """Note, also for other replicas, that a session is used."""
        self._expiry.note(session, now)

    def load(self, session: SharedSession) -> None:
        """Load a session that was opened elsewhere, and close it if it has ended there; raises StoreError."""
        if not session.is_loaded:
            self.load_again(session)

    def load_again(self, session: SharedSession) -> None:
        """Load a session although it was loaded before; raises StoreError."""
        if self.replica.use_store(partial(self._has_ended, session)):
            self._end_here(session.name)  # before it counts as loaded: other requests may wait for that
            self.kept.remove(session)  # another one may have its name by now
        session.is_loaded = True
        if not session.closed:
            session.note_use(self._core.now())

    def _has_ended(self, session: SharedSession, store: Store) -> bool:
        """Load the record of a session; returns whether it has ended."""
        record = self.records.load(session, store)
        return self._expiry.is_idle(session, store) if record is None else record.has_ended

    def end(self, session: SharedSession) -> None:
        """End a session on all replicas; raises StoreError."""
        self.records.end(session)
        self._end_here(session.name)

    def _end_here(self, name: str) -> None:
        self._ended[name] = None
        while len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        session = self._by_name.get(name)
        if session is not None:
            self.kept.remove(session)
            self._by_name.pop(name, None)  # not before: a thread that does not find it must see that it is closed

    def receive(self, entry: SessionEntry) -> bool:
        """Receive an entry of any replica; returns whether it is about a session of this endpoint."""
        if isinstance(entry, SessionEnd):
            self._end_here(entry.session)
            return True
        session = self._by_name.get(entry.session)
        if session is None or session.closed:
            return False
        connection = session.connection
        match entry:
            case Saved(_, record):
                self.records.receive(session, record)
            case Cancel(_, id):
                connection.cancel_request(id)
            case Answer(_, id, result, error):
                connection.take_answer(id, result, error)
            case Holder():
                session.standing_streams.receive_holder(entry)
            case Handover():
                session.standing_streams.receive_handover(entry)
            case Left():
                session.standing_streams.receive_left(entry)
            case Resend(_, stream):
                self._mirrors.send_again(session, stream)
            case _:
                pass
        return True

    def refuse(self, entry: SessionEntry) -> None:
        """Answer an entry about a session that is not here."""
        if isinstance(entry, Resend):
            self.replica.append(f"{self.replica.keys.streams}{entry.session}:{entry.stream}", Lost())

    def open_stream(self, session: SharedSession, event_id: str) -> tuple[Stream, int]:
        """The stream for a GET, and the event after which it is read; what takes longer is done in a thread."""
        name, number = split_event_id(event_id, MAX_DIGITS)
        whole = session.find_stream(f"{name}-0")
        if whole is not None:  # its number is not a number
            return whole
        parts = self.replica.keys.read_stream_name(session.name, name)
        if parts is not None:
            stream, after = session.mirror(name, number or 0), number or 0
            self.threads.submit(partial(self._follow, session, stream, parts), session.caller)
        else:
            is_known = is_standing_stream(name) and number is not None
            after = number if is_known and number is not None else self.replica.reader.change_log.newest
            stream = session.make_standing_stream(after, name if is_known else None)
            session.standing_streams.open(stream, after, not is_known)
        return stream, after

    def _follow(self, session: SharedSession, stream: Stream, name: StreamName) -> None:
        with suppress(StoreError):  # then the stream waits until the store works again
            self.load(session)
        if session.closed:
            stream.finish()
        else:
            self._mirrors.follow(session, stream, name)
