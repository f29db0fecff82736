"""The ways a conversation can be held with a server. A new transport adds its channel to CHANNELS, and every file is
replayed on it.
"""

from typing import Any, ClassVar, Protocol

from golden.conversation import Hear
from plainmcp import Server

__all__ = ["CHANNELS", "Channel"]


class Channel(Protocol):
    """One client's line to a server."""

    lasts: ClassVar[bool]
    """Whether it remembers a handshake and can carry what is not an answer."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None: ...

    def send(self, message: bytes) -> bytes | None:
        """Send a message and give its answer; what comes before it goes to `hear`, and so do later notifications."""

    def close(self) -> None:
        """Hang up."""


class Handle:
    """`server.handle`: every message stands alone."""

    lasts = False

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._server = server
        self._revision = revision

    def send(self, message: bytes) -> bytes | None:
        return self._server.handle(message, revision=self._revision)

    def close(self) -> None:
        pass


class Connect:
    """`server.connect()`: a connection in memory."""

    lasts = True

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._hear = hear
        self._connection = server.connect(self._heard)

    def send(self, message: bytes) -> bytes | None:
        return self._connection.handle(message)

    def close(self) -> None:
        self._connection.close()

    def _heard(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            assert self._connection.handle(reply) is None


CHANNELS: dict[str, Any] = {"handle": Handle, "connect": Connect}
