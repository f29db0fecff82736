"""The signature of a function: its parameters, its return hint, and their descriptions. Knows no JSON."""

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, get_args, get_origin

import msgspec

from ..errors import AuthorError
from ..foreign.annotations import evaluate_hint, signature_of, text_of_hint
from . import hints, mistakes
from .docstring import Prose, parse_docstring
from .generics import class_of
from .parameters import Parameter, others_of, split_description, to_parameter

__all__ = ["Dependent", "Depends", "Parameter", "Signature", "read"]

EMPTY = inspect.Parameter.empty


class Dependent:
    """The value of a parameter with Depends: the function that returns the real value for each call."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise AuthorError(f"Depends takes a function, not {type(function).__name__}")
        self.function = function

    def __repr__(self) -> str:
        return f"Depends({getattr(self.function, '__name__', '…')})"


def Depends(function: Callable[..., Any]) -> Any:
    """Marks a parameter whose value a function returns for each call; clients do not see the parameter.

    It is a default, `db: Db = Depends(open_db)`, or metadata, `db: Annotated[Db, Depends(open_db)]`. The function
    may be a plain or an `async def` function. If it is a generator, the value is what it yields, and it continues
    after the call. It may take the Context, and parameters with Depends. Within one call it runs once.
    """
    return Dependent(function)


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a function before it is called.

    `returns` is `inspect.Signature.empty` without a hint; `context` names the parameter that takes the context, and
    `dependencies` those with Depends. With `others` it takes other arguments too, except those `reserved`, which are
    set already.
    """

    name: str
    title: str | None = None
    description: str | None = None
    parameters: tuple[Parameter, ...] = ()
    returns: Any = inspect.Signature.empty
    returns_description: str | None = None
    context: str | None = None
    dependencies: dict[str, Dependent] = {}
    is_async: bool = False
    others: Parameter | None = None
    reserved: frozenset[str] = frozenset()

    @property
    def open(self) -> bool:
        """Whether it takes other arguments than its parameters."""
        return self.others is not None


def read(
    function: Callable[..., Any],
    *,
    context_type: type,
    title_from: str = "explicit",
    docstring: str = "split",
    generators: bool = False,
) -> Signature:
    """Read a function, a method, a partial or a callable object; raises AuthorError for what cannot be called.

    Without `generators`, an async generator is refused, too.

    >>> def forecast(city: str, days: int = 3) -> str: ...
    >>> [(p.name, p.required) for p in read(forecast, context_type=Signature).parameters]
    [('city', True), ('days', False)]
    """
    target = _callable_of(function)
    inner = _innermost_of(function)
    name = _name_of(function)
    label = name or "a lambda"
    _check_callable(target, label)
    if not generators:
        _refuse_async_generator((target, inner), label)
    signature = _signature_of(function, label)
    hint_by_name = _resolve_hints(signature, inner, label)
    preset = _check_parameters(function, signature, label)
    takes = [one for one in signature.parameters.values() if one.name not in preset]
    contexts = [one.name for one in takes if _is_context(hint_by_name[one.name], context_type)]
    if len(contexts) > 1:
        raise AuthorError(f"{label} takes the context twice: {' and '.join(contexts)}")
    dependencies = {one.name: mark for one in takes if (mark := _dependency_of(one, hint_by_name[one.name]))}
    hidden = {*contexts, *dependencies}
    prose = _prose_of(function, target, inner, docstring)
    arguments = [one for one in takes if one.name not in hidden]
    parameters, others = _read_parameters(arguments, hint_by_name, prose, label)
    returns, description = split_description(_awaited_type_of(hint_by_name["return"]))
    return Signature(
        name=name,
        title=_title_of(name, prose, title_from),
        description=prose.rest if title_from == "docstring" else prose.whole,
        parameters=parameters,
        returns=returns,
        returns_description=description or prose.returns,
        context=contexts[0] if contexts else None,
        dependencies=dependencies,
        is_async=inspect.iscoroutinefunction(target),
        others=others,
        reserved=frozenset({*preset, *hidden}),
    )


def _read_parameters(
    arguments: Sequence[inspect.Parameter], hint_by_name: Mapping[str, Any], prose: Prose, label: str
) -> tuple[tuple[Parameter, ...], Parameter | None]:
    """The parameters, and what any other argument has to be; raises AuthorError for a hint that is not a type."""
    for one in arguments:
        try:
            mistakes.check_hint(hint_by_name[one.name])
        except AuthorError as error:
            raise AuthorError(f"{label}: the hint of {one.name}: {error}") from error
    rest = next((one for one in arguments if one.kind is one.VAR_KEYWORD), None)
    named = [to_parameter(one, hint_by_name[one.name], prose) for one in arguments if one is not rest]
    if rest is None:
        return tuple(named), None
    try:
        keys, others = others_of(rest.name, hint_by_name[rest.name], prose)
    except AuthorError as error:
        raise AuthorError(f"{label}: {error}") from error
    twice = [one.name for one in keys if one.name in hint_by_name]
    if twice:
        raise AuthorError(
            f"{label}: {twice[0]} is a parameter, and a key in **{rest.name} as well; rename one of them"
        )
    return (*named, *keys), others


# Functions ----------------------------------------------------------------------------------------


def _unpartial(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _callable_of(function: Any) -> Any:
    """The function that runs when this one is called: a partial's function, an object's `__call__`."""
    function = _unpartial(function)
    if isinstance(function, staticmethod):
        return _callable_of(function.__func__)
    if inspect.isroutine(function) or isinstance(function, (type, classmethod)):
        return function
    return getattr(function, "__call__", function)  # noqa: B004 - the method itself is wanted


def _innermost_of(function: Any) -> Any:
    """The function without its decorators and partials."""
    inner = _callable_of(function)
    while hasattr(inner, "__wrapped__"):
        inner = _callable_of(inner.__wrapped__)
    return inner


def _name_of(function: Any) -> str:
    function = _unpartial(function)
    name = getattr(function, "__name__", None) or type(function).__name__
    return "" if name == "<lambda>" else str(name)


def _check_callable(target: Any, label: str) -> None:
    if isinstance(target, type):
        raise AuthorError(f"{label} is a class; give a function that makes one and returns it")
    if not isinstance(target, (classmethod, property)) and not callable(target):
        raise AuthorError(f"{label} cannot be called; decorate a function, or give one")
    if isinstance(target, classmethod) or not callable(target):
        raise AuthorError(f"{label} cannot be called as it is; give the method of the finished class or object")


def _refuse_async_generator(functions: tuple[Any, ...], label: str) -> None:
    if any(map(inspect.isasyncgenfunction, functions)):
        raise AuthorError(f"{label} is an async generator; collect what it yields and return a list")


def _signature_of(function: Any, label: str) -> inspect.Signature:
    try:
        return signature_of(function)
    except ValueError as error:
        raise AuthorError(
            f"{label} does not tell its parameters ({error}); wrap it in a function that does"
        ) from error


def _check_parameters(function: Any, signature: inspect.Signature, label: str) -> set[str]:
    """The names that a partial has set; raises AuthorError for parameters that no named argument can reach."""
    preset: set[str] = set()
    layer = function
    while isinstance(layer, functools.partial):
        preset |= set(layer.keywords)
        layer = layer.func
    if next(iter(signature.parameters), "") in ("self", "cls") and _is_unbound(layer):
        raise AuthorError(f"{label} is a method without its object; give the bound one, server.tool(it.{label})")
    for one in signature.parameters.values():
        if one.kind is one.POSITIONAL_ONLY:
            raise AuthorError(f"{label}: {one.name} is positional-only, and arguments have names; drop the /")
        if one.kind is one.VAR_POSITIONAL:
            raise AuthorError(f"{label}: *{one.name} has no names to give arguments by; take a list instead")
    hidden = set(_signature_of(layer, label).parameters) - set(signature.parameters)
    return preset | hidden


def _is_unbound(function: Any) -> bool:
    """Whether a function was defined in the body of a class."""
    within = getattr(function, "__qualname__", "").rpartition(".")[0]
    return bool(within) and not within.endswith("<locals>") and inspect.isfunction(function)


# Hints --------------------------------------------------------------------------------------------


def _resolve_hints(signature: inspect.Signature, inner: Any, label: str) -> dict[str, Any]:
    """Every hint as a type; one that was written as text is looked up in the globals of the function."""
    written_hints = {
        one.name: Any if one.annotation is EMPTY else one.annotation for one in signature.parameters.values()
    }
    written_hints["return"] = signature.return_annotation
    space = getattr(getattr(inner, "__func__", inner), "__globals__", {})
    return {
        name: hint if hint is EMPTY else _resolve(name, hint, space, label) for name, hint in written_hints.items()
    }


def _resolve(name: str, hint: Any, space: dict[str, Any], label: str) -> Any:
    if hint is Any or isinstance(hint, type):
        return hint
    where = "the return hint" if name == "return" else f"the hint of {name}"
    try:
        mistakes.check_texts(hint)
        resolved = evaluate_hint(hint, space)
        hints.check_aliases(resolved)
        return resolved
    except AuthorError as error:
        raise AuthorError(f"{label}: {where}: {error}") from error
    except Exception as error:  # mostly a NameError, but evaluating a text may raise anything
        raise AuthorError(
            f"{label}: {where}, {text_of_hint(hint)}, cannot be resolved ({error}); it has to be known where the "
            "function is defined, and not to type checkers only"
        ) from error


def _is_context(hint: Any, context_type: type) -> bool:
    kinds = [hints.unwrap_all(member) for member in hints.choices_of(hint)]
    kinds = [class_of(one) for one in kinds if one is not type(None)]
    return any(isinstance(one, type) and issubclass(one, context_type) for one in kinds)


def _dependency_of(one: inspect.Parameter, hint: Any) -> Dependent | None:
    """The Depends of a parameter, in its default or in its metadata."""
    if isinstance(one.default, Dependent):
        return one.default
    return next((mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Dependent)), None)


def _awaited_type_of(hint: Any) -> Any:
    """The type of the awaited value: a plain function may return a coroutine."""
    return get_args(hint)[-1] if get_origin(hint) in (Awaitable, Coroutine) else hint


# Docstrings ---------------------------------------------------------------------------------------


def _prose_of(function: Any, target: Any, inner: Any, docstring: str) -> Prose:
    """The parts of the docstring of a function, or the whole of it as it is written."""
    if docstring == "whole":
        return Prose(whole=_unpartial(function).__doc__ or "")
    return parse_docstring(_docstring_of(function, target, inner) or "", keep_lines=docstring == "lines")


def _docstring_of(function: Any, target: Any, inner: Any) -> str | None:
    """The docstring of a function; of a callable object, that of its `__call__` or of its class."""
    if inspect.isroutine(_unpartial(function)) or isinstance(function, staticmethod):
        return inspect.getdoc(target) or inspect.getdoc(inner)
    return target.__doc__ or inspect.getdoc(type(_unpartial(function)))


def _title_of(name: str, prose: Prose, title_from: str) -> str | None:
    if title_from == "docstring":
        return prose.first
    if title_from == "name" and name:
        return " ".join(word[:1].upper() + word[1:] for word in re.split(r"[\W_]+", name) if word)
    return None
