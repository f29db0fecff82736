"""The hints of the members of a class, with the type arguments of a generic class in place of its type variables.

Knows classes and hints; not what a hint means.
"""

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Never, TypeVar, get_args, get_origin

from ..errors import AuthorError
from ..foreign.annotations import all_annotations, evaluate_hint, hints_of, own_annotations
from . import mistakes

__all__ = [
    "annotations_of",
    "class_of",
    "extra_items_of",
    "is_alias",
    "resolve_annotations",
    "substitute",
    "value_of_alias",
    "variables_of",
]


def class_of(hint: Any) -> Any:
    """The class of a hint with type arguments; any other hint itself.

    >>> class_of(list[int]), class_of(int)
    (<class 'list'>, <class 'int'>)
    """
    return get_origin(hint) or hint


def annotations_of(hint: Any) -> dict[str, Any]:
    """The annotations of a class, inherited ones too; raises AuthorError for one that cannot be resolved.

    >>> T = TypeVar("T")
    >>> class Box(typing.Generic[T]):
    ...     item: list[T]
    >>> annotations_of(Box[int])
    {'item': list[int]}
    """
    annotations = resolve_annotations(class_of(hint))
    bindings = _bindings_of(hint)
    return {name: substitute(one, _owner_bindings_of(name, bindings)) for name, one in annotations.items()}


def extra_items_of(hint: Any) -> Any:
    """The hint of the keys that a TypedDict does not declare (PEP 728); Never if it is closed, None without one.

    >>> from typing_extensions import TypedDict
    >>> extra_items_of(TypedDict("Prices", {"name": str}, extra_items=int))
    <class 'int'>
    """
    for kind, bindings in _bindings_of(hint).items():  # the most derived class that says something
        closed = getattr(kind, "__closed__", None)
        if closed is not None:
            return Never if closed else None
        extra = getattr(kind, "__extra_items__", Ellipsis)
        if extra is not Ellipsis and not repr(extra).endswith(".NoExtraItems"):  # that of either module
            return substitute(_resolve(kind, "__extra_items__"), bindings)
    return None


def resolve_annotations(kind: type) -> dict[str, Any]:
    """The annotations of a class as they are written, inherited ones too; raises AuthorError."""
    for name, hint in all_annotations(kind).items():
        try:
            mistakes.check_texts(hint)
        except AuthorError as error:
            raise AuthorError(f"{kind.__name__}.{name}: {error}") from error
    try:
        return hints_of(kind)
    except Exception as error:  # mostly a NameError, but evaluating a text may raise anything
        raise AuthorError(f"a hint of {kind.__name__} cannot be resolved: {error}") from error


def is_alias(hint: Any) -> bool:
    """Whether a hint is a named alias, such as `type Json = ...`, also with type arguments."""
    return "TypeAliasType" in (type(hint).__name__, type(get_origin(hint)).__name__)


def value_of_alias(hint: Any) -> Any:
    """The hint that a named alias stands for, with its type arguments in place; raises AuthorError.

    An alias may contain itself, but not be one of its own choices: there would be no end to it.
    """
    alias = class_of(hint)
    value = _resolve(alias, "__value__")
    if alias in _aliases_beside(value):
        raise AuthorError(f"{alias.__name__} stands for itself; leave it out, or put it into a list or a dict")
    bindings = dict(zip(getattr(alias, "__type_params__", ()), get_args(hint), strict=False))
    return substitute(value, bindings)


def _resolve(owner: Any, attribute: str) -> Any:
    """The hint in an attribute of an alias or a class, with names that were written as texts; raises AuthorError."""
    try:
        hint = getattr(owner, attribute)  # this evaluates the value of a `type` statement
        return evaluate_hint(hint, getattr(inspect.getmodule(owner), "__dict__", {}), {owner.__name__: owner})
    except RecursionError:
        raise
    except Exception as error:  # mostly a NameError, but evaluating a value may raise anything
        raise AuthorError(f"{owner.__name__} cannot be resolved: {error}") from error


def _aliases_beside(hint: Any) -> set[Any]:
    """The aliases in a hint that stand for its own values, and not for parts of them."""
    aliases: set[Any] = set()
    waiting = [hint]
    while waiting:
        part = waiting.pop()
        origin = class_of(part)
        if is_alias(part) and origin not in aliases:
            aliases.add(origin)
            waiting.append(_resolve(origin, "__value__"))
        elif hasattr(part, "__metadata__"):
            waiting.append(part.__origin__)
        elif origin in (typing.Union, types.UnionType):
            waiting += get_args(part)
    return aliases


def substitute(hint: Any, bindings: Mapping[Any, Any]) -> Any:
    """A hint with types in place of type variables; variables without a type stay.

    >>> T = TypeVar("T")
    >>> substitute(dict[str, T], {T: int})
    dict[str, int]
    """
    if isinstance(hint, TypeVar):
        return bindings.get(hint, hint)
    variables = variables_of(hint)
    if not any(one in bindings for one in variables):
        return hint
    return hint[tuple(bindings.get(one, one) for one in variables)]


def variables_of(hint: Any) -> tuple[Any, ...]:
    """The type variables in a hint; none for a generic class without type arguments."""
    if isinstance(hint, TypeVar):
        return (hint,)
    return () if isinstance(hint, type) else getattr(hint, "__parameters__", ())


def _owner_bindings_of(name: str, bindings: dict[type, dict[Any, Any]]) -> dict[Any, Any]:
    """The bindings of the class that declares an annotation: the most derived one."""
    owners = (types for kind, types in bindings.items() if name in own_annotations(kind))
    return next(owners, next(iter(bindings.values())))


def _bindings_of(hint: Any) -> dict[type, dict[Any, Any]]:
    """The type for each type variable, by class: the most derived class first."""
    bindings: dict[type, dict[Any, Any]] = {}
    waiting = [hint]
    while waiting:
        here = waiting.pop(0)
        kind = class_of(here)
        own = dict(zip(getattr(kind, "__parameters__", ()), get_args(here), strict=False))
        bindings.setdefault(kind, own)
        bases = vars(kind).get("__orig_bases__", kind.__bases__)
        origins = [(class_of(base), base) for base in bases]
        waiting += [
            substitute(base, own)
            for origin, base in origins
            if isinstance(origin, type) and origin not in (typing.Generic, object)
        ]
    return bindings
