"""Checks of an author's options: an unknown one, or a value of the wrong type, is refused with advice.

Uses the hints of the function that takes the options, so that it agrees with type checkers. Knows no options itself.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, wraps
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, Unpack, cast, get_args, get_origin

from ..errors import OptionError
from ..foreign.annotations import own_annotations, signature_of
from ..schema import wording
from . import habits

__all__ = ["check_options", "has_type", "with_checked_options"]

F = TypeVar("F", bound=Callable[..., Any])


def with_checked_options(where: str, usage: str) -> Callable[[F], F]:
    """A decorator: the function or method refuses options that it does not take with an OptionError.

    `where` is the name of the function in errors; `usage` is the advice for missing or too many arguments.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            signature = _signature_of(function)
            _check_positional(args[signature.is_method :], options, signature, where, usage)
            check_options(
                {name: options[name] for name in options if signature.has_check_for(name)}, signature.options, where
            )
            return function(*args, **options)

        return cast("F", call)

    return decorate


def check_options(options: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    """Refuse an option that is unknown or has the wrong type; `known` holds hints by name. Raises OptionError."""
    for name, value in options.items():
        if name not in known:
            raise OptionError(f"{where} has no option {name}=" + _advice_for(name, known))
        _check_value(f"{name}=", value, known[name], where)


def _advice_for(name: str, known: Mapping[str, Any]) -> str:
    near = wording.find_nearest(name, known)
    hint = f": {habits.OPTIONS[name]}" if name in habits.OPTIONS else f"; did you mean {near}=?" if near else ""
    return f"{hint}{'' if hint.endswith('?') else '.'} The options are {', '.join(known)}."


def _check_value(name: str, value: Any, hint: Any, where: str, usage: str = "") -> None:
    if not has_type(value, hint):
        problem = f"{where}: {name} takes {_describe(hint)}, not {type(value).__name__}"
        raise OptionError(f"{problem}; {usage}" if usage else problem)


# Signatures ---------------------------------------------------------------------------------------


class _Signature(NamedTuple):
    options: dict[str, Any]  # the hint of each, by name
    positional: dict[str, Any]
    required: list[str]
    is_method: bool
    is_open: bool  # other options are passed on, and checked there

    def has_check_for(self, name: str) -> bool:
        """Whether an option is checked here."""
        return name in self.options or not self.is_open


@lru_cache(maxsize=256)
def _signature_of(function: Callable[..., Any]) -> _Signature:
    """The options of a function, by its signature and the TypedDict of its further options."""
    parameters = signature_of(function, evaluate=True).parameters
    signature = _Signature(
        {}, {}, [], "self" in parameters, any(_is_open_ended(parameter) for parameter in parameters.values())
    )
    for parameter in parameters.values():
        if parameter.name == "self" or _is_open_ended(parameter):
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            signature.options.update(own_annotations(get_args(parameter.annotation)[0]))
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY:
            signature.positional[parameter.name] = parameter.annotation
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            signature.options[parameter.name] = parameter.annotation
        if parameter.default is parameter.empty:
            signature.required.append(parameter.name)
    return signature


def _is_open_ended(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.VAR_KEYWORD and get_origin(parameter.annotation) is not Unpack


def _check_positional(
    args: Sequence[Any], options: Mapping[str, Any], signature: _Signature, where: str, usage: str
) -> None:
    names = list(signature.positional)
    if len(args) > len(names):
        by_position = f"takes {' and '.join(names)} by position, and" if names else "takes"
        raise OptionError(f"{where} {by_position} its options by name; {usage}")
    for name, value in zip(names, args, strict=False):
        _check_value(name, value, signature.positional[name], where, usage)
    missing = [name for name in signature.required if name not in names[: len(args)] and name not in options]
    if missing:
        raise OptionError(f"{where} lacks {' and '.join(missing)}; {usage}")


# Hints --------------------------------------------------------------------------------------------


def has_type(value: Any, hint: Any) -> bool:
    """Whether a value has the type of a hint; the items of containers are not checked.

    >>> has_type(3, float | None), has_type("3", float | None), has_type("a", list[str]), has_type(True, int)
    (True, False, False, False)
    """
    if hint is Any:
        return True
    origin, parts = get_origin(hint), get_args(hint)
    kind: Any = origin or hint
    if kind in (Union, UnionType):
        return any(has_type(value, part) for part in parts)
    if kind is Literal:  # which of them are allowed, the function itself checks
        return any(type(value) is type(part) for part in parts)
    if kind is None:
        return value is None
    if not isinstance(kind, type):
        return True
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, (int, float))
    if kind is tuple:
        return isinstance(value, (tuple, list)) and len(value) == len(parts)
    if kind in (Sequence, Collection) and isinstance(value, (str, bytes)):
        return False
    return isinstance(value, kind)


_WORDS: dict[Any, str] = {
    str: "a text",
    bytes: "bytes",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    dict: "a dict",
    Mapping: "a dict",
    Sequence: "a list",
    Collection: "a list",
    Callable: "a function",
    type: "a class",
    None: "None",
    type(None): "None",
}


def _describe(hint: Any) -> str:
    """The type of a hint, in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return wording.join_choices(list(dict.fromkeys(_describe(part) for part in parts)))
    if origin is Literal:
        return wording.join_choices([repr(part) for part in parts])
    if origin is tuple:
        return f"({', '.join(_describe(part) for part in parts)})"
    kind: Any = origin or hint
    name = getattr(kind, "__name__", kind)
    return _WORDS.get(kind) or ("a Server" if name == "Core" else f"a {name}")
