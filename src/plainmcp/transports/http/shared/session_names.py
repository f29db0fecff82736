"""The names of the questions and streams of a session: any replica can read which replica gave a name, and for what.

Each name has a mark that only replicas can make, and only for that session. Does no I/O.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from .replica import Replica

__all__ = ["MAX_ID", "StreamName", "find_asker", "name_question", "name_stream", "read_stream_name"]

MAX_ID = 128
"""How many bytes the id of a request may have to be part of a stream's name, or to be cancelled elsewhere."""


class StreamName(NamedTuple):
    """The parts of a stream's name: the replica that writes it, and the id of its request."""

    owner: str
    id: bytes


def name_question(replica: Replica, session: str, count: int) -> str:
    """The id of a question that a replica asks in a session."""
    mark = replica.keys.mark("question", session, replica.name, str(count))
    return f"s-{replica.name}-{count}-{mark}"


def find_asker(replica: Replica, session: str, question: str) -> str | None:
    """The replica that asked a question in a session; None if none did."""
    parts = question.split("-")
    if len(parts) != 4:
        return None
    _, owner, count, mark = parts
    return owner if replica.keys.is_mark(mark, "question", session, owner, count) else None


def name_stream(replica: Replica, session: str, count: int, id: bytes) -> str:
    """The name of a stream that a replica writes, for the request with an id."""
    shown = urlsafe_b64encode(id if len(id) <= MAX_ID else b"").decode().rstrip("=")
    mark = replica.keys.mark("stream", session, replica.name, str(count), shown)
    return f"{replica.name}.{count}.{shown}.{mark}"


def read_stream_name(replica: Replica, session: str, name: str) -> StreamName | None:
    """The parts of a stream's name; None if no replica gave it to a stream of this session."""
    parts = name.split(".")
    if len(parts) != 4:
        return None
    owner, count, shown, mark = parts
    if not replica.keys.is_mark(mark, "stream", session, owner, count, shown):
        return None
    try:
        return StreamName(owner, urlsafe_b64decode(shown + "=" * (-len(shown) % 4)))
    except binascii.Error:
        return None
