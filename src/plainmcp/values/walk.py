"""One pass over a value into plain data, always knowing where it is: what has no JSON form is refused with its path.

Knows shapes and the policy; which shape a class has is for the rules it is given.
"""

import re
from collections.abc import Awaitable, Callable
from math import isfinite
from typing import Any, Protocol

import msgspec

from ..errors import NormalizeError
from ..foreign import classes
from ..policy import Policy
from .rules import MAX_ITEMS, Rule

__all__ = ["MAX_DEPTH", "Walk", "cycle", "path_of", "too_deep"]

MAX_DEPTH = 100
"""How deep arrays and objects may nest."""

_MAX_INTEGER = 10**4300


class Rules(Protocol):
    """Who says what shape a class has."""

    def rule(self, kind: type) -> Rule:
        """The rule for a class."""
        ...


class Walk:
    """One pass over one value into plain dicts, lists and scalars, always knowing where it stands."""

    def __init__(self, rules: Rules, policy: Policy) -> None:
        self.rules = rules
        self.policy = policy
        self.exact = True
        self.keys: list[Any] = []  # the way from the root to here
        self.above: list[Any] = []  # the containers on that way

    def start(self, value: Any) -> Any:
        """The value as plain data; raises NormalizeError with a path."""
        try:
            return self._visit(value)
        except NormalizeError:
            raise
        except Exception as error:  # a property, an iterator or a comparison of the user's own raised
            raise self._refusal(f"{type(error).__name__} while it was being read") from error

    def _visit(self, value: Any) -> Any:
        origin, kind = value, type(value)
        for _ in range(MAX_DEPTH):
            kind = type(value)
            if kind is str:
                return self._text(value)
            rule = self.rules.rule(kind)
            match rule.shape:
                case "leaf":
                    return self._leaf(value)
                case "list":
                    return self._inside(origin, self._items, value)
                case "dict":
                    return self._inside(origin, self._members, value)
                case "set":
                    return sorted(self._inside(origin, self._items, value), key=_set_order)
                case "block":
                    raise self._refusal(
                        f"{kind.__name__} is content, not data; return it by itself or in a list of content"
                    )
                case "text" | "repr" | "unknown":
                    return self._stranger(value, rule)
            value = self.opened(rule, value)
        raise self._refusal(f"{kind.__name__} keeps turning into something else that has to be converted")

    def _inside(self, origin: Any, visit: Callable[[Any], Any], value: Any) -> Any:
        """One level down; `origin` is what stood here before it was opened, so that a cycle is recognised."""
        if len(self.above) >= MAX_DEPTH:
            raise self._too_deep(origin)
        self.above.append(origin)
        result = visit(value)
        self.above.pop()
        return result

    def _items(self, value: Any) -> list[Any]:
        result = []
        most = len(value) if isinstance(value, (list, tuple)) else MAX_ITEMS
        self.keys.append(0)
        for index, item in enumerate(value):
            if index >= most:
                self.keys.pop()
                raise self._refusal(f"a collection that went on after {most:,} items")
            self.keys[-1] = index
            result.append(self._visit(item))
        self.keys.pop()
        return result

    def _members(self, value: dict[Any, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in value.items():
            name = self._name(key)
            if name in result:
                raise self._refusal(f"two keys are both {name!r} in JSON")
            self.keys.append(name)
            plain = self._visit(item)
            self.keys.pop()
            if plain is not None or not self.policy.drop_none:
                result[name] = plain
        return result

    def _name(self, key: Any) -> str:
        """A key as JSON has it: a string stays, anything else is its JSON text."""
        plain = key if type(key) is str else self._visit(key)
        if type(plain) is not str:
            return msgspec.json.encode(plain).decode()
        return self._text(plain)

    def _leaf(self, value: Any) -> Any:
        if value is None or value is True or value is False:
            return value
        if type(value) is int:
            if abs(value) >= _MAX_INTEGER:
                raise self._refusal("an integer of more than 4,300 digits")
            return value
        if type(value) is float:
            return value if isfinite(value) else self._unencodable(f"{value} is not a JSON number", None)
        if type(value) is memoryview:
            value = bytes(value)
        plain = msgspec.to_builtins(value)  # dates, UUIDs, bytes and enums: one scalar each
        return self._text(plain) if type(plain) is str else plain

    def _text(self, value: str) -> str:
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            safe = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return str(self._unencodable("a lone surrogate, which no UTF-8 text can hold", safe))
        return value

    def _unencodable(self, problem: str, replacement: Any) -> Any:
        if self.policy.unencodable == "error":
            raise self._refusal(problem)
        return replacement

    def opened(self, rule: Rule, value: Any) -> Any:
        """What a value turns into by its rule; raises NormalizeError."""
        assert rule.open is not None
        try:
            return rule.open(value)
        except NormalizeError as error:
            raise self._refusal(error.problem) from error
        except Exception as error:
            raise self._refusal(f"converting {type(value).__name__} raised {type(error).__name__}") from error

    def _stranger(self, value: Any, rule: Rule) -> Any:
        """A value no rule fits: its own text, if it has one, and the policy allows it."""
        kind = type(value)
        if self.policy.unserializable == "error" or rule.shape == "unknown":
            raise self._refusal(_formless(kind))
        try:
            shown = str(value)
        except Exception as error:
            problem = f"{kind.__name__} has no JSON form and its __str__ raised {type(error).__name__}"
            raise self._refusal(problem) from error
        if (rule.shape == "repr" and shown.startswith("<")) or ("<" in shown and _ADDRESS.search(shown)):
            raise self._refusal(_formless(kind))
        self.exact = False
        return self._text(shown)

    def _too_deep(self, value: Any) -> NormalizeError:
        first_met: dict[int, int] = {}
        for depth, container in enumerate([*self.above, value]):
            earlier = first_met.setdefault(id(container), depth)
            if earlier != depth:
                return cycle(self.keys[:depth], self.keys[:earlier])
        return too_deep(self.keys)

    def _refusal(self, problem: str) -> NormalizeError:
        return NormalizeError(path_of(self.keys), problem)


_ADDRESS = re.compile(r" (?:at|@) 0x[0-9a-fA-F]{5}")  # of a default repr, perhaps inside of another


def _formless(kind: type) -> str:
    cure = "give it a __plain__ method or register a serializer"
    if classes.holds_data(kind):
        cure = "make lists and dicts of it, or register a serializer"
    elif issubclass(kind, Awaitable):
        cure = "await it"
    return f"{kind.__name__} has no JSON form; {cure}"


def _set_order(item: Any) -> tuple[int, Any, bytes]:
    """Numbers by size, strings by code point, the rest by its JSON: the same on every run."""
    raw = msgspec.json.encode(item)
    if type(item) in (int, float, bool):
        return (0, item, raw)
    return (1, item, raw) if type(item) is str else (2, 0, raw)


def cycle(keys: list[Any], earlier: list[Any]) -> NormalizeError:
    """What stands at one place is what stands further up."""
    return NormalizeError(path_of(keys), f"a cycle: it holds {path_of(earlier)} again")


def too_deep(keys: list[Any]) -> NormalizeError:
    """There is no end of levels."""
    return NormalizeError(path_of(keys), f"nested more than {MAX_DEPTH} levels deep")


def path_of(keys: list[Any]) -> str:
    """A place in a value as `$.rows[3].when`."""
    parts = ["$"]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        elif key.isidentifier():
            parts.append(f".{key}")
        else:
            parts.append(f"[{key!a}]")
    path = "".join(parts)
    return path if len(path) <= 160 else f"{path[:80]}…{path[-60:]}"
