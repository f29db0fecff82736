"""JSON as the Python value of a tree of nodes, or all places that do not fit.

Accepts a value exactly as its schema lists it. The text of an author's own class about a value is kept; for any other
place the schema gives the text.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from .coercion_errors import CoercionError, Name, read_author_error
from .formats import OutOfBoundsError
from .hints import has_hash
from .keywords import identity_of
from .matching import distance_of, is_meant
from .node_schema import as_key
from .nodes import (
    Alias,
    Anything,
    Choice,
    Foreign,
    Items,
    Members,
    Node,
    Record,
    Row,
    Scalar,
    Text,
    Union,
    describe_unlisted,
    is_within_limits,
)
from .subschemas import Keys

__all__ = ["convert"]

MAX_PLACES = 50
"""How many places that do not fit are collected."""

_UNFIT: Any = object()

Results = dict[tuple[int, int], tuple[Any, list[tuple[Keys, str | None]]]]
"""The results of parts of a value that were tried as a union, by the union and the part."""


def convert(node: Node, value: Any, foreign: dict[int, Callable[[Any], Any]] | None = None) -> Any:
    """The Python value of a JSON value; raises CoercionError. `foreign` has converters for pydantic's parts, by node.

    >>> from plainmcp.schema.type_tree import tree_of
    >>> convert(tree_of(set[int] | None), [1, 2])
    {1, 2}
    """
    conversion = _Conversion({}, foreign or {})
    try:
        result = conversion.read(node, value, ())
    except RecursionError:
        raise CoercionError([((), "nested too deep")]) from None
    if conversion.places:
        raise CoercionError(conversion.places)
    return result


class _Conversion:
    """The conversion of one value, or one attempt at it; collects the places that do not fit, with authors' texts."""

    def __init__(self, results: Results, foreign: dict[int, Callable[[Any], Any]]) -> None:
        self.places: list[tuple[Keys, str | None]] = []
        self._results = results
        self._foreign = foreign

    def read(self, node: Node, value: Any, keys: Keys) -> Any:
        return _READERS[type(node)](self, node, value, keys)

    def refuse(self, keys: Keys, text: str | None = None) -> Any:
        self.places.append((keys, text))
        return _UNFIT

    def make(self, keys: Keys, make: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Call an author's class with values that fit; it may still refuse them, with its own text."""
        try:
            return make(*args, **named)
        except (ValueError, TypeError, AssertionError) as error:
            name = getattr(make, "__name__", "its type")
            return self.refuse(*read_author_error(error, name, keys))

    # Values without parts -------------------------------------------------------------------------

    def read_anything(self, node: Anything, value: Any, keys: Keys) -> Any:
        if node.flat and isinstance(value, (list, dict)):
            return self.refuse(keys)
        return value if node.make is None else node.make(value)

    def read_scalar(self, node: Scalar, value: Any, keys: Keys) -> Any:
        if type(value) is not node.json:
            value = _as_number(node.json, value)
            if value is _UNFIT:
                return self.refuse(keys)
        if not is_within_limits(node.limits, value):
            return self.refuse(keys)
        return value if node.kind is node.json else self.make(keys, node.kind, value)

    def read_text(self, node: Text, value: Any, keys: Keys) -> Any:
        if not isinstance(value, str):
            return self.refuse(keys)
        if issubclass(node.kind, str):
            return self.make(keys, node.kind, value)
        try:
            result = node.format.read(node.kind, value)
        except OutOfBoundsError as error:
            return self.refuse(keys, str(error))
        except ValueError:
            return self.refuse(keys)
        return result if is_within_limits(node.limits, result) else self.refuse(keys, describe_unlisted(node))

    def read_choice(self, node: Choice, value: Any, keys: Keys) -> Any:
        for json, option in node.options:
            if value == json and isinstance(value, bool) is isinstance(json, bool):
                return option
        return self.refuse(keys) if node.make is None else self.make(keys, node.make, value)

    # Arrays and objects ---------------------------------------------------------------------------

    def read_items(self, node: Items, value: Any, keys: Keys) -> Any:
        if not isinstance(value, list) or not is_within_limits(node.limits, value):
            return self.refuse(keys)
        read, count = _READERS[type(node.item)], len(self.places)
        result: list[Any] = []
        for at, item in enumerate(value):
            result.append(read(self, node.item, item, (*keys, at)))
            if len(self.places) > MAX_PLACES:
                break
        if len(self.places) > count:
            return _UNFIT
        if node.unique:
            for at, item in enumerate(result):
                if not has_hash(item):
                    return self.refuse((*keys, at), "this has no hash, so it cannot be in a set")
            if len(set(map(identity_of, value))) < len(value):
                return self.refuse(keys)
        return node.make(result)

    def read_row(self, node: Row, value: Any, keys: Keys) -> Any:
        if not isinstance(value, list) or len(value) < node.least or (node.closed and len(value) > len(node.items)):
            return self.refuse(keys)
        count = len(self.places)
        pairs = list(zip(node.items, value, strict=False))
        result = [(one.name, self.read(one.node, item, (*keys, at))) for at, (one, item) in enumerate(pairs)]
        if len(self.places) > count:
            return _UNFIT
        if node.kind is None:
            return tuple(item for _, item in result)
        return self.make(keys, node.make, **{name: item for name, item in result if name is not None})

    def read_members(self, node: Members, value: Any, keys: Keys) -> Any:
        if not isinstance(value, dict) or not is_within_limits(node.limits, value):
            return self.refuse(keys)
        count = len(self.places)
        result: dict[Any, Any] = {}
        for name, item in value.items():
            key = self.read_key(node.key, name, (*keys, Name(name)))
            if key is not _UNFIT and key in result:
                self.refuse((*keys, name), "the same key as another one, written differently")
            result[key] = self.read(node.value, item, (*keys, name))
            if len(self.places) > MAX_PLACES:
                break
        return _UNFIT if len(self.places) > count else node.make(result)

    def read_key(self, node: Node, name: str, keys: Keys) -> Any:
        """The key of a member, by its name: names are strings, keys may be numbers and other values."""
        match node:
            case Alias():
                return self.read_key(node.inner, name, keys)
            case Anything():
                return name
            case Scalar() if node.json is not str:
                value = _to_json_value(name)
                return self.read(node, float(value) if node.json is float and type(value) is int else value, keys)
            case Choice():
                return self.read(node, next((json for json, _ in node.options if as_key(json) == name), name), keys)
            case Union():
                return self._key_of_union(node, name, keys)
        return self.read(node, name, keys)

    def _key_of_union(self, node: Union, name: str, keys: Keys) -> Any:
        """The first choice that fits a name; it is a number only where it cannot be a string."""
        texts = any(isinstance(one, Scalar) and one.json is str for one in node.members)
        for one in node.members:
            if texts and isinstance(one, Scalar) and one.json is not str:
                continue
            attempt = _Conversion(self._results, self._foreign)
            key = attempt.read_key(one, name, keys)
            if not attempt.places:
                return key
        return self.refuse(keys)

    def read_record(self, node: Record, value: Any, keys: Keys) -> Any:
        if not isinstance(value, dict):
            return self.refuse(keys)
        count = len(self.places)
        arguments: dict[str, Any] = {}
        for wire, field in node.fields.items():
            if wire in value:
                result = self.read(field.node, value[wire], (*keys, wire))
                if field.name is not None:
                    arguments[field.name] = result
            elif field.required:
                self.refuse((*keys, wire))
        for name in [name for name in value if name not in node.fields]:
            if node.rest is not None:
                arguments[name] = self.read(node.rest, value[name], (*keys, name))
            elif node.closed:
                self.refuse((*keys, name))
        return _UNFIT if len(self.places) > count else self.make(keys, node.make, **arguments)

    def read_foreign(self, node: Foreign, value: Any, keys: Keys) -> Any:
        try:
            return self._foreign[id(node)](value)
        except CoercionError as error:
            self.places += [((*keys, *inner), text) for inner, text in error.places]
            return _UNFIT

    def read_alias(self, node: Alias, value: Any, keys: Keys) -> Any:
        return self.read(node.inner, value, keys)

    # Unions ---------------------------------------------------------------------------------------

    def read_union(self, node: Union, value: Any, keys: Keys) -> Any:
        """The first choice that fits, for a record one that has all names; else the places of the likely choice."""
        part = (id(node), id(value))
        # A part is tried once, even if several choices above lead to it.
        if part not in self._results or not isinstance(value, (list, dict)):
            self._results[part] = self._try_members(node, value, keys)
        result, places = self._results[part]
        self.places += places
        return result

    def _try_members(self, node: Union, value: Any, keys: Keys) -> tuple[Any, list[tuple[Keys, str | None]]]:
        attempts: list[tuple[Node, list[tuple[Keys, str | None]]]] = []
        for member in sorted(node.members, key=lambda one: distance_of(one, value)):
            attempt = _Conversion(self._results, self._foreign)
            result = attempt.read(member, value, keys)
            if not attempt.places:
                return result, []
            attempts.append((member, attempt.places))
        for _, places in attempts:
            if all(text is not None for _, text in places):
                return _UNFIT, places
        likely = [places for member, places in attempts if is_meant(member, value)]
        return _UNFIT, likely[0] if len(likely) == 1 else [(keys, None)]


_READERS: dict[type[Node], Callable[[_Conversion, Any, Any, Keys], Any]] = {
    Anything: _Conversion.read_anything,
    Scalar: _Conversion.read_scalar,
    Text: _Conversion.read_text,
    Choice: _Conversion.read_choice,
    Items: _Conversion.read_items,
    Row: _Conversion.read_row,
    Members: _Conversion.read_members,
    Record: _Conversion.read_record,
    Foreign: _Conversion.read_foreign,
    Union: _Conversion.read_union,
    Alias: _Conversion.read_alias,
}


def _as_number(kind: type, value: Any) -> Any:
    """The same number as another type: 3.0 is an integer, and 3 is a number."""
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            pass
    return _UNFIT


def _to_json_value(name: str) -> Any:
    """The number, boolean or null that a name is in JSON; else the name itself."""
    try:
        value = msgspec.json.decode(name)
    except (msgspec.DecodeError, ValueError):
        return name
    return value if (type(value) is float and name == name.strip()) or as_key(value) == name else name
