"""The streams that stay open in sessions that all replicas serve: any replica can continue one.

Their event ids are positions of the log of changes. A message goes out on one stream only: the newest one, which
may be at another replica.
"""

import logging
from collections.abc import Callable
from functools import partial

from ....store.interface import StoreError
from ...threads import Threads
from ..stream import Stream
from .replica import Replica
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

    def catch_up(self, session: SharedSession, stream: Stream, position: int, is_new: bool = True) -> None:
        """Send the changes since a position on a stream, and then all later ones.

        If the store fails, a new stream ends. One that was open goes on, and catches up when the store works again.
        """
        if stream.finished:  # its client has left
            return
        self._replica.wait_to_begin()
        try:
            self._load(session)
        except StoreError as error:
            _log.debug("a stream could not be continued: %s", error)
            if is_new:
                stream.finish()  # the client comes back, and is told the problem if there still is one
            else:
                session.add_standing(stream)
            return
        is_ready = self._replica.reader.begun.is_set()  # else it does not know yet what the client has missed
        if session.closed or not is_ready:
            stream.finish()
            return
        log = self._replica.reader.change_log
        missed = log.find_after(position)
        wanted = [change for change in missed if session.wants(change)][-MAX_REPLAY:]
        with log.lock:  # no change comes between
            wanted += filter(session.wants, log.find_after(missed[-1].position if missed else position))
            for change in wanted:
                session.send_change(stream, change)
            session.add_standing(stream)

    def read_here(self, session: SharedSession, position: int = 0) -> None:
        """Send messages on the stream of this replica again: those after the position that another one reached."""
        session.holder = None
        stream = session.pop_standing()
        if stream is not None:
            work = partial(self.catch_up, session, stream, max(stream.last, position), False)
            self._threads.submit(work, session.caller)

    def take_over(self, sessions: list[SharedSession]) -> None:
        """Take over the streams of sessions whose newest one was at a replica that is dead."""
        muted = [session for session in sessions if session.holder and session.standing]
        dead = self._replica.find_dead({session.holder for session in muted if session.holder})
        for session in muted:
            if session.holder in dead:
                self.read_here(session)
