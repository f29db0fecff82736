"""Streams of other replicas that clients continue here: their events come from the copies in the store.

Knows neither HTTP nor the state of sessions.
"""

import threading
from functools import partial
from typing import NamedTuple

import msgspec

from ....errors import InternalError
from ....protocol.failures import error_response, error_responses
from ....protocol.store_keys import StreamName
from ....replicas.entries import Event, LogEntry, Lost, Resend
from ....replicas.replica import Replica
from ....revisions import Revision
from ..stream import Stream
from .session import SharedSession

__all__ = ["Mirrors"]

_LOST = InternalError("the replica that answered this request is gone; send the request again")
_NOT_KEPT = InternalError("the rest of this stream is not kept any more; send the request again")


class _Mirror(NamedTuple):
    """A stream of another replica, as it is followed here."""

    session: SharedSession
    stream: Stream
    source: str
    id: bytes
    log: str  # with the copy of the stream


class Mirrors:
    """The streams of other replicas that are followed by this one."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._lock = threading.Lock()
        self._mirrors: dict[str, _Mirror] = {}  # by log; a client that comes back replaces the mirror that it left

    def follow(self, session: SharedSession, stream: Stream, name: StreamName) -> None:
        """Put the events of another replica's stream into this one, as they are in the store or come into it."""
        mirror = _Mirror(session, stream, name.source, name.id, session.log_of(stream.name))
        with self._lock:
            self._mirrors[mirror.log] = mirror
            self._replica.follow(mirror.log, partial(self._receive, mirror))
        if name.source == self._replica.name:
            self._replica.append(mirror.log, Lost())  # unless the store still has its end
        else:
            self._replica.notify(name.source, Resend(session.name, stream.name))

    def send_again(self, session: SharedSession, name: str) -> None:
        """Copy a stream of this replica into the store again: entries may have been lost."""
        found = session.find_stream(f"{name}-0")
        if found is not None:
            session.copy_stream(found[0])
        else:
            self._replica.append(session.log_of(name), Lost())

    def _receive(self, mirror: _Mirror, entry: LogEntry) -> None:
        if mirror.stream.finished:  # its client has left
            self._finish(mirror, None)
            return
        match entry:
            case Event(number, message, is_last):
                if message:
                    mirror.stream.put(message, number)
                if is_last:
                    self._finish(mirror, None)
            case Lost():
                self._finish(mirror, _NOT_KEPT)
            case _:
                pass

    def _finish(self, mirror: _Mirror, error: InternalError | None) -> None:
        """End a stream; with an error, if the id of its request is known."""
        with self._lock:
            if self._mirrors.get(mirror.log) is mirror:
                del self._mirrors[mirror.log]
                self._replica.reader.unfollow(mirror.log)
        revision = mirror.session.connection.revision
        mirror.stream.finish(None if error is None else _respond(error, revision, mirror.id))

    def tick(self) -> None:
        """End the streams of replicas that are dead: clients learn that their requests are lost."""
        with self._lock:
            mirrors = list(self._mirrors.values())
        dead = self._replica.find_dead({mirror.source for mirror in mirrors})
        for mirror in mirrors:
            if mirror.stream.finished:  # its client has left
                self._finish(mirror, None)
            elif mirror.source in dead:
                self._finish(mirror, _LOST)


def _respond(error: InternalError, revision: Revision, id: bytes) -> bytes | None:
    """The response to the request with an id, or to all requests of a batch; None if the id is not known."""
    if id.startswith(b"["):
        return error_responses(error, revision, map(bytes, msgspec.json.decode(id, type=list[msgspec.Raw])))
    return error_response(error, revision, id) if id else None
