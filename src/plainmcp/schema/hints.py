"""What a type hint is made of: its choices, its records and their fields, and whose types it mentions.

Reads hints only: what they are in JSON Schema, and which values fit them, is told elsewhere.
"""

import collections.abc as abc
import dataclasses
import enum
import inspect
import types
import typing
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign import classes

__all__ = [
    "Parameter",
    "check_hash",
    "choices_of",
    "fields_of",
    "flag_values_of",
    "is_alias",
    "is_atom",
    "is_record",
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

    `fill` makes the default where the function's own is only a description of one: `days: int = Field(3)`.
    """

    name: str
    annotation: Any
    required: bool
    default: Any = inspect.Parameter.empty
    description: str | None = None
    fill: Callable[[], Any] | None = None


# Looking at one hint ------------------------------------------------------------------------------


def unwrap(hint: Any) -> Any:
    """What one wrapper holds: Annotated, NewType, an alias, Final; any other hint is returned as it is."""
    if hasattr(hint, "__metadata__"):
        return hint.__origin__
    if hasattr(hint, "__supertype__"):
        return hint.__supertype__
    if type(hint).__name__ == "TypeAliasType":
        return hint.__value__
    return get_args(hint)[0] if is_wrapper(get_origin(hint)) else hint


_WRAPPERS = (typing.Final, typing.Required, typing.NotRequired, typing.ClassVar)


def is_wrapper(origin: Any) -> bool:
    """Whether this says something of a field and not of its type: Final, Required, and ReadOnly of either module."""
    return origin in _WRAPPERS or getattr(origin, "_name", None) == "ReadOnly"


def unwrap_all(hint: Any) -> Any:
    """A hint without all that is wrapped around it.

    >>> unwrap_all(Annotated[int, "how many"])
    <class 'int'>
    """
    inner = unwrap(hint)
    return hint if inner is hint else unwrap_all(inner)


def is_alias(hint: Any) -> bool:
    """Whether a hint is an alias with a name of its own, as `type Json = ...` makes one."""
    return "TypeAliasType" in (type(hint).__name__, type(get_origin(hint)).__name__)


def is_atom(hint: Any) -> bool:
    """Whether a hint is one of the plain types most hints are, about which there is nothing to find out."""
    return hint is Any or (isinstance(hint, type) and hint in _ATOMS)


_ATOMS = frozenset({str, int, float, bool, type(None)})


def is_tuple(hint: Any) -> bool:
    """Whether values of a hint are tuples."""
    kind = _class_of(hint)
    return isinstance(kind, type) and issubclass(kind, tuple)


def is_union(hint: Any) -> bool:
    """Whether a hint offers a choice of types."""
    return get_origin(unwrap_all(hint)) in (Union, types.UnionType)


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The choices of a union, each with its wrappers; any other hint is its own only choice.

    >>> choices_of(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    if not is_union(hint):
        return (hint,)
    return tuple(choice for member in get_args(unwrap_all(hint)) for choice in choices_of(member))


def _class_of(hint: Any) -> Any:
    """The class of a hint: list of list[int], the model of a generic model."""
    inner = unwrap_all(hint)
    return get_origin(inner) or inner


def check_hash(kind: Any, holder: Any) -> None:
    """Raise AuthorError for a class whose values never fit into a set."""
    if isinstance(kind, type) and kind.__hash__ is None:
        raise AuthorError(
            f"{kind.__name__} has no hash, so no {holder} can hold one; take a list, or make the class frozen"
        )


def flag_values_of(kind: type[enum.Flag]) -> range | list[int]:
    """The combinations of a Flag's members, nothing at all among them; of many that leave gaps, the members alone."""
    bits = [member.value for member in kind]
    if sum(bits) & (sum(bits) + 1) == 0:
        return range(sum(bits) + 1)
    if len(bits) > _FEW:
        return bits
    return sorted({sum(chosen) for count in range(len(bits) + 1) for chosen in combinations(bits, count)})


_FEW = 5  # flags, with 32 combinations


# Records ------------------------------------------------------------------------------------------


def is_typed_dict(kind: Any) -> bool:
    """Whether this is a TypedDict, of typing or of typing_extensions."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def is_record(hint: Any) -> bool:
    """Whether values of this type are objects whose fields are known by name."""
    kind = _class_of(hint)
    if not isinstance(kind, type):
        return False
    if issubclass(kind, msgspec.Struct):
        return not kind.__struct_config__.array_like
    attrs = classes.attrs_fields_of(kind) is not None
    return dataclasses.is_dataclass(kind) or is_typed_dict(kind) or attrs or classes.is_pydantic(kind)


def fields_of(hint: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a record that is not pydantic's, by their names in JSON: the hint, and whether it must be there."""
    kind = _class_of(hint)
    resolved = _resolve_hints(kind)
    if is_typed_dict(kind):
        return {name: (_strip_marks(hint), name in kind.__required_keys__) for name, hint in resolved.items()}
    if issubclass(kind, msgspec.Struct):
        return {field.encode_name: (field.type, field.required) for field in msgspec.structs.fields(kind)}
    if dataclasses.is_dataclass(kind):
        tags = {field: field.metadata.get("json", field.name) for field in dataclasses.fields(kind)}
        return {tag: (resolved[f.name], _is_required(f)) for f, tag in tags.items() if tag != "-"}
    public = classes.attrs_fields_of(kind) or ()
    fields = [field for field in kind.__attrs_attrs__ if field.name in public]
    return {field.name: (resolved.get(field.name, Any), _is_nothing(field.default)) for field in fields}


def _strip_marks(hint: Any) -> Any:
    """The hint of a TypedDict's key without Required and the like, which stand nowhere else."""
    return _strip_marks(get_args(hint)[0]) if is_wrapper(get_origin(hint)) else hint


def _is_required(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _is_nothing(default: Any) -> bool:
    """Whether this is attrs' own word for "no default", told without importing attrs."""
    return type(default).__name__ == "_Nothing"


def _resolve_hints(kind: type) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except Exception as error:  # a NameError mostly, but evaluating somebody's text may raise anything
        raise AuthorError(f"a hint of {kind.__name__} cannot be resolved: {error}") from error


# Walking ------------------------------------------------------------------------------------------


def parts_of(hint: Any, *, inside: bool = True) -> Iterator[Any]:
    """Every class in a hint, and every Literal; `inside` enters the fields of records, but not of pydantic's.

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
            # An alias may hold itself; what a class keeps for itself is no field.
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
            waiting.extend(_resolve_hints(kind).values())


def _has_hints(kind: Any) -> bool:
    named_tuple = isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return (is_record(kind) or named_tuple or struct) and not classes.is_pydantic(kind)


def needs_pydantic(hint: Any) -> bool:
    """Whether only pydantic can tell what fits a hint: one of its types or constraints is somewhere in it."""
    if is_atom(hint):
        return False
    return any(
        any(map(classes.is_for_pydantic, getattr(part, "__metadata__", (part,)))) for part in _walk(hint, True)
    )


def rebuild(hint: Any, swap: Callable[[Any], Any]) -> Any:
    """A hint with each class in it, innermost first, put through `swap`; records are not entered."""
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
    """A hint whose iterators are the lists that stand for them in JSON.

    >>> with_lists(abc.Iterator[int])
    list[int]
    """
    streams = (abc.Iterable, abc.Iterator, abc.Generator, deque)
    return rebuild(hint, lambda one: _list_of(one) if _class_of(one) in streams else one)


def _list_of(hint: Any) -> Any:
    args = get_args(hint)
    return list[args[0]] if args else list  # type: ignore[valid-type]
