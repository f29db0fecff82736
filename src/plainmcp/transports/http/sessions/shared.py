"""Sessions that several processes share through a store: any of them answers any request of a session."""

from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from ....errors import InternalError, ProtocolError
from ....limits.shares import Limit, Share
from ....protocol.conversation import ENDS, Steps
from ....protocol.core import Core
from ....protocol.dispatch import dispatch
from ....protocol.exchange import Exchange, Listen
from ....protocol.failures import error_response
from ....protocol.observation import observe
from ....protocol.request import Caller, Cancelled
from ....protocol.store_steps import (
    UNAVAILABLE,
    StoreExchange,
    ask_store,
    ask_store_first,
    deadline,
    steps_of,
)
from ....replicas.own_changes import CURRENT, WAIT, OwnChanges
from ....replicas.session_record import RecordChange
from ....revisions import LATEST
from ....store.interface import Store
from ....wire import jsonrpc
from ....wire.jsonrpc import ABSENT, Envelope, Failure
from ..headers import Headers
from ..pending import PendingResponse
from ..refusals import status_of
from ..response import Response, json_response
from ..settings import Settings
from ..shared.local_sessions import LocalSessions
from ..shared.session import SharedSession, refuse_without_store
from .http_session import SESSION_ENDED
from .interface import Detour, Sender
from .memory import sender_of

__all__ = ["AfterChanges", "SharedSessions"]

_CHANGE_STATE = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
"""Requests that change the record of their session."""


class SharedSessions:
    """Sessions that other processes serve, too; see interface."""

    is_started = False
    why_no_changes = None
    why_no_get = None

    routed = frozenset({UNSET, "notifications/cancelled"})
    """Answers and cancellations: what they are for may be at another replica."""

    def __init__(self, core: Core, store: Store, settings: Settings, unread: Share) -> None:
        self.local = LocalSessions(core, store, settings, unread)
        self.find = self.local.kept.find
        self.starts = dict.fromkeys(_CHANGE_STATE, self._dispatch)

    def start(self) -> None:
        """Start to follow the store, and wait a moment until that works and other replicas know of this one."""
        self.is_started = True
        self.local.attach()
        self.local.replica.wait_to_join()

    def close(self) -> None:
        """End all sessions here, and write what other replicas need of them."""
        self.local.kept.close()
        self.local.detach()

    # Senders --------------------------------------------------------------------------------------

    def open(self, principal: Any, headers: Headers) -> Sender | Limit:
        """The sender of `initialize`, in a session before its handshake; or the limit that it is over."""
        session = self.local.make(principal, headers.address)
        limit = self.local.kept.add(session)
        if limit is not None:
            session.close()
        return limit or sender_of(session)

    def discard(self, sender: Sender) -> None:
        """Forget a session whose client does not get to know it."""
        self.local.kept.remove(_session_of(sender.kept))

    def seal(self, sender: Sender, principal: Any) -> bytes:
        """The signed id of a session after its handshake; raises ProtocolError."""
        return self.local.make_id(_session_of(sender.kept))

    # Requests -------------------------------------------------------------------------------------

    def route(self, sender: Sender, pending: PendingResponse, envelope: Envelope) -> Detour | Response | None:
        """The way of an answer or a cancellation to the replica that waits for it, which may be another one."""
        return _session_of(sender.kept).route(pending, envelope)

    def _dispatch(self, core: Core, envelope: Envelope, caller: Caller) -> Exchange:
        """Start to answer a request that changes the record of its session: all replicas get to know that."""
        if envelope.id is ABSENT or caller.session is None:
            return core.dispatch(core, envelope, caller)
        link: Any = caller.link
        pending: PendingResponse = link if link.whole is None else link.whole
        session = _session_of(pending.session)
        if link is pending:
            pending.respond_with = partial(_refuse_in, session)

        def answer() -> Exchange:
            return StoreExchange(steps=self._change_record(core, session, envelope, caller)).begin()

        return observe(core, answer, envelope, caller) if core.observers else answer()

    def _change_record(self, core: Core, session: SharedSession, envelope: Envelope, caller: Caller) -> Steps:
        """The steps of a request that changes the record of its session: its response waits until all replicas know.

        It changes a copy. What is different there is saved, and only then has an effect here.
        """
        problem: ProtocolError | None
        until = deadline()
        try:
            # Others may have changed it.
            problem = yield from ask_store(partial(self.local.load_again, session), until=until)
            problem = SESSION_ENDED if session.closed else problem
            if problem is None:
                before, after = session.connection.session.copy(), session.connection.session.copy()
                response = yield from steps_of(dispatch(core, envelope, replace(caller, session=after)))
                if response is None or isinstance(response, Failure):
                    return response
                change = RecordChange.between(before, after)
                problem = yield from ask_store(partial(self.local.records.save, session, change), until=until)
                if problem is None:
                    return response
        except Cancelled:
            return None
        except ProtocolError as error:  # too many requests run
            problem = error
        return error_response(problem, caller.assumed_revision, envelope.id)

    def wrap(self, pending: PendingResponse, exchange: Exchange) -> Exchange:
        """An exchange with what the store has to be asked before it, and with what it has to have after it."""
        step, session = exchange.step, pending.session
        if type(step) is Listen:
            is_begun = self.local.replica.reader.begun.is_set()
            return exchange if is_begun else StoreExchange(steps=self._begin_first(exchange)).begin()
        if type(session) is SharedSession:
            if pending.batch is not None:  # another replica may have to answer each of its requests
                pending.id = b"[" + b",".join(jsonrpc.request_ids_of(pending.batch)) + b"]"
            if not session.is_loaded and self._may_load(pending):
                pending.respond_with = partial(_refuse_in, session)
                exchange = StoreExchange(steps=self._load_first(session, pending, exchange)).begin()
                step = exchange.step
        if step is None:
            return exchange
        changes = OwnChanges()
        CURRENT.set(changes)
        return AfterChanges(None, step, rest=exchange, changes=changes, local=self.local, pending=pending)

    def _may_load(self, pending: PendingResponse) -> bool:
        """Whether the session of a request is to be loaded first: a change of its record does that itself."""
        return pending.respond_with is None and not self.local.replica.health.why_down

    def _begin_first(self, exchange: Exchange) -> Steps:
        """The steps of a listen request before this replica reads the changes of others."""
        yield from ask_store_first(self.local.replica.wait_to_begin, exchange)
        return (yield from steps_of(exchange))

    def _load_first(self, session: SharedSession, pending: PendingResponse, exchange: Exchange) -> Steps:
        """The steps of a request in a session that may have ended at another replica."""
        yield from ask_store_first(partial(self.local.load, session), exchange)
        if session.closed:
            exchange.fail(SESSION_ENDED)
            return pending.refuse(SESSION_ENDED)
        return (yield from steps_of(exchange))

    def why_not_listen(self, pending: PendingResponse) -> ProtocolError | None:
        """The error for a listen request while this replica would not get all changes."""
        if self.local.replica.reader.begun.is_set():
            return None
        pending.respond_with = refuse_without_store
        return InternalError(UNAVAILABLE)


class AfterChanges(Exchange, kw_only=True):
    """An exchange whose response waits until the store has the changes that its function has made.

    So its client can rely on them. Most functions make none. It is not a generator, because each call has one; only
    what follows a change is.
    """

    rest: Exchange
    changes: OwnChanges
    local: LocalSessions
    pending: PendingResponse
    has_ended: bool = False

    def send(self, value: Any, is_error: bool = False) -> None:
        """Pass back the value of a step, or its exception."""
        rest = self.rest
        if is_error:
            rest.throw(value)
        else:
            rest.send(value)
        if rest.step is None and (self.changes.last or self.pending.kept_values is not None) and not self.has_ended:
            self.has_ended = True
            rest = self.rest = StoreExchange(steps=self._finish(rest.response)).begin()
        self.step, self.response = rest.step, rest.response

    def throw(self, error: BaseException) -> None:
        """Pass back the exception of a step."""
        self.send(error, True)

    def _finish(self, response: bytes | None) -> Steps:
        """The steps after the end of the function; returns its response, or an error if something is not saved."""
        kept = self.pending.kept_values
        values = None if kept is None else kept.finish()
        writer = self.local.replica.writer
        with suppress(*ENDS):  # a cancel, while the store is waited for: the response is there already
            if values:
                session, change = _session_of(self.pending.session), RecordChange(values=values)
                problem = yield from ask_store(partial(self.local.records.save, session, change))
                if problem is not None and response is not None:
                    response = self.pending.refuse(problem)
            if writer.written < self.changes.last:
                yield from ask_store(partial(writer.wait, self.changes.last, WAIT))
        return response


def _session_of(stored: object) -> SharedSession:
    assert isinstance(stored, SharedSession)
    return stored


def _refuse_in(session: SharedSession, message: bytes | None) -> Response:
    """The response with an error, or with nothing, in a session that may have ended at another replica."""
    if session.closed:
        return json_response(404, message or error_response(SESSION_ENDED, LATEST))
    return json_response(200 if message is None else status_of(message, False), message)
