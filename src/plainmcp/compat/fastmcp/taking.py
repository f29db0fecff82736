"""A function as ours takes it: run where get_context() finds the context, whether or not it asks for one."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ... import context
from ...schema import signature
from ...server import Server
from .context import Context, running

__all__ = ["taken"]

_CONTEXT = "_fastmcp_context"  # the parameter that functions without a context are given one by


def taken(
    function: Callable[..., Any], read: signature.Signature, server: Server, *, promised: bool = True
) -> Callable[..., Any]:
    """The function, run where get_context() finds the context, and given it where it asks for it.

    What is not promised has no return hint either: it would be sent as data beside the text (S004-24).
    """
    name, asked = read.context or _CONTEXT, read.context is not None

    def given(arguments: dict[str, Any], made: Context) -> dict[str, Any]:
        return {**arguments, name: made} if asked else arguments

    run: Any
    if read.is_async:

        @functools.wraps(function)
        async def run_async(**arguments: Any) -> Any:
            with running(arguments.pop(name), server) as made:
                return await function(**given(arguments, made))

        run = run_async
    else:

        @functools.wraps(function)
        def run_plain(**arguments: Any) -> Any:
            with running(arguments.pop(name), server) as made:
                return function(**given(arguments, made))

        run = run_plain
    run.__name__, run.__doc__ = read.name or "<lambda>", _doc(function)
    run.__signature__ = _written(function, read, promised)
    made: Callable[..., Any] = run
    return made


def _written(function: Callable[..., Any], read: signature.Signature, promised: bool) -> inspect.Signature:
    """The signature of a function as ours reads it, without what is filled already and with the context."""
    written = inspect.signature(function)
    filled = read.reserved - {read.context}
    takes = [one for one in written.parameters.values() if one.name not in filled]
    rest = [one for one in takes if one.kind is one.VAR_KEYWORD]
    asking = inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=context.Context)
    named = [one for one in takes if one not in rest] + ([asking] if read.context is None else [])
    returns = written.return_annotation if promised else inspect.Signature.empty
    return inspect.Signature([*named, *rest], return_annotation=returns)


def _doc(function: Any) -> str | None:
    """The docstring of a function; of a partial its function's, of a callable object that of `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function):
        return inspect.getdoc(function)
    return function.__call__.__doc__ or inspect.getdoc(type(function))
