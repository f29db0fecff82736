"""A client of the soak: it does operations one after the other, and records what came of them."""

import asyncio
import random
import time
from typing import Any, ClassVar

from soak.history import Change, History, Operation, Watch, find_lost

__all__ = ["PATIENCE", "Failed", "Worker", "Wrong"]

PATIENCE = 25.0
"""How many seconds an operation may take; one that takes longer was never answered."""
NOTES = 40
"""How many resources each client has: so many that most are changed once, and an update too many does not hide one
too few."""


class Failed(Exception):
    """An error that the client saw."""


class Wrong(Exception):
    """Something that the client must never get."""


class Worker:
    """One client. A subclass has a method for each kind of operation."""

    KINDS: ClassVar[tuple[str, ...]] = ()
    pace = 0.0
    """How many seconds it waits at most after an operation."""

    def __init__(self, url: str, name: str, history: History, chance: random.Random) -> None:
        self.url, self.name, self.history, self.chance = url, name, history, chance
        self.count = 0
        self.uris = [f"note://{name}-{number}" for number in range(NOTES)]

    async def run(self, count: int) -> None:
        """Do so many operations."""
        while self.count < count:
            await self.do(self.chance.choice(self.KINDS))

    async def do(self, kind: str) -> Operation:
        """Do one operation, and record what came of it."""
        self.count += 1
        one = Operation(kind, self.name, f"{self.name}-{self.count}", time.time())
        self.history.operations.append(one)
        try:
            async with asyncio.timeout(PATIENCE):
                await getattr(self, f"do_{kind}")(one)
            one.outcome = "done"
        except TimeoutError as error:
            one.detail = f"it took too long {error}"
        except Wrong as error:
            one.outcome, one.detail = "wrong", str(error)
        except Exception as error:  # of any client: it saw that the operation failed
            one.outcome, one.detail = "failed", f"{type(error).__name__}: {error}"
        one.ended = time.time()
        await asyncio.sleep(self.chance.random() * self.pace)
        return one

    def begin_watch(self) -> Watch:
        """A new session, or a new listen stream."""
        watch = Watch(self.name)
        self.history.watches.append(watch)
        return watch

    def begin_change(self) -> Change:
        """A change of one of the resources of this client."""
        change = Change(self.chance.choice(self.uris), time.time())
        self.history.changes.append(change)
        return change

    async def wait_for_updates(self, watch: Watch) -> None:
        """Wait until all updates have come, but not for ever."""
        for _ in range(100):
            if not find_lost(self.history, watch):
                return
            await asyncio.sleep(0.1)


def expect(value: Any, expected: Any) -> None:
    """Raise Wrong, unless a value is the expected one."""
    if value != expected:
        raise Wrong(f"{value!r} came instead of {expected!r}")
