"""The completion handler of FastMCP: one function for all arguments, as a function for one of them."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ...protocol.features import is_name

__all__ = ["Completion", "complete_with"]


class Completion:
    """Suggestions, and how many there are in all."""

    def __init__(self, values: list[str], total: int | None = None, has_more: bool | None = None) -> None:
        self.values, self.total, self.has_more = values, total, has_more


def complete_with(handler: Callable[..., Any], ref: str, name: str) -> Callable[..., Any]:
    """A completion of one argument, which calls the handler with a reference, an argument and a context."""
    from ..mcp import types

    is_prompt = is_name(ref)
    reference: Any = types.PromptReference(name=ref) if is_prompt else types.ResourceTemplateReference(uri=ref)

    def run(value: str, arguments: dict[str, str]) -> Any:
        return handler(reference, SimpleNamespace(name=name, value=value), SimpleNamespace(arguments=arguments))

    async def complete_async(value: str, arguments: dict[str, str]) -> list[str]:
        return _values_of(await run(value, arguments))

    def complete(value: str, arguments: dict[str, str]) -> list[str]:
        return _values_of(run(value, arguments))

    return complete_async if inspect.iscoroutinefunction(handler) else complete


def _values_of(result: Any) -> list[str]:
    if isinstance(result, str):
        raise TypeError("A completion handler returned a str; return a list of strings, such as [value]")
    return list(getattr(result, "values", result) or ())
