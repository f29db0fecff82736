"""What replicas write into the logs of the store for one another, but for changes. Does no I/O.

An entry is a list: the name of its class, and its fields. One that cannot be read is of another version of this
package, and is left out.
"""

from typing import Any

import msgspec

from .session_record import SessionRecord

__all__ = [
    "Ack", "Answer", "Broadcast", "Cancel", "Event", "Handover", "Holder", "Join", "Leave", "Left", "LogEntry",
    "Lost", "Resend", "Saved", "SessionEnd", "SessionEntry", "Wake", "read_entry",
]  # fmt: skip


class LogEntry(msgspec.Struct, array_like=True, tag=True):
    """An entry of a log."""


# About replicas -----------------------------------------------------------------------------------


class Join(LogEntry):
    """A replica is there: others wait until it has acknowledged what they broadcast."""

    replica: str


class Leave(LogEntry):
    """A replica ends."""

    replica: str


class Ack(LogEntry):
    """A replica has received the broadcast with a number of this one."""

    number: int
    replica: str


class Wake(LogEntry):
    """Nothing: it ends the wait of a read, which then begins again with other logs."""


# About sessions -----------------------------------------------------------------------------------


class SessionEntry(LogEntry):
    """An entry about one session."""

    session: str


class Saved(SessionEntry):
    """The record of the session, which has changed; None if it is too large to be sent, and has to be loaded."""

    record: SessionRecord | None


class SessionEnd(SessionEntry):
    """The session has ended."""


class Cancel(SessionEntry):
    """The client has cancelled the request with an id."""

    id: bytes


class Answer(SessionEntry):
    """The client has answered a question of this replica, with a result or an error in JSON."""

    id: bytes
    result: bytes
    error: bytes


class Holder(SessionEntry):
    """A replica opens a stream that stays open: what belongs to no request is sent on this one from now on."""

    replica: str
    stream: str
    number: int  # of the claim, among those of the replica


class Handover(SessionEntry):
    """This replica had such a stream before, which gets no changes after a position any more."""

    position: int
    is_sent: bool  # whether those before it were sent on that stream; else the client did not want them


class Left(SessionEntry):
    """The client reads no stream of a replica any more; it has read the changes up to a position."""

    replica: str
    number: int  # of the last claim there: a later one may be in the log already
    position: int


class Resend(SessionEntry):
    """A client continues a stream of this replica elsewhere: copy it into the store again."""

    stream: str


class Broadcast(LogEntry):
    """An entry that each replica acknowledges."""

    source: str  # the replica that waits for that
    number: int
    entry: Saved | SessionEnd | Holder


# The copy of a stream -----------------------------------------------------------------------------


class Event(LogEntry):
    """A message of the stream, and its number; with the last one the stream has ended, and it may have no message."""

    number: int
    message: bytes
    is_last: bool


class Lost(LogEntry):
    """The rest of the stream is not kept."""


_Any = (
    Join | Leave | Ack | Wake | Saved | SessionEnd | Cancel | Answer | Holder | Handover | Left | Resend | Broadcast
    | Event | Lost
)  # fmt: skip


def read_entry(content: Any) -> LogEntry | None:
    """The entry in the content of a log; None if it cannot be read."""
    try:
        entry: LogEntry = msgspec.convert(content, _Any)
    except msgspec.ValidationError:
        return None
    return entry
