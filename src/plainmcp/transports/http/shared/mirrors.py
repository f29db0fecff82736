"""Streams of other replicas that clients continue here: their events come from the copies in the store.

Knows neither HTTP nor the state of sessions.
"""

from functools import partial
from typing import Any, NamedTuple

import msgspec

from ....errors import InternalError
from ....protocol.failures import error_response, error_responses
from ....revisions import Revision
from ..stream import Stream
from .replica import Replica
from .session import SharedSession
from .session_names import StreamName

__all__ = ["Mirrors"]

_LOST = InternalError("the replica that answered this request is gone; send the request again")
_NOT_KEPT = InternalError("the rest of this stream is not kept any more; send the request again")


class _Mirror(NamedTuple):
    """A stream of another replica, as it is followed here."""

    session: SharedSession
    stream: Stream
    source: str
    id: bytes


class Mirrors:
    """The streams of other replicas that are followed by this one."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._mirrors: dict[str, _Mirror] = {}  # by the log with the copy

    def follow(self, session: SharedSession, stream: Stream, name: StreamName) -> None:
        """Put the events of another replica's stream into this one, as they are in the store or come into it."""
        log = session.log_of(stream.name)
        self._mirrors[log] = _Mirror(session, stream, name.source, name.id)
        self._replica.follow(log, partial(self._receive, log))
        if name.source == self._replica.name:
            self._replica.append(log, "lost")  # unless the store still has its end
        else:
            self._replica.notify(name.source, "resend", session.name, stream.name)

    def send_again(self, session: SharedSession, name: str) -> None:
        """Copy a stream of this replica into the store again: entries may have been lost."""
        found = session.find_stream(f"{name}-0")
        if found is not None:
            session.copy_stream(found[0])
        else:
            self._replica.append(session.log_of(name), "lost")

    def _receive(self, log: str, kind: str, content: list[Any]) -> None:
        mirror = self._mirrors.get(log)
        if mirror is None or mirror.stream.finished:  # its client has left
            self._finish(log, None)
        elif kind == "event":
            mirror.stream.put(content[1], content[0])
        elif kind == "end":
            self._finish(log, None)
        elif kind == "lost":
            self._finish(log, _NOT_KEPT)

    def _finish(self, log: str, error: InternalError | None) -> None:
        """End a stream; with an error, if the id of its request is known."""
        mirror = self._mirrors.pop(log, None)
        self._replica.reader.unfollow(log)
        if mirror is not None:
            revision = mirror.session.connection.revision
            mirror.stream.finish(None if error is None else _respond(error, revision, mirror.id))

    def tick(self) -> None:
        """End the streams of replicas that are dead: clients learn that their requests are lost."""
        for log in [log for log, mirror in list(self._mirrors.items()) if mirror.stream.finished]:
            self._finish(log, None)  # its client has left
        dead = self._replica.find_dead({mirror.source for mirror in list(self._mirrors.values())})
        for log in [log for log, mirror in list(self._mirrors.items()) if mirror.source in dead]:
            self._finish(log, _LOST)


def _respond(error: InternalError, revision: Revision, id: bytes) -> bytes | None:
    """The response to the request with an id, or to all requests of a batch; None if the id is not known."""
    if id.startswith(b"["):
        return error_responses(error, revision, map(bytes, msgspec.json.decode(id, type=list[msgspec.Raw])))
    return error_response(error, revision, id) if id else None
