"""A type hint -> a tree of nodes, from which its schema is written and by which values are read.

Knows the shape of every type that has a form in JSON. Types of pydantic's, and records that only pydantic
understands, are left to pydantic; what holds them is not.
"""

import collections.abc as abc
import enum
import re
import types
import typing
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from . import formats, hints, pydantic, records
from .generics import resolve, substitute
from .nodes import (
    Alias,
    Anything,
    Choice,
    Field,
    Foreign,
    Items,
    Members,
    Node,
    Record,
    Row,
    Scalar,
    Text,
    Union,
    with_limits,
)
from .records import Constructor

__all__ = ["tree_of"]

_SCALARS = (str, bool, int, float)
_NONE = type(None)

Make = Callable[[Any], Any]


def _keep(items: list[Any]) -> list[Any]:
    return items


_ARRAYS: dict[Any, Make] = {
    list: list, set: set, frozenset: frozenset, abc.Collection: list, abc.Sequence: list, abc.MutableSequence: list,
    abc.Set: set, abc.MutableSet: set, abc.Iterable: _keep, abc.Reversible: _keep, deque: deque,
}  # fmt: skip
_SENT_ARRAYS: dict[Any, Make] = {
    abc.Iterator: _keep, abc.Generator: _keep, abc.KeysView: _keep, abc.ValuesView: _keep,
}  # fmt: skip
_OBJECTS: dict[Any, Make] = {
    dict: dict, abc.Mapping: dict, abc.MutableMapping: dict, OrderedDict: OrderedDict, ChainMap: ChainMap,
    types.MappingProxyType: types.MappingProxyType, Counter: Counter, defaultdict: defaultdict,
}  # fmt: skip


def tree_of(hint: Any, *, is_input: bool = True) -> Node:
    """The tree of a hint; raises AuthorError for a type that has no form in JSON.

    Some types are given but never sent, and some are sent but never given.

    >>> tree_of(list[int]).item.kind
    <class 'int'>
    """
    return _Parser(is_input, hints.needs_pydantic(hint)).parse(hint)


class _Parser:
    """One tree in the making: a record or an alias that is met again is the same node."""

    def __init__(self, is_input: bool, mixed: bool) -> None:
        self._is_input = is_input
        self._mixed = mixed  # whether some of it is pydantic's
        self._arrays = _ARRAYS if is_input else _ARRAYS | _SENT_ARRAYS
        self._known: dict[Any, Node] = {}
        self._inside: list[Any] = []  # the records that are being taken apart: Self is the last of them

    def parse(self, hint: Any) -> Node:
        if self._mixed and self._is_foreign(hint):
            return Foreign(hint)
        if hasattr(hint, "__metadata__"):
            metas = [said for said in hint.__metadata__ if isinstance(said, msgspec.Meta)]
            return with_limits(self.parse(hint.__origin__), metas)
        if hints.is_alias(hint):
            return self._alias(hint)
        inner = hints.unwrap(hint)
        if inner is not hint:
            return self.parse(inner)
        if hint is Any or hint is object:
            return Anything()
        if hint is None or hint is _NONE:
            return Scalar(_NONE, _NONE)
        if isinstance(hint, TypeVar):
            return self.parse(_of_variable(hint))
        if getattr(hint, "_name", None) == "Self" and self._inside:
            return self.parse(self._inside[-1])
        if hints.is_union(hint):
            return self._union([self.parse(one) for one in get_args(hint) if one is not msgspec.UnsetType])
        if get_origin(hint) is Literal:
            return Choice(None, [(_as_json(value, hint), value) for value in get_args(hint)])
        return self._parse_class(hint, get_origin(hint) or hint)

    def _is_foreign(self, hint: Any) -> bool:
        """Whether pydantic reads a hint: a type of its own, one with its remarks, or a record arranged for it.

        What pydantic does not read as a whole may still be read here, and parts of it by pydantic.
        """
        if not self._is_input:
            return hints.needs_pydantic(hint)
        said = getattr(hint, "__metadata__", None)
        kind = get_origin(hint) or hint
        if said is not None:
            own = any(map(classes.is_for_pydantic, said))
        else:
            own = isinstance(kind, type) and (classes.is_for_pydantic(kind) or records.is_for_pydantic(hint))
        if not own:
            return False
        refusal = pydantic.refusal_of(hint)
        if refusal is not None:
            pydantic.check_without(hint, refusal)
        return refusal is None

    def _parse_class(self, hint: Any, kind: Any) -> Node:
        args = get_args(hint)
        if kind is tuple:
            return self._tuple(args, bare=hint is tuple or not hasattr(hint, "__args__"))
        if kind in self._arrays:
            return self._array(hint, kind, args)
        if kind in _OBJECTS:
            return self._object(hint, kind, args)
        if not isinstance(kind, type):
            raise _unreadable(hint)
        if kind is msgspec.Raw:
            return Anything(_as_raw)
        if issubclass(kind, enum.Enum):
            return self._choices(kind)
        if kind in _SCALARS:
            return Scalar(kind, kind)
        constructor = records.constructor_of(hint)
        if constructor is not None:
            return self._record(hint, constructor)
        return self._parse_leaf(hint, kind, args)

    def _parse_leaf(self, hint: Any, kind: type, args: tuple[Any, ...]) -> Node:
        format = formats.format_of(kind)
        if format is not None and (self._is_input or not issubclass(kind, (str, re.Pattern))) and bytes not in args:
            return Text(kind, format)
        json = next((one for one in _SCALARS if issubclass(kind, one)), None)
        if json is None or not self._is_input:
            raise _unreadable(hint)
        return Scalar(kind, json)

    def _choices(self, kind: type[enum.Enum]) -> Node:
        options = [(_as_json(member.value, kind), member) for member in kind]
        if not options:
            raise AuthorError(f"{kind.__name__} has no members, so no value fits it")
        if issubclass(kind, enum.Flag):
            values = hints.flag_values_of(kind)
            if isinstance(values, range):
                return Scalar(kind, int, limits={"ge": 0, "le": values[-1]})
            return Choice(kind, [(value, kind(value)) for value in values])
        authored = any("_missing_" in vars(base) for base in kind.__mro__ if base.__module__ != "enum")
        return Choice(kind, options, kind if authored else None)

    def _union(self, nodes: list[Node]) -> Node:
        members: list[Node] = []
        for one in nodes:
            if isinstance(one, Foreign) and self._is_input:
                schema, definitions = pydantic.json_schema_of(one.hint, "validation")
                one.schema = {**schema, "$defs": definitions}
            members += one.members if isinstance(one, Union) and not one.notes else [one]
        return members[0] if len(members) == 1 else Union(members)

    # Arrays and objects ---------------------------------------------------------------------------

    def _array(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Node:
        make, item = self._arrays[kind], self.parse(args[0]) if args else Anything()
        unique = make in (set, frozenset)
        if unique and self._is_input:
            item = _hashable(item, hint)
        return Items(make, item, unique)

    def _tuple(self, args: tuple[Any, ...], *, bare: bool) -> Node:
        if bare:
            return Items(tuple, Anything())
        if len(args) == 2 and args[1] is ...:
            return Items(tuple, self.parse(args[0]))
        return Row(None, tuple, [Field(None, self.parse(one)) for one in args if one != ()])

    def _object(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Node:
        make = _OBJECTS[kind]
        key = self.parse(args[0]) if args else Anything()
        value = Scalar(int, int) if kind is Counter else self.parse(args[1]) if args else Anything()
        if kind is defaultdict:
            make = _defaults_to(args[1] if args else None)
        if self._is_input:
            _check_key(key, hint)
        return Members(make, key, value)

    # Records --------------------------------------------------------------------------------------

    def _record(self, hint: Any, how: Constructor) -> Node:
        if hint in self._known:
            return self._known[hint]
        node = Row(hint, how.make, closed=how.closed) if how.is_array else Record(hint, how.make, closed=how.closed)
        self._known[hint] = node
        self._inside.append(hint)
        fields = [(one.wire, Field(one.name, self.parse(one.hint), one.required, one.default)) for one in how.fields]
        self._inside.pop()
        if isinstance(node, Row):
            node.items += [field for _, field in fields]
        else:
            node.fields |= dict(fields)
        return node

    def _alias(self, hint: Any) -> Node:
        if hint in self._known:
            return self._known[hint]
        node = self._known[hint] = Alias(hint)
        alias: Any = get_origin(hint) or hint
        bound = dict(zip(getattr(alias, "__type_params__", ()), get_args(hint), strict=False))
        node.inner = self.parse(substitute(resolve(alias.__value__, {alias.__name__: alias}), bound))
        return node


def _of_variable(variable: TypeVar) -> Any:
    """What may stand for a type variable that was given no type."""
    if variable.__constraints__:
        return typing.Union[variable.__constraints__]  # noqa: UP007 - their number is not known
    return Any if variable.__bound__ is None else variable.__bound__


def _as_raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _defaults_to(value: Any) -> Make:
    kind = get_origin(hints.unwrap_all(value)) or hints.unwrap_all(value)
    factory = kind if kind in (list, dict, set, int, float, str, bool, tuple, deque) else None
    return lambda found: defaultdict(factory, found)


def _unreadable(hint: Any) -> AuthorError:
    shown = getattr(get_origin(hint) or hint, "__name__", str(hint))
    return AuthorError(f"{shown} cannot be read from JSON; use a dataclass, a TypedDict or a model")


def _as_json(value: Any, hint: Any) -> Any:
    """An allowed value as it stands in JSON."""
    if isinstance(value, enum.Enum):
        value = value.value
    try:
        if not isinstance(value, (bytes, bytearray)):
            return msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        pass
    raise AuthorError(f"{value!r} in {getattr(hint, '__name__', hint)} has no form in JSON to choose it by")


# What may stand where -----------------------------------------------------------------------------


def _hashable(item: Node, hint: Any) -> Node:
    """The type of a set's items; raises AuthorError for one whose values never fit into a set."""
    if isinstance(item, Anything) and item.make is None:
        return Anything(flat=True)
    for part in _leaves(item):
        if isinstance(part, Foreign):
            pydantic.check_hash(part.hint, hints.unwrap_all(hint))
            continue
        made = part.make if isinstance(part, (Items, Members)) else getattr(part, "kind", None)
        hints.check_hash(get_origin(made) or made, hints.unwrap_all(hint))
    return item


def _leaves(node: Node) -> list[Node]:
    """The choices of a union, and what stands in tuples, which have the hash of their items."""
    if isinstance(node, Alias):
        return _leaves(node.inner)
    if isinstance(node, Union):
        return [leaf for one in node.members for leaf in _leaves(one)]
    if isinstance(node, Row):
        return [leaf for one in node.items for leaf in _leaves(one.node)]
    if isinstance(node, Items) and node.make in (tuple, frozenset):
        return _leaves(node.item)
    return [node]


def _check_key(key: Node, hint: Any) -> None:
    inner = key.inner if isinstance(key, Alias) else key
    for one in inner.members if isinstance(inner, Union) else [inner]:
        if not isinstance(one, (Anything, Scalar, Text, Choice, Union)):
            raise AuthorError(f"the keys of an object are strings, from which those of {hint} cannot be read")
