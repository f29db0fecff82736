"""The text of a principal: what is equal on each request of one caller, for state that leaves the process.

Knows neither tokens nor transports: a principal is any value.
"""

import logging
from functools import lru_cache
from os import urandom
from typing import Any

from ..errors import NormalizeError
from ..policy import Policy
from ..values.payload import strict_policy_of
from .core import Core

__all__ = ["text_of"]

_log = logging.getLogger("plainmcp")


def text_of(server: Core, principal: Any) -> str:
    """A text for a principal that is equal on the next request: its JSON, or its repr."""
    try:
        return str(server.rules.encode(principal, strict_policy_of(Policy.standard)), "utf-8")
    except NormalizeError:
        kind: Any = type(principal)
        if kind.__repr__ is not object.__repr__:
            return repr(principal)
        _warn_of_identity(kind)
        return urandom(16).hex()  # never equal: a memory address may belong to another caller next time


@lru_cache(maxsize=64)  # once for each class
def _warn_of_identity(kind: Any) -> None:
    _log.warning(
        "the answers and sessions of this caller will be refused: what principal= gives (%s) has no text that is the "
        "same on its next request. Let it give a user id, or a dataclass",
        kind.__name__,
    )
