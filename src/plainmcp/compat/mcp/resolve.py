"""`Resolve` of `mcp` 2: parameters that a function fills in, which clients do not see.

The function may take arguments of the tool by their names, the context, and parameters with `Resolve`; what it
returns is the value, or a question to the client: `Elicit`, `Sample` or `ListRoots`. Within one call it runs once.
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from ...foreign.annotations import hints_of, signature_of
from ...questions import Elicited
from .context import Context, current_context
from .elicitations import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from .exceptions import InvalidSignature, ToolError

__all__ = ["Elicit", "ListRoots", "Resolve", "Sample", "with_resolved"]

T = TypeVar("T")
_OUTCOMES = (AcceptedElicitation, DeclinedElicitation, CancelledElicitation)


class Resolve:
    """Marks a parameter that a function fills in: `Annotated[Stock, Resolve(check_stock)]`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn


class Elicit(Generic[T]):
    """A question to the user: a text, and the class of the form."""

    def __init__(self, message: str, schema: type[T]) -> None:
        self.message, self.schema = message, schema

    async def ask(self, ctx: Any, key: str) -> Elicited[Any]:
        """The answer of the user."""
        return await ctx.elicit(self.message, self.schema, key=key)  # type: ignore[no-any-return]


class Sample:
    """A question to the client's model, with the options of `create_message`."""

    def __init__(self, messages: list[Any], max_tokens: int, **options: Any) -> None:
        self.messages, self.max_tokens, self.options = messages, max_tokens, options

    async def ask(self, ctx: Any, key: str) -> Elicited[Any]:
        """The answer of the model."""
        session = ctx.request_context.session
        return _accept(await session.create_message(self.messages, max_tokens=self.max_tokens, **self.options))


class ListRoots:
    """A question for the folders that the server may use."""

    async def ask(self, ctx: Any, key: str) -> Elicited[Any]:
        """The folders."""
        return _accept(await ctx.request_context.session.list_roots())


def _accept(value: Any) -> Elicited[Any]:
    return AcceptedElicitation("accept", value)


class _Parameter:
    """How a parameter with Resolve gets its value."""

    def __init__(self, fn: Callable[..., Any], is_whole: bool) -> None:
        self.fn, self.is_whole = fn, is_whole


def with_resolved(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function without its parameters with Resolve, which are filled in when it runs; any other as it is."""
    resolved = _resolved_in(function)
    if not resolved:
        return function
    signature = signature_of(function, evaluate=True)
    seen = [one for one in signature.parameters.values() if one.name not in resolved]
    names = {one.name for one in seen}
    plans: dict[Any, dict[str, Any]] = {}
    for one in resolved.values():
        _plan(one.fn, names, plans, ())
    context = next((one.name for one in seen if _is_context(one.annotation)), None)
    defaults = {one.name: one.default for one in seen if one.default is not inspect.Parameter.empty}

    async def run(**arguments: Any) -> Any:
        call = _Call(plans, {**defaults, **arguments}, arguments.get(context or "") or current_context())
        for name, one in resolved.items():
            outcome = await call.resolve(one.fn)
            arguments[name] = outcome if one.is_whole else _unwrap(outcome, name)
        return await _run(function, arguments)

    run.__name__, run.__doc__ = getattr(function, "__name__", "tool"), function.__doc__
    run.__module__ = function.__module__
    run.__signature__ = signature.replace(parameters=seen)  # type: ignore[attr-defined]
    return run


class _Call:
    """The resolvers of one call of a tool, and what they have returned."""

    def __init__(self, plans: dict[Any, dict[str, Any]], arguments: Mapping[str, Any], ctx: Any) -> None:
        self._plans, self._arguments, self._ctx = plans, arguments, ctx
        self._outcomes: dict[Any, Elicited[Any]] = {}

    async def resolve(self, fn: Any) -> Elicited[Any]:
        """What a resolver returned, or the answer to its question."""
        if fn not in self._outcomes:
            values = {name: await self._value_of(name, source) for name, source in self._plans[fn].items()}
            value = await _run(fn, values)
            is_question = isinstance(value, Elicit | Sample | ListRoots)
            key = getattr(fn, "__qualname__", type(fn).__qualname__)
            self._outcomes[fn] = await value.ask(self._ctx, key) if is_question else _accept(value)
        return self._outcomes[fn]

    async def _value_of(self, name: str, source: Any) -> Any:
        if isinstance(source, _Parameter):
            outcome = await self.resolve(source.fn)
            return outcome if source.is_whole else _unwrap(outcome, name)
        return self._ctx if source is Context else self._arguments[name]


async def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(**arguments)
    value = await asyncio.to_thread(function, **arguments)
    return await value if inspect.isawaitable(value) else value


def _unwrap(outcome: Elicited[Any], name: str) -> Any:
    if not outcome.accepted:
        raise ToolError(f"Resolver for parameter {name!r} could not resolve: elicitation was {outcome.action}")
    return outcome.data


# Reading signatures -------------------------------------------------------------------------------


def _resolved_in(function: Callable[..., Any]) -> dict[str, _Parameter]:
    """The parameters of a function with Resolve."""
    try:
        hints = hints_of(function)
    except Exception:  # a hint that cannot be read is reported where the tool is registered
        return {}
    found: dict[str, _Parameter] = {}
    for name, hint in hints.items():
        marks = [one for one in get_args(hint)[1:] if isinstance(one, Resolve)] if _is_annotated(hint) else []
        if marks and name != "return":
            found[name] = _Parameter(marks[0].fn, _is_outcome(get_args(hint)[0]))
        elif _has_mark(hint):
            raise InvalidSignature(f"{name!r}: Resolve belongs at the end of Annotated[…], not inside of a union")
    return found


def _plan(fn: Any, names: set[str], plans: dict[Any, dict[str, Any]], above: tuple[Any, ...]) -> None:
    """Work out how each parameter of a resolver gets its value."""
    label = getattr(fn, "__name__", type(fn).__name__)
    if fn in above:
        raise InvalidSignature(f"Resolver {label!r} has a cyclic dependency")
    if fn in plans:
        return
    resolved = _resolved_in(fn)
    plan: dict[str, Any] = {}
    for one in signature_of(fn, evaluate=True).parameters.values():
        if one.name in resolved:
            plan[one.name] = resolved[one.name]
            _plan(resolved[one.name].fn, names, plans, (*above, fn))
        elif _is_context(one.annotation):
            plan[one.name] = Context
        elif one.name in names:
            plan[one.name] = None
        elif one.default is inspect.Parameter.empty:
            raise InvalidSignature(f"Resolver {label!r}: the tool has no parameter {one.name!r}")
    plans[fn] = plan


def _is_annotated(hint: Any) -> bool:
    return get_origin(hint) is Annotated


def _is_outcome(hint: Any) -> bool:
    return any((get_origin(one) or one) in _OUTCOMES for one in (hint, *get_args(hint)))


def _has_mark(hint: Any) -> bool:
    return any(isinstance(one, Resolve) or _has_mark(one) for one in get_args(hint))


def _is_context(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Context)
