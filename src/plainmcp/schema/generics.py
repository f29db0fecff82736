"""The annotations of a class, with the types that a generic class was given in the places of its type variables.

Knows classes and hints; not what a hint means.
"""

import inspect
import typing
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, TypeVar, get_args, get_origin

from ..errors import AuthorError

__all__ = ["annotations_of", "resolve", "substitute", "variables_of"]


def annotations_of(hint: Any) -> dict[str, Any]:
    """The annotations of a class, inherited ones too; raises AuthorError for one that cannot be resolved.

    >>> T = TypeVar("T")
    >>> class Box(typing.Generic[T]):
    ...     item: list[T]
    >>> annotations_of(Box[int])
    {'item': list[int]}
    """
    kind: Any = get_origin(hint) or hint
    try:
        resolved = typing.get_type_hints(kind, include_extras=True)
    except Exception as error:  # a NameError mostly, but evaluating somebody's text may raise anything
        raise AuthorError(f"a hint of {kind.__name__} cannot be resolved: {error}") from error
    bound = _bindings(hint)
    return {name: substitute(one, _of_owner(name, bound)) for name, one in resolved.items()}


def resolve(hint: Any, names: dict[str, Any]) -> Any:
    """A hint in which names that were written as texts are what they stand for; raises AuthorError.

    >>> resolve(list["Name"], {"Name": str})
    list[str]
    """
    try:
        one: Any = SimpleNamespace(__annotations__={"hint": hint})
        return typing.get_type_hints(one, {}, names, include_extras=True)["hint"]
    except Exception as error:
        raise AuthorError(f"{hint} cannot be resolved: {error}") from error


def substitute(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """A hint with types in the places of type variables; those without a type stay.

    >>> T = TypeVar("T")
    >>> substitute(dict[str, T], {T: int})
    dict[str, int]
    """
    if isinstance(hint, TypeVar):
        return bound.get(hint, hint)
    variables = variables_of(hint)
    if not any(one in bound for one in variables):
        return hint
    return hint[tuple(bound.get(one, one) for one in variables)]


def variables_of(hint: Any) -> tuple[Any, ...]:
    """The type variables in a hint; those of a generic class that was given no types are its own."""
    if isinstance(hint, TypeVar):
        return (hint,)
    return () if isinstance(hint, type) else getattr(hint, "__parameters__", ())


def _of_owner(name: str, bound: dict[type, dict[Any, Any]]) -> dict[Any, Any]:
    """What the class that wrote an annotation was given: the most derived one that has it as its own."""
    owners = (types for kind, types in bound.items() if name in inspect.get_annotations(kind))
    return next(owners, next(iter(bound.values())))


def _bindings(hint: Any) -> dict[type, dict[Any, Any]]:
    """What stands for each type variable, by the class that has it: the most derived first."""
    bound: dict[type, dict[Any, Any]] = {}
    waiting = [hint]
    while waiting:
        here = waiting.pop(0)
        kind: Any = get_origin(here) or here
        own = dict(zip(getattr(kind, "__parameters__", ()), get_args(here), strict=False))
        bound.setdefault(kind, own)
        bases = vars(kind).get("__orig_bases__", kind.__bases__)
        origins = [(get_origin(base) or base, base) for base in bases]
        waiting += [
            substitute(base, own)
            for origin, base in origins
            if isinstance(origin, type) and origin not in (typing.Generic, object)
        ]
    return bound
