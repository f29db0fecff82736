"""A returned value as its declared type has it: fields that the type does not declare are left out.

Compiled once per tool from the return hint. Knows hints and the rules for values; not JSON, schemas or results.
A value that is nothing like its type is left as it is, for the check of the output to refuse.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import is_
from typing import Any, Literal, Union, get_args, get_origin

from . import foreign, hints, records
from .jsonable import Rules
from .policy import Policy

__all__ = ["Conform", "compile"]

Conform = Callable[[Any], Any]
"""Makes of a value what its declared type says; gives the value itself where nothing has to change."""


def compile(hint: Any, rules: Rules, policy: Policy) -> Conform | None:
    """What makes values conform to a hint; None where the hint declares no fields.

    >>> from dataclasses import make_dataclass
    >>> User = make_dataclass("User", [("name", str)])
    >>> Admin = make_dataclass("Admin", [("password", str)], bases=(User,))
    >>> compile(User, Rules(), Policy.standard)(Admin("Ada", "secret"))
    {'name': 'Ada'}
    """
    shape = _Compiler(Opener(rules, policy), keep=policy.extra_fields == "keep").shape(hint)
    if shape is _unchanged:
        return None

    def conform(value: Any) -> Any:
        try:
            return shape(value)
        except RecursionError:
            rules.encode(value, policy)  # says where it goes round, or on and on
            raise

    return conform


def _unchanged(value: Any) -> Any:
    """The shape of what declares nothing: any value is as good as another."""
    return value


class Opener:
    """Takes values apart, one level at a time, by the rules they are encoded by."""

    def __init__(self, rules: Rules, policy: Policy) -> None:
        self.rules, self.policy = rules, policy

    def members(self, value: Any) -> Mapping[Any, Any] | None:
        """The members of a value that is an object in JSON; None for any other value."""
        for _ in range(_LAYERS):
            if isinstance(value, dict):
                return value
            rule = self.rules.rule(type(value))
            if rule.open is None or rule.many or rule.shape not in _OBJECTS:
                return None
            try:
                value = rule.open(value)
            except Exception:  # the encoder meets the same trouble, and knows its path
                return None
        return None

    def inherits(self, value: Any, kind: type) -> bool:
        """Whether a value is of a pydantic class derived from another, and pydantic says what it becomes."""
        return kind in type(value).__mro__ and self.rules.rule(type(value)).open is foreign.dump_model

    def items(self, value: Any) -> list[Any] | tuple[Any, ...] | None:
        """The items of a value that is an array in JSON; None for any other value."""
        if isinstance(value, (list, tuple)):
            return value
        rule = self.rules.rule(type(value))
        if rule.many or rule.shape != "open" or rule.open is None:
            return self.rules.items(value, self.policy)
        try:
            opened = rule.open(value)
        except Exception:  # as above
            return None
        return opened if isinstance(opened, list) else None


_OBJECTS = frozenset({"fields", "model", "open"})
_LAYERS = 10
"""How often a value may turn into something else before it is left to the encoder."""


# Hints --------------------------------------------------------------------------------------------


class _Compiler:
    """Makes shapes of hints; a class that holds itself has one shape."""

    def __init__(self, opener: Opener, *, keep: bool) -> None:
        self.opener, self.keep = opener, keep
        self.known: dict[Any, _Record] = {}
        self.aliases: dict[Any, _Alias] = {}

    def shape(self, hint: Any) -> Conform:
        if type(hint).__name__ != "TypeAliasType":
            return self._shape(hint)
        if hint not in self.aliases:
            self.aliases[hint] = _Alias()
            self.aliases[hint].shape = self._shape(hint)
            return self.aliases[hint].shape
        return self.aliases[hint]

    def _shape(self, hint: Any) -> Conform:
        if any(map(foreign.is_serializer, getattr(hint, "__metadata__", ()))):
            return foreign.dumper(hint)
        choices = [hints.bare(choice) for choice in hints.members(hint)]
        return self._single(choices[0]) if len(choices) == 1 else self._choice(choices)

    def _single(self, hint: Any) -> Conform:
        kind, args = get_origin(hint) or hint, get_args(hint)
        if kind is Any or not isinstance(kind, type) or self._has_own_form(kind):
            return _unchanged
        if getattr(kind, "__pydantic_root_model__", False):
            fields: Any = getattr(kind, "model_fields", {})
            inner = self.shape(fields["root"].annotation)
            return inner if inner is _unchanged else lambda value: value if isinstance(value, kind) else inner(value)
        if hints.is_record(kind):
            return self._record(hint, kind)
        places = _places(hint, kind, args)
        if places is not None:
            shapes = [self.shape(place) for place in places]
            return _unchanged if all(map(_is_unchanged, shapes)) else _Places(shapes)
        item = _item(kind, args)
        shape = self.shape(item)
        if shape is _unchanged:
            return _unchanged
        return _Members(self.opener, shape) if issubclass(kind, Mapping) else _Items(self.opener, shape)

    def _has_own_form(self, kind: type) -> bool:
        """Whether the author says what values of a class become."""
        return callable(getattr(kind, "__plain__", None)) or issubclass(kind, self.opener.rules.opaque)

    def _record(self, hint: Any, kind: type) -> "_Record":
        if hint not in self.known:
            self.known[hint] = record = _Record(self.opener, kind, self.keep or records.has_extra_fields(kind))
            for field in records.sent_fields(hint):
                record.add(field, self.shape(field.hint))
        return self.known[hint]

    def _choice(self, choices: list[Any]) -> Conform:
        """A union: a record by its class or its members, arrays and mappings as one of each."""
        if any(choice in (Any, object) for choice in choices):
            return _unchanged
        found, items, values = [], [], []
        for choice in choices:
            kind, args = get_origin(choice) or choice, get_args(choice)
            shape = self._single(choice)
            if isinstance(shape, _Record):
                found.append(shape)
            elif isinstance(kind, type) and issubclass(kind, Mapping):
                values.append(_item(kind, args))
            elif isinstance(kind, type) and issubclass(kind, Iterable) and not issubclass(kind, (str, bytes)):
                items += _places(choice, kind, args) or [_item(kind, args)]
        item = self.shape(Union[tuple(items)]) if items else _unchanged  # noqa: UP007 - at run time
        member = self.shape(Union[tuple(values)]) if values else _unchanged  # noqa: UP007
        if not found and item is _unchanged and member is _unchanged:
            return _unchanged
        of_items = _unchanged if item is _unchanged else _Items(self.opener, item)
        of_members = _unchanged if member is _unchanged else _Members(self.opener, member)
        return _Choice(self.opener, found, of_items, of_members, mappings=bool(values))


def _is_unchanged(shape: Conform) -> bool:
    return shape is _unchanged


def _item(kind: type, args: tuple[Any, ...]) -> Any:
    """The hint of what a collection holds: an array's items, a mapping's values."""
    place = 1 if issubclass(kind, Mapping) else 0
    collection = issubclass(kind, Iterable) and not issubclass(kind, (str, bytes))
    return args[place] if collection and len(args) > place else Any


def _places(hint: Any, kind: type, args: tuple[Any, ...]) -> list[Any] | None:
    """The hints of a tuple of so many items, one each; None for all else."""
    if not issubclass(kind, tuple):
        return None
    names = getattr(kind, "_fields", None)
    if names is not None:
        resolved = records.annotations_of(hint)
        return [resolved.get(name, Any) for name in names]
    return None if args[-1:] == (...,) or not args else list(args)


# Shapes -------------------------------------------------------------------------------------------


class _Record:
    """An object with fields; of a value's members those that were declared."""

    def __init__(self, opener: Opener, kind: type, keep: bool) -> None:
        self.opener, self.kind, self.keep = opener, kind, keep
        self.is_model = foreign.is_pydantic(kind)
        self.shapes: dict[str, Conform] = {}
        self.defaults: dict[str, Callable[[], Any]] = {}
        self.required: set[str] = set()
        self.choices: dict[str, tuple[Any, ...]] = {}
        self.is_flat = True

    def add(self, field: records.SentField, shape: Conform) -> None:
        self.shapes[field.name] = shape
        self.is_flat = self.is_flat and shape is _unchanged
        if field.default is not None:
            self.defaults[field.name] = field.default
        elif field.always:
            self.required.add(field.name)
        if get_origin(field.hint) is Literal:
            self.choices[field.name] = get_args(field.hint)

    def conforms(self, kind: type) -> bool:
        """Whether every value of a class is as declared; pydantic sees to what is inside a model."""
        return kind is self.kind and (self.is_flat or self.is_model)

    def __call__(self, value: Any) -> Any:
        if self.conforms(type(value)):
            return value
        if self.is_model and not self.keep and self.opener.inherits(value, self.kind):
            return foreign.dump_model(value, self.kind)
        members = self.opener.members(value)
        return value if members is None else self.select(value, members)

    def select(self, value: Any, members: Mapping[Any, Any]) -> Any:
        """The declared ones of a value's members; a dict that lacks one gets its default."""
        selected = {
            name: self.shapes[name](item) if name in self.shapes else item
            for name, item in members.items()
            if self.keep or name in self.shapes
        }
        missing = () if self.kind in type(value).__mro__ else self.defaults.keys() - members.keys()
        if not missing and len(selected) == len(members) and all(map(is_, selected.values(), members.values())):
            return value
        return selected | {name: make() for name, make in self.defaults.items() if name in missing}

    def fit(self, members: Mapping[Any, Any]) -> int:
        """How many of the declared members are there; -1 where a value with these members is something else."""
        if not self.required <= members.keys():
            return -1
        if any(name in members and members[name] not in allowed for name, allowed in self.choices.items()):
            return -1
        return len(self.shapes.keys() & members.keys())


class _Alias:
    """The shape of an alias inside of itself."""

    shape: Conform = staticmethod(_unchanged)

    def __call__(self, value: Any) -> Any:
        return self.shape(value)


class _Items:
    """An array whose items have one shape."""

    def __init__(self, opener: Opener, shape: Conform) -> None:
        self.opener, self.shape = opener, shape

    def __call__(self, value: Any) -> Any:
        items = self.opener.items(value)
        if items is None:
            return value
        if isinstance(self.shape, _Record) and all(map(self.shape.conforms, set(map(type, items)))):
            selected: Any = items
        else:
            selected = list(map(self.shape, items))
        if len(selected) == len(items) and all(map(is_, selected, items)):
            return items if hasattr(value, "__next__") else value  # an iterator gives what it has only once
        return _like(value, selected)


class _Places:
    """A tuple with a shape for each of its places."""

    def __init__(self, shapes: list[Conform]) -> None:
        self.shapes = shapes

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.shapes):
            return value
        selected = [shape(item) for shape, item in zip(self.shapes, value, strict=True)]
        return value if all(map(is_, selected, value)) else _like(value, selected)


def _like(value: Any, items: list[Any]) -> Any:
    """Items in the place of others; a named tuple stays one thing, where a list is many."""
    return value._make(items) if hasattr(value, "_make") else items


class _Members:
    """A mapping whose values have one shape."""

    def __init__(self, opener: Opener, shape: Conform) -> None:
        self.opener, self.shape = opener, shape

    def __call__(self, value: Any) -> Any:
        members = self.opener.members(value)
        if members is None:
            return value
        selected = {key: self.shape(item) for key, item in members.items()}
        return value if all(map(is_, selected.values(), members.values())) else selected


class _Choice:
    """One of several shapes: a record by the class of the value, else by the members that are there."""

    def __init__(
        self, opener: Opener, found: list[_Record], items: Conform, values: Conform, *, mappings: bool
    ) -> None:
        self.opener, self.records, self.items, self.values = opener, found, items, values
        self.mappings = mappings
        self.by_class = {record.kind: record for record in reversed(found)}

    def __call__(self, value: Any) -> Any:
        for base in type(value).__mro__:
            if base in self.by_class:
                return self.by_class[base](value)
        members = self.opener.members(value)
        if members is None:
            return self.items(value)
        best = max(self.records, key=lambda record: record.fit(members), default=None)
        if best is None or best.fit(members) < 0 or self.mappings:
            return self.values(value)
        return best.select(value, members)
