"""One HTTP endpoint: takes a request apart, decides who answers it, and holds sessions and open answers.

Knows the rules and the core, and neither sockets nor loops: an edge brings the request, and moves what comes back.
"""

import threading
from functools import partial
from typing import Any, cast

from msgspec import UNSET
from msgspec.structs import replace

from ...errors import InternalError, InvalidRequest, ProtocolError
from ...protocol import exchange
from ...protocol.core import Core
from ...protocol.methods.shared import Steps
from ...protocol.methods.tools import Single
from ...protocol.session import Session
from ...protocol.steps import FAILURES, Stay
from ...revisions import LATEST, LATEST_HANDSHAKE, Revision
from ...wire import codec, jsonrpc
from ...wire.jsonrpc import ABSENT, Envelope, Meta
from .. import run
from ..invoke import given_up
from ..shutdown import SHUTTING_DOWN
from . import rules
from .headers import Headers
from .pending import Alone, Open, Quiet, Within, answered, begun
from .preflight import Door
from .rules import Fit, Reply, Settings, refused, said
from .session_store import SESSION_ENDED, Held, Sessions

__all__ = ["Endpoint"]

_SSE = "text/event-stream"
SHORT = 2**14
"""How long a body may be that is read twice where it turns out to be no plain call."""


class Endpoint:
    """What an edge asks of us: `receive` once it has read a body, `left` when the client is gone.

    Before it reads one it asks the `door`. One with a loop may ask `called` first, and `waits` for a call that does.
    """

    def __init__(self, core: Core, settings: Settings) -> None:
        self.core = core
        self.settings = settings
        self.door = Door(settings)
        self.sessions = Sessions(settings, core.now)
        self._lock = threading.Lock()
        self.draining = False  # no more streams are opened that would stay
        self._open: set[Open] = set()  # those that stay open for what is to come
        self._running: set[Open] = set()
        self._most = settings.max_running

    def called(self, headers: Headers, fit: Fit, body: bytes, principal: Any) -> tuple[Single, Held | None] | None:
        """The call of a tool, and its session, where that is all a request is; `receive` knows what else there is.

        Most requests are short, and call an async function that takes nothing but its arguments. Nothing is opened
        for such a call before its function waits: until then its loop reads no other message, so nobody asks for it.
        That saves a third of what it costs us. Whatever is unusual about a request, or goes wrong before the function
        runs, is none.
        """
        if len(body) > SHORT or headers.twice is not None:
            return None
        try:
            plain = jsonrpc.read_plain(body)
            number, params, revision, held = plain.id, plain.params, fit.revision, None
            if plain.method != "tools/call" or type(number) is not int or not number:
                return None
            id, tool, meta = codec.encode(number), self.core.registry.tools.features[params.name], params._meta
            if not tool.is_awaited or len(self._running) >= self._most or revision is None:
                return None
            if revision.handshake:
                if meta is not UNSET:
                    return None
                if not self.settings.stateless:
                    held = self.sessions.get(headers.raw[b"mcp-session-id"], principal)
                    if held is None or held.connection.session.revision is None or id in held.connection.running:
                        return None
                    revision, held.connection.principal = held.connection.session.revision, principal
            elif (  # what streamable.check_modern would have nothing against; a tool's name is a header as it is
                meta is UNSET
                or meta.version != fit.version
                or type(meta.capabilities) is not dict
                or meta.log_level is not UNSET
                or fit.method != "tools/call"
                or headers.raw[b"mcp-name"] != params.name.encode()
                or tool.headers
            ):
                return None
            kwargs = tool.bind(params.arguments)
        except FAILURES:  # whoever looks closer meets the same trouble
            return None
        return Single(tool, kwargs, None, self.core, id, revision), held

    def waits(self, single: Single, held: Held | None, fit: Fit) -> tuple[Open, Single]:
        """Open the answer of such a call once its function waits; from there on it can be given up."""
        if held is None:
            opened: Alone | Within = Alone(fit, single.revision, bytes(single.id))
        else:
            opened = _within(fit, held)
            held.connection.track(bytes(single.id), opened)
            if held.closed:  # meanwhile, by its own function or from another thread
                opened.give_up(SESSION_ENDED)
        return opened, replace(single, link=opened)

    def receive(self, method: str, headers: Headers, fit: Fit, body: bytes, principal: Any) -> Reply | Open:
        """Answer a request, or take it as far as user code has to run."""
        batch = envelope = None
        try:
            if method != "POST":
                return self._of_session(method, headers, fit, principal)
            batch = None if body[:1] == b"{" else jsonrpc.open_batch(body)
            if batch is None:
                envelope = jsonrpc.open_envelope(body)
                answer = self._message(headers, fit, envelope, principal)
            else:
                answer = self._batch(headers, fit, batch, body, principal)
        except ProtocolError as error:
            if method == "POST" and batch is None and envelope is None:
                return self._unread(error, headers, fit, principal)
            error.id = error.id or (bytes(envelope.id) or None if envelope is not None else None)
            return refused(400, error)  # an ambiguous header, or no session where one is needed
        if len(self._running) >= self._most and isinstance(answer, Open) and answer.steps is not None:
            # Answers to our questions still come in: they are what others wait for.
            return said(503, given_up(answer.taken()[0], InternalError("too many requests are running")))
        return answer

    def runs(self, opened: Open) -> None:
        """It takes longer than the moment in which it was received: it counts until it is `done`."""
        with self._lock:
            self._running.add(opened)

    # POST -----------------------------------------------------------------------------------------

    def _message(self, headers: Headers, fit: Fit, envelope: Envelope, principal: Any) -> Reply | Open:
        """The doors, in the order of what tells them apart."""
        meta = envelope.meta
        if rules.is_modern(fit, meta):
            return self._modern(headers, fit, envelope, meta, principal)
        if envelope.method == "initialize":
            return self._initialize(envelope, principal)
        if self.settings.stateless:
            return self._stateless(headers, fit, envelope, principal)
        held = self._held(headers, fit, principal, envelope.id)
        return self._in_session(fit, held, envelope) if isinstance(held, Held) else held

    def _unread(self, error: ProtocolError, headers: Headers, fit: Fit, principal: Any) -> Reply:
        """What a body is told that could not be read."""
        revision = self._spoken(headers, fit, principal)
        return said(rules.status_unread(error.code, not revision.handshake), exchange.failure(error, revision))

    def _spoken(self, headers: Headers, fit: Fit, principal: Any) -> Revision:
        """What a body speaks that could not be read, as far as its headers tell."""
        if fit.modern:
            return LATEST
        id = headers.bare(b"mcp-session-id")
        held = self.sessions.get(id, principal) if id else None
        if held is not None:
            return exchange.assumed(held.connection.session)
        try:
            return rules.spoken_without_session(headers, fit)
        except ProtocolError:
            return LATEST_HANDSHAKE

    def _batch(self, headers: Headers, fit: Fit, batch: list[Any], body: bytes, principal: Any) -> Reply | Open:
        """The same doors for a batch."""
        if fit.modern:
            alone = refused(400, InvalidRequest("the headers are those of one message, not of a batch"))
            return self._unfit(batch, LATEST) or alone
        if self.settings.stateless:
            session = Session()
            session.revision = rules.spoken_without_session(headers, fit)
            opened = Alone(fit, session.revision, batch=batch)
            unfit = self._unfit(batch, session.revision)
            return unfit or begun(opened, self.core.begin(body, session, opened, principal))
        held = self._held(headers, fit, principal)
        if isinstance(held, Reply):
            return held
        return self._unfit(batch, exchange.assumed(held.connection.session)) or self._in_session(fit, held, body)

    def _unfit(self, batch: list[Any], revision: Revision) -> Reply | None:
        """Why a batch goes no further, if it does not."""
        try:
            self.core.check_batch(batch, revision)
        except ProtocolError as error:
            return said(400, exchange.failure(error, revision))
        return None

    def _modern(
        self, headers: Headers, fit: Fit, envelope: Envelope, meta: Meta | None, principal: Any
    ) -> Reply | Open:
        """A request that speaks for itself."""
        if envelope.id is ABSENT:
            return Reply(202)  # no notification means anything here: ids are unique to nobody (R26-HTTP-06)
        try:
            if envelope.method is UNSET:
                raise InvalidRequest("there are no questions to answer here")
            wanted = partial(self._header_map, principal) if self.core.registry.tools.headed else None
            revision = rules.check_modern(headers, fit, envelope, meta, wanted)
        except ProtocolError as error:
            failure = exchange.failure(error, LATEST, envelope.id)
            return said(rules.status(failure, True), failure)
        opened = Alone(fit, revision, bytes(envelope.id))
        found = exchange.begin(self.core, envelope, None, opened, principal, None, revision)
        if type(found) is Single:
            opened.steps = found
            return opened
        answer = begun(opened, found)
        return self._staying(opened, envelope) if type(opened.step) is Stay else answer

    def _header_map(self, principal: Any, name: str) -> dict[str, tuple[str, ...]] | None:
        tool = self.core.registry.tools.find(name, principal)
        return None if tool is None else tool.headers

    def _staying(self, opened: Open, envelope: Envelope) -> Reply | Open:
        """An answer that is to stay open, if it can."""
        if opened.fit.events and self.settings.max_standing and not self._is_full:
            return opened
        steps, step = opened.taken()
        if opened.fit.events and not self.settings.max_standing:
            return answered(run.resume(steps, step), opened.modern)
        assert not isinstance(steps, Single)
        steps.close()
        if not opened.fit.events:
            return refused(406, InvalidRequest(f"{envelope.method} is answered by {_SSE}"), envelope.id)
        return refused(503, InternalError("too many streams are open"), envelope.id)

    @property
    def _is_full(self) -> bool:
        return self.draining or len(self._open) >= self.settings.max_standing

    # The handshake revisions ----------------------------------------------------------------------

    def _initialize(self, envelope: Envelope, principal: Any) -> Reply:
        if self.settings.stateless:
            answer = run.run(exchange.begin(self.core, envelope, Session(), None, principal))
            return said(200, answer)
        held = Held(self.core, self.settings, principal, self.core.now(), self.sessions.kept)
        answer = held.connection.start(envelope).answer
        if held.connection.session.revision is None:
            held.close()
            return said(200, answer)
        self.sessions.add(held)
        return Reply(200, answer or b"", (*rules.JSON, (b"mcp-session-id", held.id)))

    def _held(self, headers: Headers, fit: Fit, principal: Any, asked: bytes | None = None) -> Held | Reply:
        """The session a request names; its own revision counts, whatever served one the version header names."""
        id = headers.one(b"mcp-session-id")
        if id is None:
            raise rules.refusal_without_session(fit)
        held = self.sessions.get(id, principal)
        if held is None:
            return refused(404, InvalidRequest("there is no such session; send initialize"), asked)
        rules.spoken_without_session(headers, fit)  # R2511-HDR-02
        held.connection.principal = principal
        return held

    def _in_session(self, fit: Fit, held: Held, message: bytes | Envelope) -> Reply | Open:
        connection = held.connection
        opened = call = _within(fit, held)
        if isinstance(message, bytes):
            work = connection.start(message, call)
        else:
            found = connection.begin(message, call)
            if type(found) is Single:
                opened.steps = found
                return opened
            work = connection.work(found)
        if work.steps is None:
            return said(200, work.answer)
        opened.steps, opened.step = work.steps, work.step
        return opened

    def _stateless(self, headers: Headers, fit: Fit, envelope: Envelope, principal: Any) -> Reply | Open:
        """A request of a handshake revision that stands alone."""
        session = Session()
        session.revision = rules.spoken_without_session(headers, fit)
        if envelope.is_response:
            return refused(400, InvalidRequest("there are no questions to answer here"))
        opened = Alone(fit, session.revision, bytes(envelope.id))
        return begun(opened, exchange.begin(self.core, envelope, session, opened, principal))

    # GET and DELETE -------------------------------------------------------------------------------

    def _of_session(self, method: str, headers: Headers, fit: Fit, principal: Any) -> Reply | Open:
        standing = method == "DELETE" or self.settings.max_standing
        if fit.modern or self.settings.stateless or not standing:
            return refused(405, InvalidRequest(f"{method} is not served; send POST"), allow=b"POST")  # R26-HTTP-27
        held = self._held(headers, fit, principal)
        if isinstance(held, Reply):
            return held
        if method == "DELETE":
            self.sessions.remove(held)
            return Reply(204)
        if not fit.events:
            return refused(406, InvalidRequest("GET is answered by text/event-stream"))
        found = held.find(headers.get(b"last-event-id") or "")
        if self.draining or (found is None and self._is_full):
            return refused(503, InternalError("too many streams are open"))
        opened = Open.stood(fit, held, held.stand() if found is None else found[0])
        opened.after = 0 if found is None else found[1]
        with self._lock:
            self._open.add(opened)
        return opened

    # What becomes of an open answer ---------------------------------------------------------------

    def stay(self, opened: Open, step: Stay, steps: Steps) -> None:
        """Keep an answer open for what is published, until the client goes or we close."""
        stream, first = opened.stream, threading.Lock()

        def tell(event: str, uri: str | None) -> None:
            if step.subscription.hears(event, uri):
                with first:
                    stream.put(step.subscription.message(event, uri))

        with first:  # nothing comes before the acknowledgement (R26-SUB-03), and nothing after it is missed
            opened.staying, opened.steps = step, steps
            opened.deaf = self.core.registry.listen(tell)
            stream.put(step.first)
        with self._lock:
            self._open.add(opened)

    def done(self, opened: Open) -> None:
        """Its answer is there, and nothing is to be said besides."""
        with self._lock:
            self._running.discard(opened)

    def ended(self, opened: Open, answer: bytes | None) -> None:
        """Its steps are at their end, or stay open."""
        self.done(opened)
        if opened.staying is None:
            opened.stream.finish(answer)
            if opened.link is not None:
                opened.link.cancel()  # a function that was given up learns here that nobody waits for it

    def left(self, opened: Open) -> None:
        """Its client is gone, or has everything; in the modern era that ends the work too (R26-HTTP-15)."""
        with self._lock:
            stays = opened in self._open
            self._open.discard(opened)
        if opened.deaf is not None:
            opened.deaf()
        if opened.held is not None and opened.stream.speaks:
            opened.held.tidy()
        if not opened.modern or opened.stream.finished:
            return  # R2511-HTTP-14: the work goes on, and what it says can be fetched
        opened.stream.finish()
        if opened.link is not None:
            opened.link.cancel()
        if stays and opened.staying is not None:
            cast("Steps", opened.steps).close()

    def drain(self) -> None:
        """End what stays open: listen requests with their result (R26-SUB-05). Running requests go on.

        For a server that is told to end: it waits for its answers, and these would never end by themselves.
        """
        self.draining = True
        with self._lock:
            staying, self._open = list(self._open), set()
        for opened in staying:
            if opened.deaf is not None:
                opened.deaf()
            if opened.staying is not None:
                opened.stream.finish(run.run(opened.steps))
            elif opened.stream in (opened.held.standing if opened.held is not None else ()):
                opened.stream.finish()

    def give_up(self) -> int:
        """Answer what still runs with an error, and cancel it; says how many requests that were. From any thread."""
        with self._lock:
            running = list(self._running)
        for opened in running:
            opened.give_up(SHUTTING_DOWN)
        return len(running)

    def close(self) -> None:
        """End what stays open, what runs, and every session."""
        self.drain()
        self.give_up()
        self.sessions.close()


def _within(fit: Fit, held: Held) -> Within:
    return Within(fit, held) if fit.events else Quiet(fit, held)
