"""What classes and functions of others say about their fields and parameters: the only place that reads annotations.

From Python 3.14 on, annotations are evaluated when they are read, and a name that only type checkers know is an
exception then. Here such a name stays a text or a ForwardRef, as it is before 3.14 with quotes around it. Code that
needs the type evaluates it, and then says what is wrong.
"""

import inspect
import re
import typing
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["all_annotations", "evaluate_hint", "hints_of", "own_annotations", "signature_of", "text_of_hint"]

_Format: Any = getattr(inspect, "Format", None)  # from Python 3.14 on
_WAYS = [None] if _Format is None else [_Format.FORWARDREF, _Format.STRING]
"""The ways to read an annotation, one after the other until one does not fail; None is Python's own way."""
_FORWARD = re.compile(r"ForwardRef\('([^']*)'[^)]*\)")


def own_annotations(kind: type) -> dict[str, Any]:
    """The annotations in the body of a class, as they are written.

    >>> class Point:
    ...     x: int
    >>> own_annotations(Point)
    {'x': <class 'int'>}
    """
    return _read(inspect.get_annotations, "format", kind)  # type: ignore[no-any-return]


def all_annotations(kind: type) -> dict[str, Any]:
    """The annotations of a class and of its bases, in the order in which fields are declared: of the bases first."""
    return {name: hint for base in reversed(kind.__mro__) for name, hint in own_annotations(base).items()}


def signature_of(function: Any, *, evaluate: bool = False) -> inspect.Signature:
    """The signature of a function; raises ValueError if it has none.

    With `evaluate`, annotations that are texts are evaluated, unless one of them cannot be.
    """
    if evaluate:
        try:
            return inspect.signature(function, eval_str=True)
        except Exception:  # mostly a NameError, but evaluating a text may raise anything
            pass
    try:
        return _read(inspect.signature, "annotation_format", function)  # type: ignore[no-any-return]
    except Exception as error:  # a TypeError, or what an object with a signature of its own raises
        raise ValueError(str(error)) from error


def hints_of(target: Any) -> dict[str, Any]:
    """The annotations of a class with its bases, or of a function, evaluated; raises what evaluating them raises."""
    return typing.get_type_hints(target, include_extras=True)


def evaluate_hint(hint: Any, globals: dict[str, Any], locals: dict[str, Any] | None = None) -> Any:
    """A hint with its texts evaluated; raises what evaluating them raises.

    >>> evaluate_hint(list["Name"], {"Name": str})
    list[str]
    """
    holder: Any = SimpleNamespace(__annotations__={"hint": hint})
    return typing.get_type_hints(holder, globals, locals, include_extras=True)["hint"]


def text_of_hint(hint: Any) -> str:
    """A hint that could not be evaluated, as its author wrote it.

    >>> text_of_hint(typing.List["Unknown"])
    'typing.List[Unknown]'
    """
    return _FORWARD.sub(r"\1", repr(hint))


def _read(read: Callable[..., Any], option: str, target: Any) -> Any:
    """What a function of `inspect` reads, in the first way that does not fail."""
    for way in _WAYS[:-1]:
        try:
            return read(target, **{option: way})
        except Exception:  # of an annotation that is an expression of another kind
            continue
    return read(target) if _WAYS[-1] is None else read(target, **{option: _WAYS[-1]})
