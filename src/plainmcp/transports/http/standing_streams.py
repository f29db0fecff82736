"""The streams that stay open in sessions that all replicas serve: any replica can continue one.

Their event ids are positions of the log of all replicas. A message goes out on one stream only: the newest one, which
may be at another replica.
"""

import logging
from collections.abc import Callable
from functools import partial

from ...store.interface import StoreError
from ..connection import change_message
from ..threads import Threads
from .replica import Replica
from .shared_session import SharedSession
from .stream import Stream

__all__ = ["StandingStreams"]

_log = logging.getLogger("plainmcp")


class StandingStreams:
    """The open streams of the sessions of one endpoint."""

    def __init__(self, replica: Replica, threads: Threads, load: Callable[[SharedSession], None]) -> None:
        self._replica, self._threads = replica, threads
        self._load = load  # loads the state of a session, and closes it if it has ended

    def catch_up(self, session: SharedSession, stream: Stream, position: int) -> None:
        """Send the changes since a position on a stream, and then all later ones; ends it if the store fails."""
        try:
            self._catch_up(session, stream, position)
        except StoreError as error:
            _log.debug("a stream could not be continued: %s", error)
            stream.finish()  # the client comes back, and is told the problem if there still is one

    def _catch_up(self, session: SharedSession, stream: Stream, position: int) -> None:
        replica, bus = self._replica, self._replica.keys.bus
        replica.wait_to_begin()
        self._load(session)
        if session.closed:
            stream.finish()
            return
        while not self._is_added(session, stream, position):
            entries = replica.ask(lambda store, after=position: store.read({bus: after}))  # type: ignore[misc]
            for entry in entries:
                content = replica.keys.open(bus, entry.value)
                if content and content[0] == "change":
                    event, uri = content[1:3]
                    if session.connection.session.wants(event, uri):
                        stream.put(change_message(event, uri), entry.position)
            position = entries[-1].position if entries else replica.follower.position

    def _is_added(self, session: SharedSession, stream: Stream, position: int) -> bool:
        """Let a stream get all later changes, if it has those that this replica has; returns whether it has."""
        with self._replica.follower.bus_lock:  # no change comes between
            if position < self._replica.follower.position:
                return False
            session.add_standing(stream)
            return True

    def read_here(self, session: SharedSession) -> None:
        """Send messages on the stream of this replica again, with those that came while another one had a stream."""
        session.reader = None
        stream = session.take_standing()
        if stream is not None:
            self._threads.submit(partial(self.catch_up, session, stream, stream.last))

    def claim_again(self, sessions: list[SharedSession]) -> None:
        """Announce the open streams of this replica again: the store may have lost that."""
        for session in sessions:
            session.claim_again()

    def take_over(self, sessions: list[SharedSession]) -> None:
        """Take over the streams of sessions whose newest one was at a replica that is dead."""
        muted = [session for session in sessions if session.reader and session.standing]
        dead = self._replica.find_dead({session.reader for session in muted if session.reader})
        for session in muted:
            if session.reader in dead:
                self.read_here(session)
