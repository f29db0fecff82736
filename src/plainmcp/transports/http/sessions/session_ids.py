"""The ids of sessions that are in the memory of one process: hard to guess, and others can see whose they are.

Does no I/O.
"""

import os
import re
from hashlib import blake2b
from secrets import token_bytes, token_urlsafe

__all__ = ["is_of_another_process", "make_session_id"]

_FORM = re.compile(rb"[\w-]{43}\.([0-9a-f]{8})\.([0-9]{1,12})")
_secret = token_bytes(16)


def make_session_id(now: float) -> bytes:
    """A new id, with the process and the time at its end (R2511-SESS-01, R2511-SESS-02)."""
    return f"{token_urlsafe(32)}.{_name_of_process()}.{int(now)}".encode()


def is_of_another_process(id: bytes, since: float, now: float) -> bool:
    """Whether another process has made an id since a time: one that serves at the same time as this one.

    >>> is_of_another_process(make_session_id(5.0), 0.0, 9.0)  # of this process
    False
    >>> is_of_another_process(b"x" * 43 + b".00000000.5", 0.0, 9.0), is_of_another_process(b"x", 0.0, 9.0)
    (True, False)
    """
    parts = _FORM.fullmatch(id)
    return parts is not None and parts[1].decode() != _name_of_process() and since < int(parts[2]) <= now


def _name_of_process() -> str:
    """A text that each process has another one of, also after a fork, and that says nothing about it."""
    return blake2b(str(os.getpid()).encode(), key=_secret, digest_size=4).hexdigest()
