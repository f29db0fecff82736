"""One session that several replicas serve, as this one has it: its record, its streams, and answers for elsewhere.

Its streams for responses are copied into the store, so that another replica can send the rest. A stream that stays
open has the positions of the log of all replicas as its event ids, so that any replica can continue it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, final

import msgspec
from msgspec import UNSET

from ....errors import InternalError, ProtocolError
from ....limits.shares import Limit
from ....protocol.conversation import ENDS, Steps
from ....protocol.core import Core
from ....protocol.failures import error_response
from ....protocol.store_steps import UNAVAILABLE, StoreExchange, ask_store, do_nothing
from ....replicas.budget import SMALL
from ....replicas.change_log import Change
from ....replicas.claims import Start, StreamClaims
from ....replicas.entries import Answer, Cancel, Holder, Left, SessionEntry
from ....replicas.replica import Replica
from ....replicas.session_record import KeptValues, SessionRecord
from ....revisions import LATEST
from ....wire.jsonrpc import Envelope
from ...connection import change_message
from ...link import RequestLink, normalize_id
from ..refusals import refuse_by
from ..response import JSON, Response
from ..sessions.http_session import SESSION_ENDED, SessionShares, add_standing, make_parts
from ..sessions.interface import Detour
from ..sessions.signed_ids import SignedId
from ..settings import Settings
from ..stream import Stream
from .session_names import (
    MAX_ID,
    find_asker,
    is_own_stream,
    is_standing_stream,
    name_question,
    name_standing_stream,
    name_stream,
)
from .stream_copy import StreamCopy

__all__ = ["SharedSession", "refuse_without_store"]

MAX_FORWARDED = 200
"""How many cancellations and repeated answers one session passes on to other replicas in ten seconds."""
MAX_ANSWERED = 1_000
"""How many questions are remembered that the client has answered: more than it can be asked at once."""
TOO_MANY = Limit("too many answers and cancellations of this session are for other replicas", True)
"""Why an answer is refused."""


@final
class SharedSession:
    """One session that several replicas serve."""

    is_used = False
    """Whether it got a message after its handshake."""
    closed = False

    def __init__(
        self,
        core: Core,
        settings: Settings,
        principal: Any,
        shares: SessionShares,
        address: str | None,
        replica: Replica,
        name: str,
    ) -> None:
        self.id = name.encode()  # until it has a signed one
        self.principal = principal
        parts = make_parts(core, settings, shares, principal, address, self.id, self.send)
        self.caller, self.owner, self.connection, self.streams = parts
        self.streams.name_stream, self.streams.on_keep = self._name_stream, self.copy_stream
        self.name = self.connection.session.id = name
        self.created = self.used = core.now()
        self.can_resume = settings.max_standing > 0
        self.standing: list[Stream] = []
        self._lock = threading.Lock()  # for the streams above, and the claims
        self._now = core.now
        self.version, self._origin = 0, ""  # of its record
        self.values: dict[str, bytes] = {}
        """What handlers keep in it, in JSON."""
        self.stored: bytes | None = None
        """Its record in the store, as it was last read there: a change begins with it."""
        self.renewed = self.created
        """When its use was last written into the store."""
        self.on_use: Callable[[SharedSession, float], None] = _do_nothing
        self.is_loaded = True
        """Whether its record is that of the store: only one that was opened elsewhere has to be loaded."""
        self._claims = StreamClaims(replica.name)
        self._replica = replica
        self._forwarding_since, self._forwarded = 0.0, 0
        self.on_open: Callable[[SharedSession, str], tuple[Stream, int]]
        """Opens a stream for a GET."""
        self.on_end: Callable[[SharedSession], None]
        """Ends it on all replicas; raises StoreError."""
        self._answered: OrderedDict[bytes, None] = OrderedDict()  # questions of other replicas, the last ones
        self.connection.leave_registry(replica.change_listeners.add(self._receive_change))
        self.connection.elsewhere = self

    def restore(self, id: bytes, facts: SignedId) -> bool:
        """Take the facts of an id that another replica made; returns whether its revision is served."""
        session = facts.to_session()
        if session is None:
            return False
        own = self.connection.session
        own.revision, own.capabilities, own.client = session.revision, session.capabilities, session.client
        own.ready, self.is_loaded, self.is_used = True, False, True
        self.id, self.created, self.renewed = id, facts.created, facts.created
        return True

    @property
    def is_reopenable(self) -> bool:
        """Whether it can be closed here and opened again: the objects of this process in it are nowhere else."""
        return not self.connection.session.state

    def note_use(self, now: float) -> None:
        """Note that the client uses the session, also for other replicas: unless it may have ended there."""
        self.used, self.is_used = now, True
        if self.is_loaded:
            self.on_use(self, now)

    @property
    def why_not_ask(self) -> str | None:
        """The reason why the client cannot be asked: its answer may reach any replica."""
        return UNAVAILABLE if self._replica.is_down else None

    # Record ---------------------------------------------------------------------------------------

    @property
    def record(self) -> SessionRecord:
        """Its record, as this replica knows it."""
        facts = self.connection.session
        level = facts.log_level if self.version else None
        return SessionRecord(self.version, level, sorted(facts.subscribed), origin=self._origin, values=self.values)

    def apply(self, record: SessionRecord) -> None:
        """Take the record of the store, unless it is older."""
        if record.version > self.version:
            session = self.connection.session
            self.version, self._origin, session.subscribed = record.version, record.origin, set(record.subscribed)
            session.log_level = record.level or session.log_level
            self.values = record.values

    def open_values(self, has_ended: bool) -> KeptValues:
        """What handlers keep, as one request sees it; raises InternalError if this process does not know."""
        if not (self.is_loaded or self.version):
            raise InternalError(UNAVAILABLE)
        return KeptValues(self.values, has_ended)

    # Questions and cancellations ------------------------------------------------------------------

    def forward(self, envelope: Envelope) -> None:
        """Pass an answer or a cancellation of a batch to other replicas, without waiting for that."""
        route = self.find_route(envelope)
        if route is not None and self.count_forwarded(route[1]) is None:
            self._replica.append(*route)

    def find_route(self, envelope: Envelope) -> tuple[str, SessionEntry] | None:
        """The log for an answer or a cancellation that belongs elsewhere, and the entry; None if it belongs nowhere.

        An answer goes to the replica that asked, and a cancellation to all.
        """
        if envelope.method is UNSET:
            name = _text_of(bytes(envelope.id))
            source = None if name is None else find_asker(self._replica, self.name, name)
            is_here = source == self._replica.name and not self._replica.is_divided  # and has its answer already
            if source is None or is_here:
                return None
            answer = Answer(self.name, bytes(envelope.id), bytes(envelope.result), bytes(envelope.error))
            return self._replica.keys.inbox_of(source), answer
        if envelope.params is None:
            return None
        id = normalize_id(bytes(envelope.params.requestId))
        return (self._replica.keys.broadcasts, Cancel(self.name, id)) if len(id) <= MAX_ID else None

    def count_forwarded(self, entry: SessionEntry) -> Limit | None:
        """The limit that one more message for other replicas is over: one session must not fill the logs.

        The first answer to a question counts for the budget only: it is known that the question was asked.
        """
        now = self._now()
        if now - self._forwarding_since > 10:
            self._forwarding_since, self._forwarded = now, 0
        if not (isinstance(entry, Answer) and self._note_answer(entry.id)):
            self._forwarded += 1
        if self._forwarded > MAX_FORWARDED:
            return TOO_MANY
        return self._replica.budget.spend(self.caller, len(msgspec.msgpack.encode(entry)))

    def _note_answer(self, id: bytes) -> bool:
        """Note the answer to a question of another replica; returns whether it is the first one."""
        is_first = id not in self._answered
        self._answered[id] = None
        if len(self._answered) > MAX_ANSWERED:
            self._answered.popitem(last=False)
        return is_first

    def write(
        self,
        link: RequestLink,
        status: int,
        work: Callable[[], object],
        fail: Callable[[], object] = do_nothing,
    ) -> Detour | Response:
        """Write something into the store, and respond with a status when it has that; if it fails, do something else.

        The limits of running requests do not count: those that run may wait for this.
        """
        if self._replica.is_down:
            fail()
            return refuse_without_store()

        def write() -> None:
            work()

        def steps() -> Steps:
            problem: ProtocolError | None = InternalError(UNAVAILABLE)
            with suppress(*ENDS):
                problem = yield from ask_store(write, fail)
            return None if problem is None else link.refuse(problem)

        exchange = StoreExchange(steps=steps()).begin()
        return Detour(exchange, lambda message: refuse_without_store(message) if message else Response(status))

    def end(self, link: RequestLink) -> Detour | Response:
        """The response to DELETE, which ends the session on all replicas (R2511-SESS-04)."""
        limit = self._replica.budget.spend(self.caller, SMALL)
        return self.write(link, 204, partial(self.on_end, self)) if limit is None else refuse_by(limit)

    # Streams --------------------------------------------------------------------------------------

    # Numbers are those of the process: a session may be closed here and opened again, and then its client comes back
    # to what was before.

    def name_question(self) -> str:
        """The id of a question."""
        return name_question(self._replica, self.name, next(self._replica.numbers))

    def _name_stream(self, id: bytes) -> str:
        return name_stream(self._replica, self.name, next(self._replica.numbers), id)

    def log_of(self, stream: str) -> str:
        """The log with the copy of a stream."""
        return self._replica.keys.stream_of(self.name, stream)

    def copy_stream(self, stream: Stream) -> None:
        """Copy a stream into the store, from its first event on."""
        stream.copy_to(StreamCopy(self._replica, self.log_of(stream.name), self.caller).write)

    def mirror(self, name: str, after: int) -> Stream:
        """A stream for the events of another replica's stream, after an event; it ends when its client leaves."""
        stream = self.streams.make(name, after)
        self.streams.keep(stream, is_mirror=True)
        return stream

    def _leave_mirror(self, stream: Stream) -> None:
        is_own = is_own_stream(self._replica, stream.name)
        if not is_own and not stream.finished and stream.reader is None:
            stream.finish()
            self.streams.drop(stream)

    def open_stream(self, event_id: str) -> tuple[Stream, int] | Response:
        """The stream for a GET, and the event after which it is read; or a response that refuses it."""
        if self._replica.is_down or not self._replica.reader.begun.is_set():
            return refuse_without_store()  # it is not known what the client misses
        limit = self._replica.budget.spend(self.caller, SMALL)
        return self.on_open(self, event_id) if limit is None else refuse_by(limit)

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept here."""
        return None if self._replica.is_down else self.streams.find(event_id)

    def make_standing_stream(self, after: int = 0, name: str | None = None) -> Stream:
        """A stream for messages that belong to no request, after a position: a new one, or the rest of one."""
        self.connection.session.ready = True  # notifications/initialized may have reached another replica
        return self.streams.make(name or name_standing_stream(self._replica), after)

    # Which stream gets messages: see replicas/claims.

    @property
    def holder(self) -> str | None:
        """The other replica that has its newest open stream."""
        return self._claims.holder

    def begin_claim(self, stream: Stream, start: int, position: int) -> None:
        """Claim a stream, which has the changes up to `start`; `position` is that of the last change here."""
        with self._lock:
            self._claims.begin(start, position if self._has_other(stream.name) else None)

    def claim_newest(self, position: int) -> Stream | None:
        """Claim the newest stream that stays open here, because one at another replica, at a position, is gone."""
        with self._lock:
            self._claims.holder = None
            if not self.standing:
                return None
            stream = self.standing.pop()
            self._claims.begin_again(max(stream.last, position))
            return stream

    def announce(self, stream: Stream) -> Holder:
        """The entry with which other replicas get to know that a stream is claimed."""
        with self._lock:
            return self._announce(stream)

    def _announce(self, stream: Stream) -> Holder:
        number = next(self._replica.numbers)
        self._claims.announce(number)
        return Holder(self.name, self._replica.name, stream.name, number)

    def announce_again(self) -> None:
        """Announce the newest open stream again, if this replica has it: the store may have lost that."""
        with self._lock:
            self._claims.forget_announced()
            if self.standing and self.holder is None:
                self._replica.notify_all(self._announce(self.standing[-1]))

    def receive_holder(self, holder: Holder, position: int) -> Start | None:
        """Take what a replica has announced; returns where its stream begins, if one here had the changes before."""
        with self._lock:
            sent = position if self._has_other(holder.stream) else None
            return self._claims.receive_holder(holder.replica, holder.number, sent)

    def is_without_stream(self, left: Left) -> bool:
        """Whether no replica has a stream that gets messages, now that the client has left one."""
        with self._lock:
            return self._claims.is_holder(left.replica, left.number)

    def notify_left(self, position: int) -> None:
        """Notify other replicas that the client reads no stream here any more."""
        self._replica.notify_all(Left(self.name, self._replica.name, self._claims.number, position))

    def receive_start(self, start: Start) -> None:
        """Take where the stream of another replica has ended."""
        with self._lock:
            self._claims.receive_start(start)

    def find_start(self) -> int | None:
        """The position after which a stream that is claimed gets the changes; None if another one is newer by now."""
        with self._lock:
            return self._claims.find_start()

    def end_claim(self, stream: Stream, position: int | None) -> bool:
        """Send messages that belong to no request on a stream, which has all changes up to a position.

        Returns False if its client has left already.
        """
        with self._lock:
            if self.closed:
                stream.finish()
            surplus = [] if stream.finished else add_standing(self.standing, stream)
            self._claims.end(None if stream.finished else position)
        for one in surplus:
            one.finish()
        return not stream.finished

    def _has_other(self, stream: str) -> bool:
        """Whether the newest stream here is not the one with a name, or an older part of it."""
        return bool(self.standing) and self.standing[-1].name != stream

    def leave_stream(self, stream: Stream) -> None:
        """Note that the client does not read an open stream any more: it can continue with another replica."""
        if not is_standing_stream(stream.name):
            self._leave_mirror(stream)
            return
        with self._lock:
            stream.finish()  # also one that is not added yet
            if stream not in self.standing:
                return
            self.standing.remove(stream)
            if not self.standing and not self._claims.is_pending:  # else the stream that is claimed gets the messages
                self.notify_left(stream.read)

    def send(self, message: bytes) -> None:
        """Send a message that belongs to no request."""
        for stream in self._find_newest():
            stream.put(message)

    def _find_newest(self) -> list[Stream]:
        """The one stream, of all replicas, for what belongs to no request, if this replica has it (R2511-HTTP-22)."""
        with self._lock:
            return self.standing[-1:] if self.holder is None else []

    def wants(self, change: Change) -> bool:
        """Whether its client gets a notification of a change."""
        return self.connection.session.wants(change.event, change.uri)

    def send_change(self, stream: Stream, change: Change) -> None:
        """Send a notification of a change on a stream, unless it has that already."""
        stream.put(change_message(change.event, change.uri), change.position)

    def _receive_change(self, change: Change) -> None:
        if not self._claims.is_pending and self.wants(change):
            for stream in self._find_newest():
                self.send_change(stream, change)

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a client reads a stream."""
        return bool(self.standing) or self.connection.busy or self.streams.are_read

    def close(self) -> None:
        """Close the session in this replica only."""
        with self._lock:  # no stream is added after `closed` is set
            was_closed, self.closed = self.closed, True
            standing, self.standing = self.standing, []
        if was_closed:
            return
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        self.streams.close()
        for stream in standing:
            stream.finish()


def refuse_without_store(message: bytes | None = None) -> Response:
    """The response to a request that needs the store while it cannot be used, with the message that says so."""
    message = message or error_response(InternalError(UNAVAILABLE), LATEST)
    return Response(503, message, (*JSON, (b"retry-after", b"1")))


def _do_nothing(session: SharedSession, now: float) -> None:
    """Note no use."""


def _text_of(id: bytes) -> str | None:
    """The text in an id; None if it is another kind of JSON."""
    try:
        return msgspec.json.decode(id, type=str)
    except msgspec.MsgspecError:
        return None
