"""Hints that hold other hints: sequences, sets, dicts, tuples and unions, each a function from kinds to a kind.

To add one, give it a line in one of the lists at the end.
"""

import functools
import typing
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, Union

from hypothesis import strategies as st

from property.kinds import Kind, Values, anything, either, shared
from property.leaves import LEAVES, NOTHING, told_by_key

__all__ = ["CONTAINERS", "list_of", "optional", "union"]


def sequence(
    hint: Callable[[Any], Any], code: str, make: Callable[[Any], Any], kind: Any, **about: Any
) -> Callable[[Kind], Kind]:
    """Any number of items of one hint."""

    def of(inner: Kind) -> Kind:
        def told(value: Any, data: Any) -> bool:
            items = list(value)
            return isinstance(data, list) and len(data) == len(items) and all(map(inner.told, items, data))

        return Kind(
            hint=hint(inner.hint),
            code=f"{code}[{inner.code}]",
            fits=st.lists(inner.fits, max_size=3).map(make),
            misses=anything | st.lists(either(inner), max_size=3).map(make) | inner.fits,
            holds=lambda value: isinstance(value, kind) and all(map(inner.holds, value)),
            told=told,
            **shared([inner], **about),
        )

    return of


def group(hint: Callable[[Any], Any], code: str, make: Callable[[Any], Any], kind: Any) -> Callable[[Kind], Kind]:
    """A set."""

    def of(inner: Kind) -> Kind:
        def told(value: Any, data: Any) -> bool:
            """In whatever order; two that differ only in what is not declared are one."""
            if not isinstance(data, list) or len(data) > len(value):
                return False
            told = [[inner.told(one, item) for item in data] for one in value]
            return all(map(any, told)) and all(map(any, zip(*told, strict=True)))

        return Kind(
            hint=hint(inner.hint),
            code=f"{code}[{inner.code}]",
            fits=st.lists(inner.fits, max_size=3).map(make),
            misses=anything | st.lists(inner.fits, max_size=3),
            holds=lambda value: isinstance(value, kind) and all(map(inner.holds, value)),
            told=told,
            **shared([inner]),
        )

    return of


def mapping(
    hint: Any, code: str, make: Callable[[Any], Any], kind: Any, **about: Any
) -> Callable[[Kind, Kind], Kind]:
    """Keys of one hint, values of another."""

    def of(key: Kind, inner: Kind) -> Kind:
        def told(value: Any, data: Any) -> bool:
            if not isinstance(data, dict) or len(data) != len(value):
                return False
            return all(
                any(told_by_key(key, one, name) and inner.told(value[one], data[name]) for name in data)
                for one in value
            )

        def dicts(values: Values) -> Values:
            return st.lists(st.tuples(key.fits, values), max_size=3, unique_by=lambda pair: pair[0]).map(make)

        return Kind(
            hint=hint[key.hint, inner.hint],
            code=f"{code}[{key.code}, {inner.code}]",
            fits=dicts(inner.fits),
            misses=anything | dicts(either(inner)) | st.lists(inner.fits, max_size=2),
            holds=lambda value: (
                isinstance(value, kind) and all(key.holds(one) and inner.holds(value[one]) for one in value)
            ),
            told=told,
            **shared([key, inner], **{"symmetric": can_be_read(key), **about}),
        )

    return of


def can_be_read(key: Kind) -> bool:
    """Whether pydantic reads the names it writes for a key: not those of an Enum's members that are no strings."""
    is_plain = isinstance(key.hint, type) and issubclass(key.hint, Enum) and not issubclass(key.hint, (str, int))
    return not is_plain or all(isinstance(member.value, str) for member in key.hint)


def fixed(*parts: Kind) -> Kind:
    """A tuple of so many items."""

    def told(value: Any, data: Any) -> bool:
        same_length = isinstance(data, list) and len(data) == len(parts)
        return same_length and all(part.told(one, item) for part, one, item in zip(parts, value, data, strict=True))

    def holds(value: Any) -> bool:
        same_length = isinstance(value, tuple) and len(value) == len(parts)
        return same_length and all(part.holds(one) for part, one in zip(parts, value, strict=True))

    shorter = st.tuples(*[part.fits for part in parts[:-1]])
    return Kind(
        hint=tuple[tuple(part.hint for part in parts)],  # type: ignore[misc]
        code=f"tuple[{', '.join(part.code for part in parts)}]",
        fits=st.tuples(*[part.fits for part in parts]),
        misses=anything | st.tuples(*map(either, parts)) | shorter | shorter.map(lambda items: (*items, *items, 1)),
        holds=holds,
        told=told,
        **shared(parts, hashable=all(part.hashable for part in parts)),
    )


def union(*choices: Kind) -> Kind:
    """One of several hints."""
    return Kind(
        hint=Union[tuple(choice.hint for choice in choices)],  # noqa: UP007 - their number is not known
        code=" | ".join(choice.code for choice in choices),
        fits=st.one_of([choice.fits for choice in choices]),
        misses=st.one_of([choice.misses for choice in choices]),
        holds=lambda value: any(choice.holds(value) for choice in choices),
        told=lambda value, data: any(choice.told(value, data) for choice in choices if choice.holds(value)),
        **shared(choices, hashable=all(choice.hashable for choice in choices)),
    )


def optional(inner: Kind) -> Kind:
    """A hint or None."""
    return union(inner, NOTHING)


list_of = sequence(lambda inner: list[inner], "list", list, list)
KEYS = st.sampled_from([kind for kind in LEAVES if kind.key])

SEQUENCES = [
    list_of,
    sequence(lambda inner: typing.List[inner], "List", list, list),  # noqa: UP006
    sequence(lambda inner: tuple[inner, ...], "tuple", tuple, tuple),
    sequence(lambda inner: Sequence[inner], "Sequence", list, Sequence),
    sequence(lambda inner: deque[inner], "deque", deque, deque),
    # What a generator gives; it may not be asked for, and a list is returned because it can be read many times.
    sequence(lambda inner: Iterator[inner], "Iterator", list, Iterable, by_pydantic=False, taken=False),
    # A model keeps an Iterable to check its items later, when somebody reads them.
    sequence(lambda inner: Iterable[inner], "Iterable", list, Iterable, by_pydantic=False),
]
SETS = [
    group(lambda inner: set[inner], "set", set, set),
    group(lambda inner: frozenset[inner], "frozenset", frozenset, frozenset),
    group(lambda inner: AbstractSet[inner], "Set", set, AbstractSet),
]
MAPPINGS = [
    mapping(dict, "dict", dict, dict),
    mapping(typing.Dict, "Dict", dict, dict),  # noqa: UP006
    mapping(Mapping, "Mapping", dict, Mapping),
    mapping(MutableMapping, "MutableMapping", dict, MutableMapping),
    mapping(OrderedDict, "OrderedDict", OrderedDict, OrderedDict),
    # A model has to be told the factory too.
    mapping(defaultdict, "defaultdict", functools.partial(defaultdict, int), defaultdict, by_pydantic=False),
]

CONTAINERS: list[Callable[[Values], Values]] = [
    lambda kinds: st.builds(optional, kinds),
    lambda kinds: st.builds(union, kinds, kinds),
    lambda kinds: st.builds(union, kinds, kinds, kinds),
    lambda kinds: st.builds(fixed, kinds),
    lambda kinds: st.builds(fixed, kinds, kinds),
    *[functools.partial(st.builds, of) for of in SEQUENCES],
    *[lambda kinds, of=of: st.builds(of, kinds.filter(lambda kind: kind.hashable)) for of in SETS],
    *[functools.partial(st.builds, of, KEYS) for of in MAPPINGS],
]
"""What makes kinds that hold others."""
