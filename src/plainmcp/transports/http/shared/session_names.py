"""The names of the questions and streams of a session: any replica can read which replica gave a name, and for what.

Each name has a tag that only replicas can make, and only for that session. Does no I/O.
"""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from ....replicas.replica import Replica

__all__ = [
    "MAX_ID", "StreamName", "find_asker", "is_own_stream", "is_standing_stream", "name_question",
    "name_standing_stream", "name_stream", "read_stream_name",
]  # fmt: skip

MAX_ID = 1_024
"""How many bytes the id of a request may have to be part of a stream's name, or to be cancelled elsewhere."""


_STANDING = re.compile(r"g[0-9a-f]{12}\.[0-9]{1,15}")


class StreamName(NamedTuple):
    """The parts of a stream's name: the replica that writes it, and the id of its request."""

    source: str
    id: bytes


def name_question(replica: Replica, session: str, count: int) -> str:
    """The id of a question that a replica asks in a session."""
    tag = replica.keys.tag("question", session, replica.name, str(count))
    return f"s-{replica.name}-{count}-{tag}"


def find_asker(replica: Replica, session: str, question: str) -> str | None:
    """The replica that asked a question in a session; None if none did."""
    parts = question.split("-")
    if len(parts) != 4:
        return None
    _, source, count, tag = parts
    return source if replica.keys.is_tag(tag, "question", session, source, count) else None


def name_standing_stream(replica: Replica) -> str:
    """The name of a new stream that stays open, for a GET. It needs no tag: any replica can continue it."""
    return f"g{replica.name}.{next(replica.numbers)}"


def is_standing_stream(name: str) -> bool:
    """Whether a name is that of a stream that stays open."""
    return _STANDING.fullmatch(name) is not None


def is_own_stream(replica: Replica, name: str) -> bool:
    """Whether a replica writes the stream with a name."""
    return name.startswith(f"{replica.name}.")


def name_stream(replica: Replica, session: str, count: int, id: bytes) -> str:
    """The name of a stream that a replica writes, for the request with an id."""
    shown = urlsafe_b64encode(id if len(id) <= MAX_ID else b"").decode().rstrip("=")
    tag = replica.keys.tag("stream", session, replica.name, str(count), shown)
    return f"{replica.name}.{count}.{shown}.{tag}"


def read_stream_name(replica: Replica, session: str, name: str) -> StreamName | None:
    """The parts of a stream's name; None if no replica gave it to a stream of this session."""
    parts = name.split(".")
    if len(parts) != 4:
        return None
    source, count, shown, tag = parts
    if not replica.keys.is_tag(tag, "stream", session, source, count, shown):
        return None
    try:
        return StreamName(source, urlsafe_b64decode(shown + "=" * (-len(shown) % 4)))
    except binascii.Error:
        return None
