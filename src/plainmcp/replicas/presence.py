"""The place of a process among those that share a store, for as long as a server runs in it.

A process that serves has it from its start to its end, over any transport, and so has one that calls
`server.start()`: changes go both ways. A process that does not start the server writes each change that its author
reports into the store before it goes on; the features that it registers are known only there.
"""

import asyncio

from ..protocol.core import Core
from ..store.interface import Store
from .replica import Replica, replica_of

__all__ = ["Presence", "presence_of"]

SECONDS_TO_WRITE = 5.0
"""How long the end of a process waits for what it still has to write."""


class Presence:
    """Starts the replica of a server, and stops it at the end."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._is_held = False

    def start(self) -> None:
        """Follow the changes of other processes from now on; waits a moment until that works."""
        if not self._is_held:
            self._is_held = True
            self._replica.hold()

    async def start_async(self) -> None:
        """Do what `start` does, without keeping the loop waiting."""
        await asyncio.to_thread(self.start)

    def close(self) -> None:
        """Write what waits, and follow no more."""
        if self._is_held:
            self._is_held = False
            self._replica.release(SECONDS_TO_WRITE)

    async def close_async(self) -> None:
        """Do what `close` does, without keeping the loop waiting."""
        await asyncio.to_thread(self.close)


def presence_of(core: Core, store: Store) -> Presence:
    """The place of this process among those that share a store; raises AuthorError without a key for all of them."""
    return Presence(replica_of(core, store))
