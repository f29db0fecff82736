"""Prompts and completions of OpenMCP: functions of one dict, as the functions that plainmcp registers."""

import inspect
from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Annotated, Any

from ...foreign.annotations import signature_of
from ..mcp.wire_model import to_wire

__all__ = ["CompletionResult", "adapt_completion", "adapt_prompt"]


class CompletionResult:
    """Suggestions, and how many there are in all."""

    def __init__(self, values: Any, total: int | None = None, has_more: bool | None = None) -> None:
        self.values, self.total, self.has_more = list(values), total, has_more


def adapt_prompt(function: Callable[..., Any], arguments: Any) -> Callable[..., Any]:
    """A function with a parameter for each argument, which passes all of them on in one dict.

    A function that takes its arguments by name is returned as it is.
    """
    listed = [to_wire(one) for one in arguments or ()]
    if not listed and not _takes_a_dict(function):
        return function

    def given(values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value is not None}

    run: Any
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def run_async(**values: Any) -> Any:
            return await function(given(values))

        run = run_async
    else:

        @wraps(function)
        def run_plain(**values: Any) -> Any:
            return function(given(values))

        run = run_plain
    run.__signature__ = inspect.Signature([_parameter_of(one) for one in listed])
    adapted: Callable[..., Any] = run
    return adapted


def _takes_a_dict(function: Callable[..., Any]) -> bool:
    parameters = list(signature_of(function).parameters.values())
    return len(parameters) == 1 and "arg" in parameters[0].name


def _parameter_of(argument: dict[str, Any]) -> inspect.Parameter:
    kind, description = str if argument.get("required") else str | None, argument.get("description")
    hint: Any = Annotated[kind, description] if description else kind
    default = inspect.Parameter.empty if argument.get("required") else None
    return inspect.Parameter(argument["name"], inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)


def adapt_completion(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A completion of one argument, which calls a function with the argument and the context of others."""

    def run(value: str, known: dict[str, str]) -> Any:
        return function(SimpleNamespace(name=name, value=value), SimpleNamespace(arguments=known))

    async def complete_async(value: str, known: dict[str, str]) -> list[str]:
        return _values_of(await run(value, known))

    def complete(value: str, known: dict[str, str]) -> list[str]:
        return _values_of(run(value, known))

    return complete_async if inspect.iscoroutinefunction(function) else complete


def _values_of(result: Any) -> list[str]:
    found = result.get("values") if isinstance(result, dict) else getattr(result, "values", result)
    return list(found or ())
