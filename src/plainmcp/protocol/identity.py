"""A text for a caller that is the same on each of its requests: what a client carries is bound to its owner by it."""

import logging
from functools import lru_cache
from os import urandom
from typing import Any

import msgspec

from ..policy import Policy
from ..values.payload import strict_policy_of
from .core import Core
from .exchange import FAILURES
from .interrupts import raise_interrupt

__all__ = ["lasting_text_of"]

_log = logging.getLogger("plainmcp")


def _text_of(server: Core, principal: Any) -> str | None:
    """The JSON of a principal, with the name of its class; None if it has none.

    Its repr would not do: two callers may have the same, and a memory address may belong to another one next time.
    """
    kind: Any = type(principal)
    try:
        raw = server.rules.encode(_comparable_of(principal), strict_policy_of(Policy.standard))
        raw = msgspec.json.encode(msgspec.json.decode(raw), order="sorted")  # equal dicts may be in another order
    except FAILURES as error:  # the class is the author's
        raise_interrupt(error)
        return None
    return f"{kind.__module__}.{kind.__qualname__} {str(raw, 'utf-8')}"


def _comparable_of(principal: Any) -> Any:
    """A principal without the fields that do not count when two are compared, such as when its token expires."""
    fields: dict[str, Any] = getattr(type(principal), "__dataclass_fields__", {})
    if all(field.compare for field in fields.values()):
        return principal
    return {name: getattr(principal, name) for name, field in fields.items() if field.compare}


def lasting_text_of(server: Core, principal: Any, loss: str) -> str:
    """The text of a principal; one that is never equal if it has none. `loss` is what that means for its caller."""
    text = _text_of(server, principal)
    if text is not None:
        return text
    kind: Any = type(principal)
    _warn_of_identity(kind, loss)
    return urandom(16).hex()


@lru_cache(maxsize=64)  # once for each class
def _warn_of_identity(kind: Any, loss: str) -> None:
    _log.warning(
        "%s: what principal= gives (%s) has no text that is the same on its next request. "
        "Let it give a user id, or a dataclass",
        loss,
        kind.__name__,
    )
