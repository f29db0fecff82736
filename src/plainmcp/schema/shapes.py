"""The shapes of declared types: each makes a value conform, and returns the value itself where nothing has to change.

They are compiled in conform. Knows values, by the rules by which they are encoded; not how hints become shapes.
"""

from collections.abc import Callable, Mapping, Set
from operator import is_
from typing import Any, Literal, get_args, get_origin

import msgspec

from ..errors import NormalizeError
from ..foreign import classes
from ..values.unpack import Unpacker
from .nodes import Field, Opaque

__all__ = [
    "AliasShape",
    "Conform",
    "ItemsShape",
    "MembersShape",
    "RecordShape",
    "Test",
    "TupleShape",
    "UnionShape",
    "conform_by",
    "keep_value",
]

Conform = Callable[[Any], Any]
"""Makes a value conform to its declared type; returns the value itself where nothing has to change."""

Test = Callable[[Any], bool]


def conform_by(shape: Conform, unpacker: Unpacker) -> Conform:
    """A shape whose error for a value that contains itself, or nests too deep, has a path."""

    def conform(value: Any) -> Any:
        try:
            return shape(value)
        except RecursionError:
            unpacker.encode(value)  # raises an error with the path
            raise

    return conform


def keep_value(value: Any) -> Any:
    """The shape of a hint without declared fields: every value stays as it is."""
    return value


class RecordShape:
    """The shape of a record: of a value's members it keeps the declared ones, and others by `rest`."""

    def __init__(self, unpacker: Unpacker, kind: type) -> None:
        self.unpacker, self.kind = unpacker, kind
        self.rest: Conform | None = None
        self.is_model = False  # whether pydantic takes care of all values inside it
        self.shapes: dict[str, Conform] = {}
        self.defaults: dict[str, Callable[[], Any]] = {}
        self.required: set[str] = set()
        self.choices: dict[str, tuple[Any, ...]] = {}
        self.is_flat = True

    def add(self, name: str, field: Field, shape: Conform) -> None:
        """Add a field, by its name in JSON, with the shape of its values."""
        self.shapes[name] = shape
        self.is_flat = self.is_flat and shape is keep_value
        if field.fill is not None:
            self.defaults[name] = field.fill
        elif field.required:
            self.required.add(name)
        if isinstance(field.node, Opaque) and get_origin(field.node.hint) is Literal:
            self.choices[name] = get_args(field.node.hint)

    def is_exact(self, kind: type) -> bool:
        """Whether every value of a class conforms already; pydantic takes care of values inside a model."""
        return kind is self.kind and (self.is_flat or self.is_model)

    def __call__(self, value: Any) -> Any:
        if self.is_exact(type(value)):
            return value
        if self.is_model and self.rest is None and self.unpacker.is_derived(value, self.kind):
            try:
                return classes.dump_model(value, self.kind)
            except NormalizeError:  # the encoder fails at the same place, and knows its path
                return value
        members = self.unpacker.members_of(value)
        return value if members is None else self.select(value, members)

    def select(self, value: Any, members: Mapping[Any, Any]) -> Any:
        """The declared members of a value; one that a dict lacks gets its default."""
        selected = {
            name: shape(item)
            for name, item in members.items()
            if (shape := self.shapes.get(name, self.rest)) is not None
        }
        missing = () if self.kind in type(value).__mro__ else self.defaults.keys() - members.keys()
        if not missing and len(selected) == len(members) and all(map(is_, selected.values(), members.values())):
            return value
        return selected | {name: make() for name, make in self.defaults.items() if name in missing}

    def count_matches(self, members: Mapping[Any, Any]) -> int:
        """How many of the declared members are there; -1 where a value with these members is not such a record."""
        if not self.required <= members.keys():
            return -1
        if any(name in members and members[name] not in allowed for name, allowed in self.choices.items()):
            return -1
        return len(self.shapes.keys() & members.keys())


class AliasShape:
    """The shape of an alias inside itself."""

    shape: Conform = staticmethod(keep_value)

    def __call__(self, value: Any) -> Any:
        return self.shape(value)


class ItemsShape(msgspec.Struct, eq=False):
    """The shape of an array whose items have one shape."""

    unpacker: Unpacker
    shape: Conform

    def __call__(self, value: Any) -> Any:
        items = self.unpacker.items_of(value)
        if items is None:
            return value
        if isinstance(self.shape, RecordShape) and all(map(self.shape.is_exact, set(map(type, items)))):
            selected: Any = items
        else:
            selected = list(map(self.shape, items))
        if len(selected) == len(items) and all(map(is_, selected, items)):
            return items if hasattr(value, "__next__") else value  # an iterator can be read only once
        if isinstance(value, Set):  # items that differed only in the fields left out are one item now
            selected = list({self.unpacker.encode(item): item for item in selected}.values())
        return _rebuild_like(value, selected)


class TupleShape:
    """The shape of a tuple, or of an array-like Struct, with a shape for each of its items."""

    def __init__(self, unpacker: Unpacker, kind: type, defaults: list[Callable[[], Any] | None]) -> None:
        self.unpacker, self.kind, self.is_struct = unpacker, kind, issubclass(kind, msgspec.Struct)
        self.defaults = defaults
        self.shapes: list[Conform] = []

    def __call__(self, value: Any) -> Any:
        items = self.unpacker.items_of(value) if isinstance(value, (list, tuple, msgspec.Struct)) else None
        if items is None:
            return value
        if self.is_struct and isinstance(value, self.kind):
            items = items[: len(self.shapes)]  # a derived class has more
        missing = [make() for make in self.defaults[len(items) :] if make is not None]
        items = [*items, *missing]
        if len(items) != len(self.shapes):
            return value
        selected = [shape(item) for shape, item in zip(self.shapes, items, strict=True)]
        is_exact = type(value) is self.kind or not (missing or self.is_struct)
        return value if is_exact and all(map(is_, selected, items)) else _rebuild_like(value, selected)


def _rebuild_like(value: Any, items: list[Any]) -> Any:
    """A collection of the same kind as a value, with other items; a named tuple or a Struct stays one value."""
    if hasattr(value, "_make"):
        return value._make(items)
    if isinstance(value, msgspec.Struct):
        return _StructItems(items)
    return tuple(items) if type(value) is tuple else items


class _StructItems(tuple[Any, ...]):
    """The items of an array-like Struct; they are one value, as those of a named tuple are."""

    _fields = ()


class MembersShape(msgspec.Struct, eq=False):
    """The shape of a mapping whose values have one shape."""

    unpacker: Unpacker
    shape: Conform

    def __call__(self, value: Any) -> Any:
        members = self.unpacker.members_of(value)
        if members is None:
            return value
        selected = {key: self.shape(item) for key, item in members.items()}
        return value if all(map(is_, selected.values(), members.values())) else selected


class UnionShape(msgspec.Struct, eq=False):
    """The shape of a union: a record is chosen by the class of the value, else by its members.

    A dict is a mapping, if there is one among the choices that may have these members, and a record if not.
    """

    unpacker: Unpacker
    by_class: dict[type, Conform]
    records: list[RecordShape]
    items: Conform
    mapping: Conform
    tests: list[Test]  # of the members of each mapping
    roots: tuple[type, ...]  # RootModels

    def __call__(self, value: Any) -> Any:
        if isinstance(value, self.roots):  # pydantic takes care of its contents
            return value
        for base in type(value).__mro__:
            if base in self.by_class:
                return self.by_class[base](value)
        members = self.unpacker.members_of(value)
        if members is None:
            return self.items(value)
        best = max(self.records, key=lambda record: record.count_matches(members), default=None)
        is_mapping = any(test(members) for test in self.tests)
        if best is None or best.count_matches(members) < 0 or is_mapping:
            return self.mapping(value)
        return best.select(value, members)
