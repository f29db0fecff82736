"""One session that several replicas serve, as this one has it: its record, its streams, and answers for elsewhere.

Its streams for responses are copied into the store, so that another replica can send the rest. A stream that stays
open has the positions of the log of all replicas as its event ids, so that any replica can continue it.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from time import monotonic
from typing import Any, Protocol, final

import msgspec
from msgspec import UNSET

from ....errors import InternalError
from ....limits.shares import Limit
from ....protocol.core import Core
from ....protocol.failures import error_response
from ....protocol.store_keys import MAX_ID
from ....protocol.store_steps import UNAVAILABLE, do_nothing, write_into_store
from ....replicas.change_log import Change
from ....replicas.entries import Answer, Cancel, Event, Lost, SessionEntry
from ....replicas.keys import NEW_LOG, SMALL
from ....replicas.reader import BEHIND
from ....replicas.replica import Replica
from ....replicas.session_record import KeptValues, SessionRecord
from ....revisions import LATEST
from ....wire.jsonrpc import Envelope
from ...link import RequestLink, normalize_id
from ...threads import Threads
from ..refusals import refuse_by
from ..response import JSON, Response
from ..sessions.http_session import SESSION_ENDED, SessionShares, make_parts
from ..sessions.interface import Detour
from ..sessions.signed_ids import SignedId
from ..settings import Settings
from ..stream import Stream
from .standing_streams import StandingStreams, is_standing_stream, name_standing_stream

__all__ = ["SharedSession", "StreamCopy", "refuse_without_store"]

MAX_FORWARDED = 200
"""How many cancellations and repeated answers one session passes on to other replicas in ten seconds."""
MAX_ANSWERED = 1_000
"""How many questions are remembered that the client has answered: more than it can be asked at once."""
TOO_MANY = Limit("too many answers and cancellations of this session are for other replicas", True)
"""Why an answer is refused."""
MAX_COPY = 2**20
"""How many bytes of one stream are copied into the store; if it has more, other replicas cannot send it."""


class StreamCopy(msgspec.Struct):
    """The copy of one stream of this replica, in a log of the store: others can send the rest of it."""

    replica: Replica
    log: str
    caller: Hashable  # whose budget it counts for
    size: int = 0
    is_lost: bool = False

    def write(self, number: int, message: bytes, is_last: bool) -> None:
        """Copy an event, by its number, or the end without one; after too many bytes nothing more is copied."""
        if self.is_lost:
            return
        if message:
            cost = len(message) + (SMALL if self.size else NEW_LOG)
            self.size += len(message)
            limit = self.replica.budget.spend(self.caller, cost, is_optional=True)
            self.is_lost = self.size > MAX_COPY or limit is not None
        self.replica.append(self.log, Lost() if self.is_lost else Event(number, bytes(message), is_last))


class Home(Protocol):
    """What a session asks of those who keep all sessions of an endpoint."""

    @property
    def replica(self) -> Replica:
        """This process."""
        ...

    @property
    def threads(self) -> Threads:
        """Where it waits for the store."""
        ...

    def note_use(self, session: "SharedSession", now: float) -> None:
        """Note, also for other replicas, that a session is used."""

    def load(self, session: "SharedSession") -> None:
        """Load a session, and close it if it has ended; raises StoreError."""

    def open_stream(self, session: "SharedSession", event_id: str) -> tuple[Stream, int]:
        """The stream for a GET, and the event after which it is read."""
        ...

    def end(self, session: "SharedSession") -> None:
        """End a session on all replicas; raises StoreError."""


@final
class SharedSession:
    """One session that several replicas serve."""

    is_used = False
    """Whether it got a message after its handshake."""
    closed = False

    def __init__(
        self,
        home: Home,
        core: Core,
        settings: Settings,
        principal: Any,
        shares: SessionShares,
        address: str | None,
        name: str,
    ) -> None:
        self._home, self._replica, self._now = home, home.replica, core.now
        self.id = name.encode()  # until it has a signed one
        self.principal = principal
        self.standing_streams = StandingStreams(self, home.replica, home.threads)
        send = self.standing_streams.send
        parts = make_parts(core, settings, shares, principal, address, self.id, send)
        self.caller, self.owner, self.connection, self.streams = parts
        self.streams.name_stream, self.streams.on_keep = self._name_stream, self.copy_stream
        self.name = self.connection.session.id = name
        self.created = self.used = core.now()
        self.can_resume = settings.max_standing > 0
        self.version, self._origin = 0, ""  # of its record
        self.values: dict[str, bytes] = {}
        """What handlers keep in it, in JSON."""
        self.stored: bytes | None = None
        """Its record in the store, as it was last read there: a change begins with it."""
        self.renewed = self.created
        """When its use was last written into the store."""
        self.is_loaded = True
        """Whether its record is that of the store: only one that was opened elsewhere has to be loaded."""
        self._forwarding_since, self._forwarded = 0.0, 0
        self._answered: OrderedDict[bytes, None] = OrderedDict()  # questions of other replicas, the last ones
        listen = self._replica.change_listeners.add
        self.connection.leave_registry(listen(self.standing_streams.receive_change))
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
        """Note that the client uses the session, also for other replicas: unless it may have ended there.

        That is so, too, if this process was paused. This is called for the first request after a second without one.
        """
        if monotonic() - self._replica.reader.last_read > BEHIND:
            self.is_loaded = False
        self.used, self.is_used = now, True
        if self.is_loaded:
            self._home.note_use(self, now)

    @property
    def why_not_ask(self) -> str | None:
        """The reason why the client cannot be asked: its answer may reach any replica."""
        return UNAVAILABLE if self._replica.health.why_down else None

    # Record ---------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load its record, and close it if it has ended; raises StoreError."""
        self._home.load(self)

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
        if route is not None and self._count_forwarded(route[1]) is None:
            self._replica.append(*route)

    def route(self, link: RequestLink, envelope: Envelope) -> Detour | Response | None:
        """The way of an answer or a cancellation to the replica that waits for it; None if that may be this one.

        It is accepted when the store has it. If the store fails, it is refused; but it is passed on all the same when
        the store works again: clients do not repeat an answer, and the question would wait for it in vain.
        """
        route = None if self.connection.knows(envelope) else self.find_route(envelope)
        if route is None:
            return None
        limit = self._count_forwarded(route[1])
        if limit is not None:
            return refuse_by(limit)
        return self._write(
            link, 202, partial(self._replica.append_now, *route), partial(self._replica.append, *route)
        )

    def find_route(self, envelope: Envelope) -> tuple[str, SessionEntry] | None:
        """The log for an answer or a cancellation that belongs elsewhere, and the entry; None if it belongs nowhere.

        An answer goes to the replica that asked, and a cancellation to all.
        """
        if envelope.method is UNSET:
            name = _text_of(bytes(envelope.id))
            source = None if name is None else self._replica.keys.find_asker(self.name, name)
            is_here = source == self._replica.name and not self._replica.is_divided  # and has its answer already
            if source is None or is_here:
                return None
            answer = Answer(self.name, bytes(envelope.id), bytes(envelope.result), bytes(envelope.error))
            return self._replica.keys.inboxes + source, answer
        if envelope.params is None:
            return None
        id = normalize_id(bytes(envelope.params.requestId))
        return (self._replica.keys.broadcasts, Cancel(self.name, id)) if len(id) <= MAX_ID else None

    def _count_forwarded(self, entry: SessionEntry) -> Limit | None:
        """The limit that one more message for other replicas is over: one session must not fill the logs.

        The first answer to a question counts for the budget only: it is known that the question was asked.
        """
        now = self._now()
        if now - self._forwarding_since > 10:
            self._forwarding_since, self._forwarded = now, 0
        if not isinstance(entry, Answer) or entry.id in self._answered:
            self._forwarded += 1
        else:
            self._answered[entry.id] = None
            if len(self._answered) > MAX_ANSWERED:
                self._answered.popitem(last=False)
        if self._forwarded > MAX_FORWARDED:
            return TOO_MANY
        return self._replica.budget.spend(self.caller, len(msgspec.msgpack.encode(entry)))

    def _write(
        self, link: RequestLink, status: int, work: Callable[[], object], fail: Callable[[], object] = do_nothing
    ) -> Detour | Response:
        """Write something into the store, and respond with a status when it has that; if it fails, do something else.

        The limits of running requests do not count: those that run may wait for this.
        """
        if self._replica.health.why_down:
            fail()
            return refuse_without_store()
        exchange = write_into_store(work, fail, link.refuse)
        return Detour(exchange, lambda message: refuse_without_store(message) if message else Response(status))

    def end(self, link: RequestLink) -> Detour | Response:
        """The response to DELETE, which ends the session on all replicas (R2511-SESS-04)."""
        limit = self._replica.budget.spend(self.caller, SMALL)
        return self._write(link, 204, partial(self._home.end, self)) if limit is None else refuse_by(limit)

    # Streams --------------------------------------------------------------------------------------

    # Numbers are those of the process: a session may be closed here and opened again, and then its client comes back
    # to what was before.

    def name_question(self) -> str:
        """The id of a question."""
        return self._replica.keys.name_question(self.name, self._replica.name, next(self._replica.numbers))

    def _name_stream(self, id: bytes) -> str:
        return self._replica.keys.name_stream(self.name, self._replica.name, next(self._replica.numbers), id)

    def log_of(self, stream: str) -> str:
        """The log with the copy of a stream."""
        return f"{self._replica.keys.streams}{self.name}:{stream}"

    def copy_stream(self, stream: Stream) -> None:
        """Copy a stream into the store, from its first event on."""
        stream.copy_to(StreamCopy(self._replica, self.log_of(stream.name), self.caller).write)

    def mirror(self, name: str, after: int) -> Stream:
        """A stream for the events of another replica's stream, after an event; it ends when its client leaves."""
        stream = self.streams.make(name, after)
        self.streams.keep(stream, is_mirror=True)
        return stream

    def open_stream(self, event_id: str) -> tuple[Stream, int] | Response:
        """The stream for a GET, and the event after which it is read; or a response that refuses it."""
        if self._replica.health.why_down or not self._replica.reader.begun.is_set():
            return refuse_without_store()  # it is not known what the client misses
        limit = self._replica.budget.spend(self.caller, SMALL)
        return self._home.open_stream(self, event_id) if limit is None else refuse_by(limit)

    def find_stream(self, event_id: str) -> tuple[Stream, int] | None:
        """The stream of an event and the number of the event; None if the stream is not kept here."""
        return None if self._replica.health.why_down else self.streams.find(event_id)

    def make_standing_stream(self, after: int = 0, name: str | None = None) -> Stream:
        """A stream for messages that belong to no request, after a position: a new one, or the rest of one."""
        self.connection.session.ready = True  # notifications/initialized may have reached another replica
        return self.streams.make(name or name_standing_stream(self._replica), after)

    @property
    def standing(self) -> list[Stream]:
        """Its streams that stay open for later messages."""
        return self.standing_streams.streams

    def leave_stream(self, stream: Stream) -> None:
        """Note that the client does not read an open stream any more."""
        if is_standing_stream(stream.name):
            self.standing_streams.leave(stream)
        elif self._is_mirror(stream) and not stream.finished and stream.reader is None:
            stream.finish()
            self.streams.drop(stream)

    def _is_mirror(self, stream: Stream) -> bool:
        return not stream.name.startswith(f"{self._replica.name}.")

    def wants(self, change: Change) -> bool:
        """Whether its client gets a notification of a change."""
        return self.connection.session.wants(change.event, change.uri)

    @property
    def busy(self) -> bool:
        """Whether a request runs, or a client reads a stream."""
        return bool(self.standing) or self.connection.busy or self.streams.are_read

    def close(self) -> None:
        """Close the session in this replica only."""
        with self.streams.lock:
            was_closed, self.closed = self.closed, True
        if was_closed:
            return
        self.connection.give_up(SESSION_ENDED)
        self.connection.close()
        self.streams.close()
        self.standing_streams.close()


def refuse_without_store(message: bytes | None = None) -> Response:
    """The response to a request that needs the store while it cannot be used, with the message that says so."""
    message = message or error_response(InternalError(UNAVAILABLE), LATEST)
    return Response(503, message, (*JSON, (b"retry-after", b"1")))


def _text_of(id: bytes) -> str | None:
    """The text in an id; None if it is another kind of JSON."""
    try:
        return msgspec.json.decode(id, type=str)
    except msgspec.MsgspecError:
        return None
