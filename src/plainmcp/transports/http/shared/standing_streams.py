"""The streams that stay open in sessions that all replicas serve: any replica can continue one.

Their event ids are positions of the log of changes. A message goes out on one stream only: the newest one, which
may be at another replica.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from ....replicas.change_log import Change
from ....replicas.health import contain
from ....replicas.replica import Replica
from ....store.interface import StoreError
from ...threads import Threads
from ..stream import Stream
from .saved_records import ACK_SECONDS
from .session import SharedSession

__all__ = ["StandingStreams"]

MAX_REPLAY = 1_000
"""How many of the changes that a client has missed it gets, the newest ones."""

_log = logging.getLogger("plainmcp")


class StandingStreams:
    """The open streams of the sessions of one endpoint."""

    def __init__(self, replica: Replica, threads: Threads, load: Callable[[SharedSession], None]) -> None:
        self._replica, self._threads = replica, threads
        self._load = load  # loads the state of a session, and closes it if it has ended

    def open(self, session: SharedSession, stream: Stream, position: int, is_new: bool) -> None:
        """Send the changes since a position on a stream, and then all later ones; but none that another one had.

        It is claimed at once, before its client knows that it is open: what changes from then on reaches the client,
        also if it opens another one meanwhile. The rest is done in a thread.
        """
        log = self._replica.reader.change_log
        with log.lock:  # no change comes between
            session.begin_claim(stream, position, log.position)
        self._threads.submit(partial(self._begin, session, stream, is_new), session.caller)

    def _begin(self, session: SharedSession, stream: Stream, is_new: bool) -> None:
        """Begin to send on a stream that is claimed.

        If the store fails, the stream ends: the client comes back, and gets an error if there still is one.
        """
        self._replica.wait_to_begin()
        try:
            self._load(session)
        except StoreError as error:
            _log.debug("a stream could not be opened: %s", error)
            stream.finish()
        is_ready = self._replica.reader.begun.is_set()  # else it does not know yet what the client has missed
        if session.closed or not is_ready or stream.finished:  # or its client has left
            stream.finish()
            start = session.find_start()
            session.end_claim(stream, None)
            self._give_back(session, start)
        else:
            self._catch_up(session, stream, is_new)

    def _catch_up(self, session: SharedSession, stream: Stream, is_new: bool = False) -> None:
        """Announce a stream that is claimed, and send the changes that no stream had.

        Other replicas may be behind, so a new one may have to begin earlier than this replica supposed.
        """
        # If that fails, it is announced again when the store works again.
        contain(partial(self._replica.broadcast, ACK_SECONDS, session.announce(stream)))
        log, start = self._replica.reader.change_log, session.find_start()
        seen, wanted = log.position, self._find_wanted(session, start)
        with log.lock:  # no change comes between
            if session.find_start() != start:  # another stream was opened meanwhile
                start = session.find_start()
                wanted = self._find_wanted(session, start)
            else:
                wanted += self._find_wanted(session, None if start is None else max(start, seen))
            if is_new and start is not None:
                stream.rewind(start)
            for change in wanted[-MAX_REPLAY:]:
                session.send_change(stream, change)
            is_read = session.end_claim(stream, None if start is None else log.position)
        if not is_read:
            self._give_back(session, start)

    def _find_wanted(self, session: SharedSession, start: int | None) -> list[Change]:
        """The changes after a position that the client of a session wants; none without a position."""
        if start is None:
            return []
        return [change for change in self._replica.reader.change_log.find_after(start) if session.wants(change)]

    def _give_back(self, session: SharedSession, position: int | None) -> None:
        """Let another stream get messages again: the client of the one that was claimed has left meanwhile."""
        if position is None or session.closed:
            return
        if session.standing:
            self.read_here(session, position)
        else:
            session.notify_left(position)

    def read_here(self, session: SharedSession, position: int = 0) -> None:
        """Send messages on the stream of this replica again: those after the position that another one reached."""
        stream = session.claim_newest(position)
        if stream is not None:
            self._threads.submit(partial(self._continue, session, stream), session.caller)

    def _continue(self, session: SharedSession, stream: Stream) -> None:
        """Send the changes that its client has missed on a stream that was open before."""
        with suppress(StoreError):  # then it catches up when the store works again
            self._load(session)
        self._catch_up(session, stream)

    def take_over(self, sessions: list[SharedSession]) -> None:
        """Take over the streams of sessions whose newest one was at a replica that is dead."""
        muted = [session for session in sessions if session.holder and session.standing]
        dead = self._replica.find_dead({session.holder for session in muted if session.holder})
        for session in muted:
            if session.holder in dead:
                self.read_here(session)
