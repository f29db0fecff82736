"""The keys and logs of one server in the store that its replicas share. Does no I/O."""

from ..protocol.core import Core
from ..protocol.store_keys import ServerKeys

__all__ = ["LIMITS", "MAX_CHANGES", "NEW_LOG", "SMALL", "StoreKeys"]

MAX_CHANGES = 10_000
"""How many changes are kept, which reach clients that reconnect; and how many entries of other logs."""
CHANGE_SECONDS = 60.0 * 60
"""How long they are kept after the last one."""
MAX_STREAM = 1_000
"""How many entries the copy of a stream keeps."""
LOG_SECONDS = 10.0 * 60
"""How long other logs are kept after the last entry."""
LIMITS = (MAX_CHANGES, LOG_SECONDS)
"""How many entries an inbox or the log of broadcasts keeps, and for how many seconds after the last one."""
SMALL = 256
"""About how many bytes a small entry or value takes, and what surrounds a larger one."""
NEW_LOG = 4_096 + SMALL
"""About how many bytes the first entry of a log takes in Redis, whatever it has."""


class StoreKeys(ServerKeys):
    """The keys of one server that its replicas share."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self.changes = self.key("changes")
        """The log of changes, for all replicas."""
        self.broadcasts = self.key("broadcasts")
        """The log of what happens to sessions, for all replicas."""
        self.replicas = self.key("replicas")
        """The log of the replicas that have joined and left."""
        self.inboxes = self.key("inbox", "")
        """The logs with the entries for one replica: this, and its name."""
        self.streams = self.key("stream", "")
        """The logs with the copies of streams: this, and a session, and the name of the stream."""
        self.began = self.key("began")
        """The time since when the store has all renewals of sessions."""

    def session_of(self, name: str) -> str:
        """The key of the record of a session."""
        return self.key("session", name)

    def heartbeat_of(self, replica: str) -> str:
        """The key of the heartbeat of a replica."""
        return self.key("replica", replica)

    def limits_of(self, log: str) -> tuple[int, float]:
        """How many entries a log keeps, and for how many seconds after the last one."""
        if log == self.changes:
            return MAX_CHANGES, CHANGE_SECONDS
        return (MAX_STREAM, LOG_SECONDS) if log.startswith(self.streams) else LIMITS
