"""The changes that one request makes, so that its response can wait until the store has them."""

from contextvars import ContextVar

import msgspec

__all__ = ["CURRENT", "WAIT", "OwnChanges", "note_change"]

WAIT = 0.5
"""How many seconds a response waits for them."""


class OwnChanges(msgspec.Struct, gc=False):
    """The changes that one request has made."""

    last: int = 0  # the number of the last one, for the writer


CURRENT: ContextVar[OwnChanges | None] = ContextVar("plainmcp_changes", default=None)
"""Those of the request whose function runs; a thread that runs it has the same object."""


def note_change(number: int) -> None:
    """Note the number of a change for the request in whose context it is made, if there is one.

    >>> _ = CURRENT.set(OwnChanges())
    >>> note_change(7)
    >>> CURRENT.get()
    OwnChanges(last=7)
    """
    changes = CURRENT.get()
    if changes is not None:
        changes.last = number
