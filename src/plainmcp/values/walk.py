"""A walk over a value that makes plain data of it; a value without a JSON form is refused with its path.

Knows shapes and the policy; the rules decide which shape a class has.
"""

import re
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from math import isfinite
from typing import Any, Protocol

import msgspec

from ..errors import NormalizeError
from ..foreign import classes
from ..policy import Policy
from .rules import MAX_ITEMS, Rule

__all__ = ["MAX_DEPTH", "Walk", "cycle_error", "depth_error", "path_of"]

MAX_DEPTH = 100
"""How deep arrays and objects may nest."""

_MAX_INTEGER = 10**4300


class RuleSource(Protocol):
    """Where the rule of a class comes from."""

    def rule_of(self, kind: type) -> Rule:
        """The rule for a class."""
        ...


class Walk:
    """One walk over one value, which makes plain dicts, lists and scalars of it and keeps track of the path."""

    def __init__(self, rules: RuleSource, policy: Policy) -> None:
        self.rules = rules
        self.policy = policy
        self.exact = True
        self.keys: list[Any] = []  # the path from the root to here
        self.ancestors: list[Any] = []  # the containers on that path

    def convert(self, value: Any) -> Any:
        """The value as plain data; raises NormalizeError with a path."""
        try:
            return self._visit(value)
        except NormalizeError:
            raise
        except Exception as error:  # a property, an iterator or a comparison of the user's own raised
            raise self._error(f"{type(error).__name__} while it was being read") from error

    def _visit(self, value: Any) -> Any:
        origin, kind = value, type(value)
        for _ in range(MAX_DEPTH):
            kind = type(value)
            if kind is str:
                return self._convert_text(value)
            rule = self.rules.rule_of(kind)
            match rule.shape:
                case "leaf":
                    return self._convert_leaf(value)
                case "list":
                    return self._descend(origin, self._convert_items, value)
                case "dict":
                    return self._descend(origin, self._convert_members, value)
                case "set":
                    return sorted(self._descend(origin, self._convert_items, value), key=_set_order)
                case "block":
                    raise self._error(
                        f"{kind.__name__} is content, not data; return it by itself or in a list of content"
                    )
                case "text" | "repr" | "unknown":
                    return self._convert_unknown(value, rule)
            value = self.open(rule, value)
        raise self._error(f"{kind.__name__} keeps turning into something else that has to be converted")

    def _descend(self, origin: Any, visit: Callable[[Any], Any], value: Any) -> Any:
        """Convert the next level; `origin` is the value before it was opened, by which a cycle is recognised."""
        if len(self.ancestors) >= MAX_DEPTH:
            raise self._depth_error(origin)
        self.ancestors.append(origin)
        result = visit(value)
        self.ancestors.pop()
        return result

    def _convert_items(self, value: Any) -> list[Any]:
        result = []
        most = len(value) if isinstance(value, (list, tuple)) else MAX_ITEMS
        self.keys.append(0)
        for index, item in enumerate(value):
            if index >= most:
                self.keys.pop()
                raise self._error(f"a collection that went on after {most:,} items")
            self.keys[-1] = index
            result.append(self._visit(item))
        self.keys.pop()
        return result

    def _convert_members(self, value: dict[Any, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in dict.items(value):  # a class of its own may show only some of its values
            name = self._convert_key(key)
            if name in result:
                raise self._error(f"two keys are both {name!r} in JSON")
            self.keys.append(name)
            plain = self._visit(item)
            self.keys.pop()
            if plain is not None or not self.policy.drop_none:
                result[name] = plain
        return result

    def _convert_key(self, key: Any) -> str:
        """The name of a key in JSON: a string stays, anything else becomes its JSON text."""
        plain = key if type(key) is str else self._visit(key)
        if type(plain) is not str:
            return msgspec.json.encode(plain).decode()
        return self._convert_text(plain)

    def _convert_leaf(self, value: Any) -> Any:
        if value is None or value is True or value is False:
            return value
        if type(value) is int:
            if abs(value) >= _MAX_INTEGER:
                raise self._error("an integer of more than 4,300 digits")
            return value
        if type(value) is float:
            return value if isfinite(value) else self._replace_unencodable(f"{value} is not a JSON number", None)
        if type(value) is memoryview:
            value = bytes(value)
        plain = msgspec.to_builtins(value)  # dates, UUIDs, bytes and enums: one scalar each
        return self._convert_text(plain) if type(plain) is str else plain

    def _convert_text(self, value: str) -> str:
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            safe = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return str(self._replace_unencodable("a lone surrogate, which no UTF-8 text can hold", safe))
        return value

    def _replace_unencodable(self, problem: str, replacement: Any) -> Any:
        if self.policy.unencodable == "error":
            raise self._error(problem)
        return replacement

    def open(self, rule: Rule, value: Any) -> Any:
        """The value that a value turns into by its rule; raises NormalizeError."""
        assert rule.open is not None
        try:
            return rule.open(value)
        except NormalizeError as error:
            raise NormalizeError(path_of(self.keys) + error.path[1:], error.problem) from error
        except Exception as error:
            raise self._error(f"converting {type(value).__name__} raised {type(error).__name__}") from error

    def _convert_unknown(self, value: Any, rule: Rule) -> Any:
        """The text of a value that no rule fits, if it has one and the policy allows it."""
        kind = type(value)
        if self.policy.unserializable == "error" or rule.shape == "unknown":
            raise self._error(_describe_missing_form(kind))
        try:
            text = str(value)
        except Exception as error:
            problem = f"{kind.__name__} has no JSON form and its __str__ raised {type(error).__name__}"
            raise self._error(problem) from error
        if (rule.shape == "repr" and text.startswith("<")) or ("<" in text and _ADDRESS.search(text)):
            raise self._error(_describe_missing_form(kind))
        self.exact = False
        return self._convert_text(text)

    def _depth_error(self, value: Any) -> NormalizeError:
        first_seen: dict[int, int] = {}
        for depth, container in enumerate([*self.ancestors, value]):
            earlier = first_seen.setdefault(id(container), depth)
            if earlier != depth:
                return cycle_error(self.keys[:depth], self.keys[:earlier])
        return depth_error(self.keys)

    def _error(self, problem: str) -> NormalizeError:
        return NormalizeError(path_of(self.keys), problem)


_ADDRESS = re.compile(r" (?:at|@) 0x[0-9a-fA-F]{5}")  # in a default repr, perhaps inside another


def _describe_missing_form(kind: type) -> str:
    cure = "give it a __plain__ method or register a serializer"
    if issubclass(kind, Awaitable):
        cure = "await it"
    elif issubclass(kind, AsyncIterable):
        cure = "collect what it yields, and return a list"
    elif classes.has_data(kind) or issubclass(kind, Iterable):
        cure = "make lists and dicts of it, or register a serializer"
    return f"{kind.__name__} has no JSON form; {cure}"


def _set_order(item: Any) -> tuple[int, Any, bytes]:
    """A sort key: numbers by size, strings by code point, the rest by its JSON; the order never varies."""
    raw = msgspec.json.encode(item)
    if type(item) in (int, float, bool):
        return (0, item, raw)
    return (1, item, raw) if type(item) is str else (2, 0, raw)


def cycle_error(keys: list[Any], earlier: list[Any]) -> NormalizeError:
    """The error for a value that contains itself."""
    return NormalizeError(path_of(keys), f"a cycle: it holds {path_of(earlier)} again")


def depth_error(keys: list[Any]) -> NormalizeError:
    """The error for a value with too many levels."""
    return NormalizeError(path_of(keys), f"nested more than {MAX_DEPTH} levels deep")


def path_of(keys: list[Any]) -> str:
    """The path of a place in a value, such as `$.rows[3].when`."""
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
