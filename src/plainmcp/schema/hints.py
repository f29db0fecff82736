"""The parts of a type hint: its choices, the classes in it, and whether it needs pydantic.

Knows hints only, neither JSON Schema nor values.
"""

import collections.abc as abc
import enum
import types
import typing
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import InitVar
from itertools import combinations
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ..errors import AuthorError
from ..foreign import classes
from ..values.families import family_of, is_array
from .generics import class_of, extra_items_of, is_alias, resolve_annotations, value_of_alias

__all__ = [
    "check_aliases",
    "check_hash",
    "choices_of",
    "contents_of",
    "flag_values_of",
    "has_hash",
    "is_atom",
    "is_generic",
    "is_record",
    "is_union",
    "is_wrapper",
    "needs_pydantic",
    "parts_of",
    "unwrap",
    "unwrap_all",
    "with_lists",
]


# One hint -----------------------------------------------------------------------------------------


def unwrap(hint: Any) -> Any:
    """The hint inside one wrapper: Annotated, NewType, an alias, Final, InitVar; any other hint itself.

    LiteralString counts as a wrapper of str.
    """
    if hasattr(hint, "__metadata__"):
        return hint.__origin__
    if hasattr(hint, "__supertype__"):
        return hint.__supertype__
    if is_alias(hint):
        return value_of_alias(hint)
    if isinstance(hint, InitVar):
        return hint.type
    if hint is typing.LiteralString:
        return str
    return get_args(hint)[0] if is_wrapper(get_origin(hint)) else hint


_WRAPPERS = (typing.Final, typing.Required, typing.NotRequired, typing.ClassVar)


def is_wrapper(origin: Any) -> bool:
    """Whether this is about a field and not its type: Final, Required, and ReadOnly of either module."""
    return origin in _WRAPPERS or getattr(origin, "_name", None) == "ReadOnly"


def unwrap_all(hint: Any) -> Any:
    """A hint without all its wrappers.

    >>> unwrap_all(Annotated[int, "how many"])
    <class 'int'>
    """
    inner = unwrap(hint)
    return hint if inner is hint else unwrap_all(inner)


def is_atom(hint: Any) -> bool:
    """Whether a hint is a plain scalar type or Any, as most hints are."""
    return hint is Any or (isinstance(hint, type) and hint in _ATOMS)


_ATOMS = frozenset({str, int, float, bool, type(None)})


def is_union(hint: Any) -> bool:
    """Whether a hint is a union."""
    return get_origin(unwrap_all(hint)) in (Union, types.UnionType)


def is_generic(hint: Any) -> bool:
    """Whether a hint of objects is neither a class nor `dict[str, …]`: a union, or `Dict[str, …]` of typing.

    >>> is_generic(dict[str, int]), is_generic(dict[str, int] | None)
    (False, True)
    """
    inner = unwrap_all(hint)
    if isinstance(inner, types.GenericAlias):
        return get_origin(inner) is not dict or get_args(inner)[0] is not str
    return not isinstance(inner, type)


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The choices of a union, each with its wrappers; any other hint is its own only choice.

    >>> choices_of(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    if not is_union(hint):
        return (hint,)
    return tuple(choice for member in get_args(unwrap_all(hint)) for choice in choices_of(member))


def has_hash(value: Any) -> bool:
    """Whether a value has a hash."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check_hash(kind: Any, holder: Any) -> None:
    """Raise AuthorError for a class whose values have no hash."""
    if isinstance(kind, type) and kind.__hash__ is None:
        raise AuthorError(
            f"{kind.__name__} has no hash, so no {holder} can hold one; take a list, or make the class frozen"
        )


def flag_values_of(kind: type[enum.Flag]) -> range | list[int]:
    """The combinations of a Flag's members, with 0; of many members with gaps, the members alone."""
    bits = [member.value for member in kind]
    if sum(bits) & (sum(bits) + 1) == 0:
        return range(sum(bits) + 1)
    if len(bits) > _FEW:
        return bits
    return sorted({sum(members) for count in range(len(bits) + 1) for members in combinations(bits, count)})


_FEW = 5  # flags, with 32 combinations


def is_record(hint: Any) -> bool:
    """Whether values of this type are objects with named fields."""
    kind = class_of(unwrap_all(hint))
    return family_of(kind) is not None and not is_array(kind)


# Walking ------------------------------------------------------------------------------------------


def parts_of(hint: Any, *, inside: bool = True) -> Iterator[Any]:
    """Every class in a hint, and every Literal; with `inside` also those in fields of records, except pydantic's.

    >>> list(parts_of(list[int | None]))
    [<class 'list'>, <class 'NoneType'>, <class 'int'>]
    """
    for part in _walk(hint, inside):
        if not hasattr(part, "__metadata__"):
            yield part


def check_aliases(hint: Any) -> None:
    """Raise AuthorError for a hint with an alias that cannot be resolved."""
    for _ in _walk(hint, inside=False):
        pass


def _walk(hint: Any, inside: bool) -> Iterator[Any]:
    """The parts of a hint, and every Annotated on the way to them."""
    waiting = [hint]
    entered: set[Any] = set()
    while waiting:
        part = waiting.pop()
        kind = class_of(part)
        if is_alias(part):  # it may contain itself, each time with other type arguments
            waiting += get_args(part)
            if kind not in entered:
                waiting.append(value_of_alias(kind))
            entered.add(kind)
            continue
        if hasattr(part, "__metadata__"):
            yield part
        inner = unwrap(part)
        if inner is not part:
            if get_origin(part) is not typing.ClassVar:  # that is not a field
                waiting.append(inner)
            continue
        if kind is Literal:
            yield part
            continue
        waiting.extend(arg for arg in get_args(part) if not isinstance(arg, list))
        if is_union(part):
            continue
        yield kind
        if inside and family_of(kind) is not None and kind not in entered and not classes.is_pydantic(kind):
            entered.add(kind)
            waiting.extend(resolve_annotations(kind).values())
            extra = extra_items_of(kind)
            waiting.extend([] if extra is None else [extra])


def contents_of(hint: Any, is_array: Callable[[Any], bool]) -> Iterator[Any]:
    """The choices of a hint without their wrappers, and those of the items of arrays.

    >>> list(contents_of(list[int] | None, lambda kind: kind is list))
    [<class 'NoneType'>, list[int], <class 'int'>]
    """
    waiting = [hint]
    entered: list[Any] = []
    while waiting:
        part = waiting.pop()
        if is_alias(part):  # it may contain itself, each time with other type arguments
            if part not in entered and len(entered) < MAX_ALIASES:
                waiting.append(value_of_alias(part))
            entered.append(part)
        elif unwrap(part) is not part:
            waiting.append(unwrap(part))
        elif is_union(part):
            waiting += get_args(part)
        else:
            yield part
            waiting += [arg for arg in get_args(part) if arg is not ...] if is_array(class_of(part)) else []


MAX_ALIASES = 100
"""How many aliases of one hint are entered: there may be no end to them."""


def needs_pydantic(hint: Any) -> bool:
    """Whether a type or a constraint of pydantic is anywhere in a hint."""
    if is_atom(hint):
        return False
    return any(
        any(map(classes.is_for_pydantic, getattr(part, "__metadata__", (part,)))) for part in _walk(hint, True)
    )


def with_lists(hint: Any) -> Any:
    """A hint with lists in the place of iterators, as in JSON; records are not entered.

    >>> with_lists(abc.Iterator[int])
    list[int]
    """
    if hasattr(hint, "__metadata__"):
        return Annotated[(with_lists(hint.__origin__), *hint.__metadata__)]
    args = get_args(hint)
    if get_origin(hint) in (Literal, abc.Callable) or is_alias(hint):  # an alias may contain itself
        return hint
    inner = tuple(arg if arg is ... else with_lists(arg) for arg in args)
    if args and is_union(hint):
        return Union[inner]  # noqa: UP007 - their number is not known
    if class_of(unwrap_all(hint)) in _STREAMS:
        return list[inner[0]] if inner else list  # type: ignore[valid-type]
    return hint if inner == args else get_origin(hint)[inner]


_STREAMS = (abc.Iterable, abc.Iterator, abc.Generator, deque)
