"""The rule of each class: how its values become JSON, decided once per class and never per value.

Knows classes only. The values themselves are encoded in encode and walked in walk.
"""

import dataclasses
import ipaddress
import math
import os
import re
import sys
from collections import OrderedDict, UserString, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MappingView, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from inspect import getattr_static
from itertools import islice
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any
from uuid import UUID

import msgspec

from ..errors import NormalizeError
from ..foreign import classes, mapped
from ..foreign.annotations import all_annotations
from ..media import Audio, File, Image
from ..types import Wire
from .families import family_of, is_array, open_fields, open_struct, sent_names_of

__all__ = ["MAX_ITEMS", "Rule", "choose", "has_own_form", "is_leaf"]

MAX_ITEMS = 1_000_000
"""How many items an iterator may give; one that gives more counts as endless."""

Open = Callable[[Any], Any]


class Rule(msgspec.Struct, frozen=True):
    """How values of one class become JSON.

    `many` is true where a returned value is many items, not one piece of data; `shape` is one of:
      leaf      the encoder writes it as one JSON scalar
      scalar    `open` makes it a leaf
      list      the encoder writes it as an array; iterating gives its items
      dict      the encoder writes it as an object; it has keys
      fields    the encoder writes it as an object; `names` are its attributes; `open` makes it a dict
      model     a pydantic model whose own encoder is exact; `names` as above; `open` dumps it
      set       an array too, but in sorted order, which the encoder does not give
      open      `open` makes it something else, which has a rule of its own
      block     a content block or media: content, not data
      text      no rule, but a `__str__` of its own, which a policy may allow
      repr      no rule, but a `__repr__` of the standard library, or of what can be iterated; one in angle brackets,
                which only names a value, is not used
      unknown   no rule, and no text but the name of its class
    """

    shape: str
    open: Open | None = None
    names: tuple[str, ...] = ()  # first those that may be None by their hints
    many: bool = False
    omits: bool = False  # a member that is None may be left out
    defaults: frozenset[str] = frozenset()  # fields whose value may be on the class only, where the encoder misses it
    load: Callable[[Any], None] | None = None  # to be called before the encoder looks into a value


_LEAVES = frozenset(
    {str, int, float, bool, type(None), bytes, bytearray, memoryview}
    | {datetime, date, time, timedelta, UUID, Decimal}
)
_ADDRESSES = (
    ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network,
    ipaddress.IPv4Interface, ipaddress.IPv6Interface,
)  # fmt: skip

LEAF = Rule("leaf")
LIST = Rule("list", list, many=True)
MANY = Rule("open", lambda value: _open_iterable(value), many=True)
RECORD = Rule("list", list)
DICT = Rule("dict")
BLOCK = Rule("block")
TEXT = Rule("text")
REPR = Rule("repr")
UNKNOWN = Rule("unknown")


def choose(kind: type, serializers: Mapping[type, Open]) -> Rule:
    """The rule for a class: the user's own first, then the exact type, then its family."""
    for base in kind.__mro__:
        if base in serializers:
            return Rule("open", serializers[base])
    if kind in _LEAVES:
        return LEAF
    if kind is msgspec.Raw:
        return Rule("open", msgspec.json.decode)  # JSON already
    if has_own_form(kind):
        return Rule("open", lambda value: value.__plain__())
    if issubclass(kind, (Wire, Image, Audio, File)) or classes.wire_type_of(kind):
        return BLOCK
    for family in (
        _enum_rule,
        _model_rule,
        _fields_rule,
        _array_rule,
        _subclass_rule,
        _collection_rule,
        _pydantic_rule,
    ):
        rule = family(kind)
        if rule is not None:
            return rule
    return _text_rule(kind)


def has_own_form(kind: type) -> bool:
    """Whether a class defines what its values become, by `__plain__`; content that only inherits it stays content."""
    if issubclass(kind, Enum):  # an enum is its value: the encoder writes it as one scalar everywhere
        return False
    for base in kind.__mro__:
        if "__plain__" in vars(base) or classes.is_wire_class(base):
            return callable(vars(base).get("__plain__")) and not classes.is_wire_class(base)
    return False


def is_leaf(kind: type) -> bool:
    """Whether the encoder writes values of a class, or of a subclass, by itself, so that no hook sees them."""
    return issubclass(kind, (Enum, UUID)) or any(issubclass(leaf, kind) for leaf in _LEAVES)


def _enum_rule(kind: type) -> Rule | None:
    if not issubclass(kind, Enum):
        return None
    values = [member.value for member in kind]
    plain = all(
        type(value) in (str, int, bool) or (type(value) is float and math.isfinite(value)) for value in values
    )
    return LEAF if plain and values else Rule("open", attrgetter("value"))


def _model_rule(kind: type) -> Rule | None:
    if not classes.is_pydantic(kind):
        return None
    # msgspec writes a pydantic dataclass without its aliases, so only models are encoded directly.
    if not classes.is_closed_model(kind) or classes.has_excluded_fields(kind):
        return Rule("open", classes.dump_model)
    names = classes.model_hints_of(kind)
    load = partial(mapped.load_fields, names=tuple(names)) if mapped.has_table(kind) else None
    return Rule("model", classes.dump_model, _nullable_first(names), load=load)


def _fields_rule(kind: Any) -> Rule | None:
    match family_of(kind):
        case "struct":
            return _struct_rule(kind)
        case "dataclass":
            return _dataclass_rule(kind)
        case "attrs":
            return Rule("open", partial(open_fields, names=sent_names_of(kind)))
    return None


def _struct_rule(kind: type[msgspec.Struct]) -> Rule:
    if is_array(kind):  # it has fields, but is an array in JSON
        return Rule("open", open_struct)
    annotations = all_annotations(kind)
    names = _nullable_first({name: annotations.get(name) for name in kind.__struct_fields__})
    return Rule("fields", open_struct, names, omits=kind.__struct_config__.omit_defaults)


def _dataclass_rule(kind: Any) -> Rule:
    fields, wire_names = dataclasses.fields(kind), sent_names_of(kind)
    is_native = all(name == wire for name, wire in wire_names.items()) and all(
        _is_stored(kind, one) for one in fields
    )
    # A value that msgspec decoded does not have its defaults in itself.
    defaults = frozenset(
        field.name for field in fields if field.default is not dataclasses.MISSING and not _is_slot(kind, field.name)
    )
    names = _nullable_first({field.name: field.type for field in fields})
    opener = partial(_open_loaded if mapped.has_table(kind) else open_fields, names=wire_names)
    return Rule("fields" if is_native else "open", opener, names, defaults=defaults)


def _nullable_first(hints: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in an order in which None is found early."""
    return tuple(sorted(hints, key=lambda name: not ("None" in str(hints[name]) or "Optional" in str(hints[name]))))


def _is_slot(kind: type, name: str) -> bool:
    return isinstance(getattr_static(kind, name, None), MemberDescriptorType)


def _is_stored(kind: type, field: dataclasses.Field[Any]) -> bool:
    """Whether a field's value is stored in the instance, where the encoder looks for it."""
    if not field.init and field.default is not dataclasses.MISSING:
        return False  # it stays on the class
    attribute = getattr_static(kind, field.name, None)
    return _is_slot(kind, field.name) or not hasattr(type(attribute), "__get__")


def _array_rule(kind: type) -> Rule | None:
    opener = classes.opener_of(kind)
    return None if opener is None else Rule("open", opener)


_SUBCLASSES: tuple[tuple[type, Open], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (bytes, bytes),
    (bytearray, bytes),
    (datetime, lambda v: datetime.combine(v.date(), v.timetz())),
    (date, lambda v: date(v.year, v.month, v.day)),
    (time, lambda v: time(v.hour, v.minute, v.second, v.microsecond, v.tzinfo, fold=v.fold)),
    (timedelta, lambda v: timedelta(v.days, v.seconds, v.microseconds)),
    (UUID, lambda v: str(UUID(int=v.int))),
    (Decimal, lambda v: Decimal(v)),
    (UserString, str),
    (Fraction, str),
    (complex, lambda v: str(complex(v)).strip("()")),
    (re.Pattern, lambda v: _text_of_pattern(v)),
    (os.PathLike, os.fsdecode),
    *((address, str) for address in _ADDRESSES),
)


def _subclass_rule(kind: type) -> Rule | None:
    for base, convert in _SUBCLASSES:
        if issubclass(kind, base):
            return Rule("scalar", convert)
    return None


def _pydantic_rule(kind: type) -> Rule | None:
    return Rule("open", classes.dumper_of(kind)) if classes.has_core_schema(kind) else None


def _collection_rule(kind: type) -> Rule | None:
    if issubclass(kind, OrderedDict):
        return Rule("open", _open_mapping)  # the encoder does not notice move_to_end
    if issubclass(kind, dict) and _is_stored_as(kind, dict):
        return DICT
    if issubclass(kind, (list, tuple)) and _is_stored_as(kind, list, tuple):
        return RECORD if hasattr(kind, "_fields") else LIST  # a named tuple is one record, not many items
    if issubclass(kind, Mapping):
        return _mapping_rule(kind)
    if issubclass(kind, (MappingView, deque)):
        return MANY
    if issubclass(kind, Set):
        return Rule("set", list, many=True)
    if issubclass(kind, (type, Awaitable)) or classes.has_data(kind):
        return None  # iterating over it does not give what it holds
    return _iterable_rule(kind) if issubclass(kind, Iterable) else None


def _is_stored_as(kind: type, *bases: type) -> bool:
    """Whether a class derived from a dict or a list keeps its items there, where the encoder looks for them."""
    return any(kind.__len__ is base.__len__ for base in bases)  # type: ignore[attr-defined]


# Iterating over a value gives all that it holds if its items are all it holds: in an iterator, a sequence, a set or a
# view. Of an email it gives the names of the headers, of a tag in HTML the tags inside, of a text that is translated
# when it is read the letters. So what any other class becomes depends on what its author wrote:
#
#   __str__ and the operators of a text    a string: it is a text that is made when it is read
#   __str__                                its text, as for any class without a JSON form
#   __repr__, and items by position        a list: the repr of a query of Django, for example, has the first 20 rows
#   __repr__                               its text; it is refused if that only names the value: <Response [200]>
#   neither, but keys                      an object, since iterating gives the keys alone
#   neither                                a list: there is nothing else that could be sent


def _iterable_rule(kind: Any) -> Rule | None:
    has_items = hasattr(kind, "__getitem__")
    has_keys = has_items and callable(getattr(kind, "keys", None))
    if issubclass(kind, (Iterator, Sequence)):
        return MANY
    if kind.__str__ is not object.__str__:
        # % puts values into a text; a class for which it is arithmetic can divide too.
        is_text = has_items and hasattr(kind, "__mod__") and not hasattr(kind, "__truediv__")
        return Rule("scalar", str) if is_text else None
    if kind.__repr__ is object.__repr__:
        return _mapping_rule(kind) if has_keys else MANY
    return MANY if has_items and hasattr(kind, "__len__") and not has_keys else None


# What gives all values of a key where a mapping has several, as the headers of a request: in starlette, Django and
# werkzeug, in multidict and in httpx.
_GETTERS = ("getlist", "getall", "get_list")


def _mapping_rule(kind: type) -> Rule:
    getter = next((name for name in _GETTERS if callable(getattr(kind, name, None))), None)
    return Rule("open", _open_mapping if getter is None else partial(_open_multi_mapping, getter=getter))


def _text_rule(kind: type) -> Rule:
    """The rule of a class without a JSON form: whether `str()` of a value is written by its author."""
    if issubclass(kind, (type, Awaitable)):
        return UNKNOWN
    if kind.__str__ is not object.__str__:
        return UNKNOWN if classes.is_table(kind) else TEXT
    if kind.__repr__ is object.__repr__ or classes.has_notebook_form(kind):
        return UNKNOWN
    where = str(getattr(kind.__repr__, "__module__", "builtins"))
    return REPR if where.partition(".")[0] in sys.stdlib_module_names or issubclass(kind, Iterable) else TEXT


def _text_of_pattern(pattern: re.Pattern[Any]) -> str:
    """A regular expression with its flags, of which the pattern has only those that were written in it: (?i)oslo."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode(errors="backslashreplace")
    missing = pattern.flags & ~re.compile(pattern.pattern).flags
    letters = "".join(letter for letter in "aiLmsx" if missing & re.RegexFlag[letter.upper()])
    return f"(?{letters}){text}" if letters else text


# One level of a value ---------------------------------------------------------------------------


def _open_loaded(value: Any, *, names: Mapping[str, str | None]) -> dict[str, Any]:
    mapped.load_fields(value, names.keys())
    return open_fields(value, names=names)


def _open_mapping(value: Any) -> dict[Any, Any]:
    return {key: value[key] for key in _open_iterable(value.keys())}


def _open_multi_mapping(value: Any, *, getter: str) -> dict[Any, Any]:
    """A mapping whose keys may have several values; a key with more than one has the list of them."""
    members = {key: list(getattr(value, getter)(key)) for key in _open_iterable(value.keys())}
    return {key: items[0] if len(items) == 1 else items for key, items in members.items()}


def _open_iterable(value: Any) -> list[Any]:
    items = list(islice(value, MAX_ITEMS + 1))
    if len(items) > MAX_ITEMS:
        raise NormalizeError("$", f"an iterator that gave more than {MAX_ITEMS:,} items")
    return items
