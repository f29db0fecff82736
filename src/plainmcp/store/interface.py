"""What several processes of one server share: values that expire, and logs that are only appended to.

A store knows bytes, not what they mean. Its methods wait, but not long: they raise StoreError in time.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from ..errors import PlainMCPError

__all__ = ["MAX_READ", "Entry", "Store", "StoreError"]


class StoreError(PlainMCPError):
    """The store did not do what it was asked: it cannot be reached, does not answer in time, or is full."""


class Entry(NamedTuple):
    """One entry of a log. Positions grow within a log, and are more than 0."""

    log: str
    position: int
    value: bytes


class Store(Protocol):
    """What is shared. Keys are text; everything expires, and a log has a greatest length.

    `plainmcp.testing.check_store` checks what a store guarantees:

    - Keys are any text, and values any bytes, up to some MiB. A key has a value or a log, not both.
    - It may be used from any thread, and by many at a time.
    - It may be made and used before a process forks. Then the child uses it, too, and neither disturbs the other.
    - Each method raises StoreError within a second or so if it cannot do its work, and works again when it can. A
      `read` that waits has that long in addition.
    - Two objects for the same store are equal, and have the same hash.
    """

    is_shared: bool
    """Whether other processes see the same store."""

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none any more."""
        ...

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Set the value of a key, which expires after some seconds."""

    def delete(self, key: str) -> None:
        """Remove the value of a key."""

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        """Set the value of a key if it still has the value `before` (None: no value); returns whether it had.

        Of several that change a value at once, from the same value, one gets True.
        """
        ...

    def append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        """Append each value to its log; returns the positions.

        A log keeps about `most` entries, the newest and sometimes more, and expires after some seconds without a new
        one. Positions grow also after it has expired. The names of all logs have one tag, which is what the first
        braces in them enclose: a store may keep logs of different tags on different machines.
        """
        ...

    def advance(self, log: str, position: int, seconds: float) -> None:
        """Let the next positions of a log be greater than this one, also if the store has lost it meanwhile."""

    def last(self, log: str) -> int:
        """The position of the newest entry of a log; 0 if there is none."""
        ...

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        """The next entries of each log after a position, the oldest first; waits some seconds if there are none.

        The logs come in the order of `after`, and at most MAX_READ entries of each. The names of all have one tag.
        Nothing is left out: an entry that is appended later has a greater position, and an entry comes with those
        that were appended before it to the logs that are named first. It waits until there is an entry in one of the
        logs, or at most so many seconds; a long wait may end after a second.
        """
        ...

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""


MAX_READ = 1_000
"""How many entries of a log one `read` returns."""
