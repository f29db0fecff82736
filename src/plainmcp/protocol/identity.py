"""A text for a caller that is the same on each of its requests: what a client carries is bound to its owner by it."""

from typing import Any

from ..errors import NormalizeError
from ..policy import Policy
from ..values.payload import strict_policy_of
from .core import Core

__all__ = ["text_of"]


def text_of(server: Core, principal: Any) -> str | None:
    """The JSON of a principal, or its repr; None if its class has neither."""
    try:
        return str(server.rules.encode(principal, strict_policy_of(Policy.standard)), "utf-8")
    except NormalizeError:
        kind: Any = type(principal)  # a memory address may belong to another caller next time
        return repr(principal) if kind.__repr__ is not object.__repr__ else None
