"""A type hint as a tree of nodes: from it its schema is written, values are read, and returned ones made to conform.

Knows every type that has a form in JSON. Types of pydantic, and records that only pydantic understands, are left to
pydantic; types that contain them are not. In a tree of values models are records, and any other type is opaque.
"""

import collections.abc as abc
import enum
import types
import typing
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from ..values.families import is_array
from . import formats, hints, mistakes, pydantic, records
from .generics import class_of, is_alias, value_of_alias
from .nodes import (
    Alias,
    Anything,
    Choice,
    Field,
    Foreign,
    Items,
    Members,
    Node,
    Opaque,
    Record,
    Row,
    Scalar,
    Text,
    Union,
    parts_of,
    with_limits,
)
from .subschemas import with_definitions

__all__ = ["is_collection", "tree_of", "tree_of_values"]

_SCALARS = (str, bool, int, float)
_NONE = type(None)

Make = Callable[[Any], Any]

MAX_NESTED = 20
"""How often a class or an alias may contain itself, each time with other type arguments."""


def _keep_list(items: list[Any]) -> list[Any]:
    return items


_ARRAYS: dict[Any, Make] = {
    list: list, set: set, frozenset: frozenset, abc.Collection: list, abc.Sequence: list, abc.MutableSequence: list,
    abc.Set: set, abc.MutableSet: set, abc.Iterable: _keep_list, abc.Reversible: _keep_list, deque: deque,
}  # fmt: skip
_SENT_ARRAYS: dict[Any, Make] = _ARRAYS | {
    abc.Iterator: _keep_list, abc.Generator: _keep_list, abc.KeysView: _keep_list, abc.ValuesView: _keep_list,
}  # fmt: skip
_OBJECTS: dict[Any, Make] = {
    dict: dict, abc.Mapping: dict, abc.MutableMapping: dict, OrderedDict: OrderedDict, ChainMap: ChainMap,
    types.MappingProxyType: types.MappingProxyType, Counter: Counter, defaultdict: defaultdict,
}  # fmt: skip


def is_collection(kind: Any) -> bool:
    """Whether a class in a return hint is a collection whose values are arrays; classes with fields are not."""
    return isinstance(kind, type) and (kind is tuple or kind in _SENT_ARRAYS)


def tree_of(hint: Any, *, is_input: bool = True) -> Node:
    """The tree of a hint; raises AuthorError for a type that has no form in JSON.

    Some types are for input only, and some for output only.

    >>> tree_of(list[int]).item.kind
    <class 'int'>
    """
    mixed = hints.needs_pydantic(hint)
    problem = records.lost_names_in(hint) if mixed else None
    if problem is not None:
        raise AuthorError(problem)
    return _Parser(is_input, mixed, mixed and records.wire_named_in(hint) is not None).parse(hint)


def tree_of_values(hint: Any, is_opaque: Callable[[type], bool]) -> Node:
    """The tree of a hint by which values are taken apart, of whatever types: what `is_opaque` stays as it is.

    >>> tree_of_values(list[int], lambda kind: False).item.kind
    <class 'int'>
    """
    return _Parser(False, False, False, is_opaque).parse(hint)


class _Parser:
    """Makes one tree; a record or an alias has one node, wherever it occurs."""

    def __init__(
        self, is_input: bool, mixed: bool, has_wire_names: bool, is_opaque: Callable[[type], bool] | None = None
    ) -> None:
        self._is_input = is_input
        self._mixed = mixed  # whether a part of it is for pydantic
        self._has_wire_names = has_wire_names  # which pydantic does not know
        self._is_opaque = is_opaque  # None but in a tree of values
        self._arrays = _ARRAYS if is_input else _SENT_ARRAYS
        self._nodes: dict[Any, Node] = {}
        self._open: list[Any] = []  # the classes and aliases that contain the hint
        self._open_records: list[Any] = []  # the records among them; Self is the last one

    def parse(self, hint: Any) -> Node:
        if hasattr(hint, "__metadata__") and hint.__origin__ is typing.LiteralString:  # which pydantic refuses
            hint = typing.Annotated[(str, *hint.__metadata__)]
        if self._mixed and self._is_foreign(hint):
            return Foreign(hint)
        if hasattr(hint, "__metadata__"):
            inner = self.parse(hint.__origin__)
            return with_limits(inner, hint) if self._is_opaque is None else _annotate_value(inner, hint)
        if is_alias(hint):
            return self._parse_named(hint, value_of_alias)
        inner = hints.unwrap(hint)
        return self._parse_unwrapped(hint) if inner is hint else self.parse(inner)

    def _parse_unwrapped(self, hint: Any) -> Node:
        if hint is Any or hint is object:
            return Anything()
        if getattr(hint, "_name", None) == "Self" and self._open_records:
            return self.parse(self._open_records[-1])
        if hints.is_union(hint):
            return self._join_union([self.parse(one) for one in get_args(hint) if one is not msgspec.UnsetType])
        if self._is_opaque is not None:
            return self._parse_value(hint, class_of(hint), self._is_opaque)
        if hint is None or hint is _NONE:
            return Scalar(_NONE, _NONE)
        if isinstance(hint, TypeVar):
            return self.parse(_hint_of_variable(hint))
        if get_origin(hint) is Literal:
            return Choice(None, [(_as_json(value, hint), value) for value in get_args(hint)])
        return self._parse_class(hint, class_of(hint))

    def _is_foreign(self, hint: Any) -> bool:
        """Whether pydantic reads a hint: a type of its own, one with its metadata, or a record with its fields.

        A hint that pydantic does not read as a whole may still be read here, and parts of it by pydantic.
        """
        if not self._is_input and not self._has_wire_names:
            return hints.needs_pydantic(hint) and pydantic.refusal_of(hint) is None
        metadata = getattr(hint, "__metadata__", None)
        kind = class_of(hint)
        if metadata is not None:
            own = any(map(classes.is_for_pydantic, metadata))
        else:
            own = isinstance(kind, type) and (classes.is_for_pydantic(kind) or records.has_pydantic_fields(hint))
        if not own:
            return False
        named = records.wire_named_in(hint) if self._has_wire_names else None
        if named is not None and metadata is None:
            raise AuthorError(
                f"{named.__name__} has names for JSON in metadata beside pydantic's Field; write one of them"
            )
        refusal = pydantic.refusal_of(hint)
        if named is not None:
            refusal = f"it does not know the names for JSON in {named.__name__}"
        if refusal is not None:
            pydantic.check_without(hint, refusal)
        return refusal is None

    def _parse_class(self, hint: Any, kind: Any) -> Node:
        args = get_args(hint)
        if not isinstance(kind, type):
            raise _unreadable_error(hint)
        if kind is tuple:
            return self._parse_tuple(args, bare=hint is tuple or not hasattr(hint, "__args__"))
        if kind in self._arrays:
            return self._parse_array(hint, kind, args)
        if kind in _OBJECTS:
            return self._parse_object(hint, kind, args)
        if kind is msgspec.Raw:
            return Anything(_as_raw)
        if issubclass(kind, enum.Enum):
            return self._parse_enum(kind)
        if kind in _SCALARS:
            return Scalar(kind, kind)
        record = records.record_of(hint)
        if record is not None:
            return self._parse_record(hint, kind, record)
        return self._parse_leaf(hint, kind, args)

    def _parse_leaf(self, hint: Any, kind: type, args: tuple[Any, ...]) -> Node:
        format = formats.format_of(kind)
        if format is not None and not (bytes in args if self._is_input else issubclass(kind, str)):
            return Text(kind, format)
        json = next((one for one in _SCALARS if issubclass(kind, one)), None)
        if json is None or not self._is_input:
            raise _unreadable_error(hint)
        return Scalar(kind, json)

    def _parse_enum(self, kind: type[enum.Enum]) -> Node:
        options = [(_as_json(member.value, kind), member) for member in kind]
        if not options:
            raise AuthorError(f"{kind.__name__} has no members, so no value fits it")
        if issubclass(kind, enum.Flag):
            if not self._is_input:  # a class may keep any bits
                return Scalar(kind, int)
            values = hints.flag_values_of(kind)
            if isinstance(values, range):
                return Scalar(kind, int, limits={"ge": 0, "le": values[-1]})
            return Choice(kind, [(value, kind(value)) for value in values])
        authored = any("_missing_" in vars(base) for base in kind.__mro__ if base.__module__ != "enum")
        return Choice(kind, options, kind if authored else None)

    def _parse_value(self, hint: Any, kind: Any, is_opaque: Callable[[type], bool]) -> Node:
        """The node of a class or a form in a tree of values."""
        if not isinstance(kind, type) or is_opaque(kind):
            return Opaque(hint, hint)
        if getattr(kind, "__pydantic_root_model__", False):
            return self._parse_named(hint, _root_of)
        record = records.record_sent_by(hint)
        if record is not None:
            return self._parse_record(hint, kind, record)
        args = get_args(hint)
        if issubclass(kind, tuple) and args and args[-1] is not ...:
            return self._parse_tuple(args, bare=False)
        if issubclass(kind, abc.Mapping):
            key, value, *_ = [*map(self.parse, args), Anything(), Anything()]
            return Members(kind, key, value)
        if issubclass(kind, abc.Iterable) and not issubclass(kind, (str, bytes)):
            return Items(kind, self.parse(args[0]) if args else Anything())
        return Opaque(hint, hint)

    def _join_union(self, nodes: list[Node]) -> Node:
        members: list[Node] = []
        for one in nodes:
            if isinstance(one, Foreign) and self._is_input:
                one.schema = with_definitions(*pydantic.json_schema_of(one.hint, "validation"))
            members += one.members if isinstance(one, Union) and not one.notes else [one]
        return members[0] if len(members) == 1 else Union(members)

    # Arrays and objects ---------------------------------------------------------------------------

    def _parse_array(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Node:
        make, item = self._arrays[kind], self.parse(args[0]) if args else Anything()
        unique = make in (set, frozenset)
        if unique and self._is_input:
            item = _check_items(item, hint)
        return Items(make, item, unique)

    def _parse_tuple(self, args: tuple[Any, ...], *, bare: bool) -> Node:
        if bare:
            return Items(tuple, Anything())
        if len(args) == 2 and args[1] is ...:
            return Items(tuple, self.parse(args[0]))
        return Row(None, tuple, [Field(None, self.parse(one)) for one in args if one != ()])

    def _parse_object(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Node:
        make = _OBJECTS[kind]
        key = self.parse(args[0]) if args else Anything()
        value = Scalar(int, int) if kind is Counter else self.parse(args[1]) if args else Anything()
        if kind is defaultdict:
            make = _make_default_dict(args[1] if args else None)
        if self._is_input:
            _check_key(key, hint)
        return Members(make, key, value)

    # Records --------------------------------------------------------------------------------------

    def _parse_record(self, hint: Any, kind: type, record: records.RecordType) -> Node:
        if hint in self._nodes:
            return self._nodes[hint]
        make: Any = Row if is_array(kind) else Record
        node: Row | Record = make(hint, record.make, closed=record.closed)
        self._nodes[hint] = node
        self._enter(hint)
        self._open_records.append(hint)
        fields = {}
        for one in record.fields:
            wire, required = (one.read_as, one.required) if self._is_input else (one.sent_as, one.always)
            if wire is None and self._is_input and one.required:
                raise AuthorError(f"{kind.__name__}.{one.name} stays off the wire, so it needs a default")
            if wire is not None:
                fields[wire] = Field(one.name, self._parse_field(kind, one), required, one.default, one.fill)
        if isinstance(node, Record) and record.extra is not None:
            node.rest = self.parse(record.extra)
        self._open_records.pop()
        self._open.pop()
        if isinstance(node, Row):
            node.items += fields.values()
        else:
            node.fields |= fields
        return node

    def _parse_field(self, kind: type, field: records.RecordField) -> Node:
        try:
            return self.parse(field.hint)
        except AuthorError as error:
            raise AuthorError(f"{kind.__name__}.{field.name or field.read_as}: {error}") from error

    def _parse_named(self, hint: Any, value_of: Callable[[Any], Any]) -> Node:
        """The node of an alias, or a RootModel, of the hint that it stands for."""
        if hint in self._nodes:
            return self._nodes[hint]
        node = self._nodes[hint] = Alias(hint)
        self._enter(hint)
        node.inner = self.parse(value_of(hint))
        self._open.pop()
        return node

    def _enter(self, hint: Any) -> None:
        """Note that a record or an alias contains what follows; raises AuthorError if there is no end to it."""
        kind = class_of(hint)
        self._open.append(kind)
        if self._open.count(kind) > MAX_NESTED:
            raise AuthorError(f"{kind.__name__} contains itself with ever other type arguments, without an end")


def _annotate_value(node: Node, hint: Any) -> Node:
    """A node of a tree of values with what its metadata in Annotated says of its values."""
    if any(map(classes.is_serializer, hint.__metadata__)):
        return Foreign(hint, inner=node)
    return Opaque(node.kind, hint) if isinstance(node, Opaque) else node


def _root_of(kind: Any) -> Any:
    """The hint of the root of a RootModel."""
    return kind.model_fields["root"].annotation


def _hint_of_variable(variable: TypeVar) -> Any:
    """The hint for a type variable without a type."""
    if variable.__constraints__:
        return typing.Union[variable.__constraints__]  # noqa: UP007 - their number is not known
    return Any if variable.__bound__ is None else variable.__bound__


def _as_raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _make_default_dict(value: Any) -> Make:
    kind = get_origin(hints.unwrap_all(value)) or hints.unwrap_all(value)
    factory = kind if kind in (list, dict, set, int, float, str, bool, tuple, deque) else None
    return lambda items: defaultdict(factory, items)


def _unreadable_error(hint: Any) -> AuthorError:
    mistake = mistakes.mistake_of(hint)
    if mistake is not None:
        return AuthorError(mistake)
    name = getattr(class_of(hint), "__name__", str(hint))
    return AuthorError(f"{name} cannot be read from JSON; use a dataclass, a TypedDict or a model")


def _as_json(value: Any, hint: Any) -> Any:
    """An allowed value as JSON."""
    if isinstance(value, enum.Enum):
        value = value.value
    try:
        if not isinstance(value, (bytes, bytearray)):
            return msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        pass
    raise AuthorError(f"{value!r} in {getattr(hint, '__name__', hint)} has no form in JSON to choose it by")


# Sets and keys ------------------------------------------------------------------------------------


def _check_items(item: Node, hint: Any) -> Node:
    """The type of a set's items; raises AuthorError for one whose values have no hash."""
    if isinstance(item, Anything) and item.make is None:
        return Anything(flat=True)
    for part in _leaves_of(item):
        if isinstance(part, Foreign):
            pydantic.check_hash(part.hint, hints.unwrap_all(hint))
            continue
        kind = part.make if isinstance(part, (Items, Members)) else getattr(part, "kind", None)
        hints.check_hash(class_of(kind), hints.unwrap_all(hint))
    return item


def _leaves_of(node: Node) -> list[Node]:
    """The choices of a union, and the items of tuples, which have the hash of their items; each once."""
    leaves: list[Node] = []
    waiting, visited = [node], set[int]()
    while waiting:
        here = waiting.pop(0)
        if id(here) in visited:
            continue
        visited.add(id(here))
        if isinstance(here, (Alias, Union, Row)) or (isinstance(here, Items) and here.make in (tuple, frozenset)):
            waiting += parts_of(here)
        else:
            leaves.append(here)
    return leaves


def _check_key(key: Node, hint: Any) -> None:
    inner = key.inner if isinstance(key, Alias) else key
    for one in inner.members if isinstance(inner, Union) else [inner]:
        if not isinstance(one, (Anything, Scalar, Text, Choice, Union)):
            raise AuthorError(f"the keys of an object are strings, from which those of {hint} cannot be read")
