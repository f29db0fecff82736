"""Wraps a handler so that the facade's context is set while it runs, whether or not the handler takes it."""

import functools
import inspect
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import Any

from .. import context
from ..foreign.annotations import signature_of
from ..schema import signature

__all__ = ["collect", "with_context"]


def _keep(value: Any) -> Any:
    return value


_CONTEXT = "_compat_context"  # the parameter added to functions that do not take a context


def with_context(
    function: Callable[..., Any],
    read: signature.Signature,
    enter: Callable[[context.Context[Any]], AbstractContextManager[Any]],
    *,
    has_schema: bool = True,
    hidden: Collection[str] = (),
    is_whole: bool = False,
    convert: Callable[[Any], Any] = _keep,
    passed_as: str | None = None,
    returns: Any = None,
) -> Callable[..., Any]:
    """A function that enters `enter(context)`, and passes on the facade's context if the handler takes it.

    With `is_whole` it has the docstring as it is written. Parameters that are `hidden` keep their defaults. The
    value is what `convert` makes of it. Without a schema it has no return hint either: the value would be sent as
    structured content (S004-24). The context is passed as the parameter with its hint, or as `passed_as`. `returns`
    is another hint for the value.
    """
    name, taken = read.context or _CONTEXT, passed_as or read.context

    def add_context(arguments: dict[str, Any], made: Any) -> dict[str, Any]:
        return arguments if taken is None else {**arguments, taken: made}

    run: Any
    if read.is_async:

        @functools.wraps(function)
        async def run_async(**arguments: Any) -> Any:
            with enter(arguments.pop(name)) as made:
                value = await function(**add_context(arguments, made))
                return convert(await _collect(value) if inspect.isasyncgen(value) else value)

        run = run_async
    else:

        @functools.wraps(function)
        def run_plain(**arguments: Any) -> Any:
            inner = arguments.pop(name)
            with enter(inner) as made:
                value = function(**add_context(arguments, made))
                if inspect.isgenerator(value):
                    value = list(value)  # here its exceptions are those of the handler
                elif inspect.isasyncgen(value):
                    value = _collect(value)
                if not inspect.isawaitable(value):
                    return convert(value)
            return finish(inner, value)

        async def finish(inner: Any, value: Any) -> Any:  # of a plain function that returns a coroutine
            with enter(inner):
                return convert(await value)

        run = run_plain
    run.__name__, run.__doc__ = read.name or "<lambda>", _doc(function, is_whole)
    signature_of_run = _signature_of(function, read, has_schema, hidden)
    run.__signature__ = signature_of_run if returns is None else signature_of_run.replace(return_annotation=returns)
    made: Callable[..., Any] = run
    return made


async def _collect(generator: Any) -> list[Any]:
    return [one async for one in generator]


def collect(function: Callable[..., Any]) -> Callable[..., Any]:
    """An async generator function as one that returns the list of what it yields; other functions as they are."""
    if not inspect.isasyncgenfunction(function):
        return function

    async def run(*arguments: Any, **options: Any) -> Any:
        return await _collect(function(*arguments, **options))

    run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, function.__module__
    read = signature_of(function, evaluate=True)
    run.__signature__ = read.replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]
    return run


def _signature_of(
    function: Callable[..., Any], read: signature.Signature, has_schema: bool, hidden: Collection[str]
) -> inspect.Signature:
    """The signature of a handler, without the parameters that are filled already, and with the context."""
    original = signature_of(function)
    filled = (read.reserved - {read.context, *read.dependencies}) | set(hidden)
    takes = [one for one in original.parameters.values() if one.name not in filled]
    rest = [one for one in takes if one.kind is one.VAR_KEYWORD]
    parameter = inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=context.Context)
    named = [one for one in takes if one not in rest] + ([parameter] if read.context is None else [])
    returns = original.return_annotation if has_schema else inspect.Signature.empty
    return inspect.Signature([*named, *rest], return_annotation=returns)


def _doc(function: Any, is_whole: bool) -> str | None:
    """The docstring of a function; of a partial its function's, of a callable object that of `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    if is_whole:
        return getattr(function, "__doc__", None)
    if inspect.isroutine(function):
        return inspect.getdoc(function)
    return function.__call__.__doc__ or inspect.getdoc(type(function))
