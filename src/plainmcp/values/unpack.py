"""One level of a value: the members of a value that is an object in JSON, the items of one that is an array.

Uses the rules by which values are encoded. Knows no hints.
"""

from collections.abc import Mapping
from typing import Any

from ..foreign import classes
from ..policy import Policy
from .encode import Rules

__all__ = ["Unpacker"]


class Unpacker:
    """Opens values, one level at a time, by the rules by which they are encoded."""

    def __init__(self, rules: Rules, policy: Policy) -> None:
        self.rules, self.policy = rules, policy

    def members_of(self, value: Any) -> Mapping[Any, Any] | None:
        """The members of a value that is an object in JSON; None for any other value."""
        for _ in range(_LAYERS):
            rule = self.rules.rule_of(type(value))
            if rule.shape == "dict":
                return value  # type: ignore[no-any-return]
            if rule.open is None or rule.many or rule.shape not in _OBJECTS:
                return None
            try:
                value = rule.open(value)
            except Exception:  # the encoder fails at the same place, and knows its path
                return None
        return None

    def is_derived(self, value: Any, kind: type) -> bool:
        """Whether a value is of a pydantic class derived from `kind`, and is dumped by pydantic."""
        return kind in type(value).__mro__ and self.rules.rule_of(type(value)).open is classes.dump_model

    def items_of(self, value: Any) -> list[Any] | tuple[Any, ...] | None:
        """The items of a value that is an array in JSON; None for any other value."""
        rule = self.rules.rule_of(type(value))
        if rule.shape == "list":
            return value  # type: ignore[no-any-return]
        if rule.many or rule.shape != "open" or rule.open is None:
            return self.rules.items_of(value, self.policy)
        try:
            opened = rule.open(value)
        except Exception:  # as above
            return None
        return opened if isinstance(opened, list) else None

    def encode(self, value: Any) -> bytes:
        """A value as JSON, by which equal values are recognised."""
        return self.rules.encode(value, self.policy)


_OBJECTS = frozenset({"fields", "model", "open"})
_LAYERS = 10
"""How often a value may turn into another value before it is left to the encoder."""
