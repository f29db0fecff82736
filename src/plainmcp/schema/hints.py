"""The parts of a type hint: its choices, its records and their fields, and whether it needs pydantic.

Knows hints only, neither JSON Schema nor values.
"""

import collections.abc as abc
import dataclasses
import enum
import inspect
import types
import typing
from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes
from .generics import resolve_annotations

__all__ = [
    "Parameter",
    "check_hash",
    "choices_of",
    "fields_of",
    "flag_values_of",
    "is_alias",
    "is_atom",
    "is_generic",
    "is_record",
    "is_required_field",
    "is_tuple",
    "is_typed_dict",
    "is_union",
    "is_wrapper",
    "needs_pydantic",
    "parts_of",
    "rebuild",
    "unwrap",
    "unwrap_all",
    "with_lists",
]


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a function; `default` is `inspect.Parameter.empty` when there is none.

    `fill` makes the default where it is a `Field` in the function: `days: int = Field(3)`.
    """

    name: str
    annotation: Any
    required: bool
    default: Any = inspect.Parameter.empty
    description: str | None = None
    fill: Callable[[], Any] | None = None


# One hint -----------------------------------------------------------------------------------------


def unwrap(hint: Any) -> Any:
    """The hint inside one wrapper: Annotated, NewType, an alias, Final; any other hint itself."""
    if hasattr(hint, "__metadata__"):
        return hint.__origin__
    if hasattr(hint, "__supertype__"):
        return hint.__supertype__
    if type(hint).__name__ == "TypeAliasType":
        return hint.__value__
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


def is_alias(hint: Any) -> bool:
    """Whether a hint is a named alias, such as `type Json = ...`."""
    return "TypeAliasType" in (type(hint).__name__, type(get_origin(hint)).__name__)


def is_atom(hint: Any) -> bool:
    """Whether a hint is a plain scalar type or Any, as most hints are."""
    return hint is Any or (isinstance(hint, type) and hint in _ATOMS)


_ATOMS = frozenset({str, int, float, bool, type(None)})


def is_tuple(hint: Any) -> bool:
    """Whether values of a hint are tuples."""
    kind = _class_of(hint)
    return isinstance(kind, type) and issubclass(kind, tuple)


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


def _class_of(hint: Any) -> Any:
    """The class of a hint: list for list[int], the model for a generic model."""
    inner = unwrap_all(hint)
    return get_origin(inner) or inner


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


# Records ------------------------------------------------------------------------------------------


def is_typed_dict(kind: Any) -> bool:
    """Whether this is a TypedDict, of typing or of typing_extensions."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def is_record(hint: Any) -> bool:
    """Whether values of this type are objects with named fields."""
    kind = _class_of(hint)
    if not isinstance(kind, type):
        return False
    if issubclass(kind, msgspec.Struct):
        return not kind.__struct_config__.array_like
    attrs = classes.attrs_fields_of(kind) is not None
    return dataclasses.is_dataclass(kind) or is_typed_dict(kind) or attrs or classes.is_pydantic(kind)


def fields_of(hint: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a record that is not pydantic's, by their names in JSON: the hint, and whether it is required."""
    kind = _class_of(hint)
    annotations = resolve_annotations(kind)
    if is_typed_dict(kind):
        return {name: (_strip_marks(hint), name in kind.__required_keys__) for name, hint in annotations.items()}
    if issubclass(kind, msgspec.Struct):
        return {field.encode_name: (field.type, field.required) for field in msgspec.structs.fields(kind)}
    if dataclasses.is_dataclass(kind):
        tags = {field: field.metadata.get("json", field.name) for field in dataclasses.fields(kind)}
        return {tag: (annotations[f.name], is_required_field(f)) for f, tag in tags.items() if tag != "-"}
    public = classes.attrs_fields_of(kind) or ()
    fields = [field for field in kind.__attrs_attrs__ if field.name in public]
    return {field.name: (annotations.get(field.name, Any), _is_nothing(field.default)) for field in fields}


def _strip_marks(hint: Any) -> Any:
    """The hint of a TypedDict's key without Required and the like."""
    return _strip_marks(get_args(hint)[0]) if is_wrapper(get_origin(hint)) else hint


def is_required_field(field: "dataclasses.Field[Any]") -> bool:
    """Whether a field of a dataclass has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _is_nothing(default: Any) -> bool:
    """Whether this is attrs' marker for "no default", recognised without importing attrs."""
    return type(default).__name__ == "_Nothing"


# Walking ------------------------------------------------------------------------------------------


def parts_of(hint: Any, *, inside: bool = True) -> Iterator[Any]:
    """Every class in a hint, and every Literal; with `inside` also those in fields of records, except pydantic's.

    >>> list(parts_of(list[int | None]))
    [<class 'list'>, <class 'NoneType'>, <class 'int'>]
    """
    for part in _walk(hint, inside):
        if not hasattr(part, "__metadata__"):
            yield part


def _walk(hint: Any, inside: bool) -> Iterator[Any]:
    """The parts of a hint, and every Annotated on the way to them."""
    waiting = [hint]
    entered: set[Any] = set()
    while waiting:
        part = waiting.pop()
        if hasattr(part, "__metadata__"):
            yield part
        inner = unwrap(part)
        if inner is not part:
            # An alias may contain itself; a ClassVar is not a field.
            if get_origin(part) is not typing.ClassVar and id(part) not in entered:
                waiting.append(inner)
            entered.add(id(part) if type(part).__name__ == "TypeAliasType" else None)
            continue
        kind = get_origin(part) or part
        if kind is Literal:
            yield part
            continue
        waiting.extend(arg for arg in get_args(part) if not isinstance(arg, list))
        if is_union(part):
            continue
        yield kind
        if inside and _has_hints(kind) and kind not in entered:
            entered.add(kind)
            waiting.extend(resolve_annotations(kind).values())


def _has_hints(kind: Any) -> bool:
    named_tuple = isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return (is_record(kind) or named_tuple or struct) and not classes.is_pydantic(kind)


def needs_pydantic(hint: Any) -> bool:
    """Whether a type or a constraint of pydantic is anywhere in a hint."""
    if is_atom(hint):
        return False
    return any(
        any(map(classes.is_for_pydantic, getattr(part, "__metadata__", (part,)))) for part in _walk(hint, True)
    )


def rebuild(hint: Any, swap: Callable[[Any], Any]) -> Any:
    """A hint with each class in it replaced by `swap`, innermost first; records are not entered."""
    if hasattr(hint, "__metadata__"):
        return Annotated[(rebuild(hint.__origin__, swap), *hint.__metadata__)]
    args = get_args(hint)
    if not args or get_origin(hint) in (Literal, abc.Callable):
        return swap(hint)
    inner = tuple(arg if arg is ... else rebuild(arg, swap) for arg in args)
    if is_union(hint):
        return Union[inner]  # noqa: UP007 - their number is not known
    return swap(hint if inner == args else get_origin(hint)[inner])


def with_lists(hint: Any) -> Any:
    """A hint with lists in the place of iterators, as in JSON.

    >>> with_lists(abc.Iterator[int])
    list[int]
    """
    streams = (abc.Iterable, abc.Iterator, abc.Generator, deque)
    return rebuild(hint, lambda one: _list_of(one) if _class_of(one) in streams else one)


def _list_of(hint: Any) -> Any:
    args = get_args(hint)
    return list[args[0]] if args else list  # type: ignore[valid-type]
