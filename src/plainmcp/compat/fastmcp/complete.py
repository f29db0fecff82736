"""The completion handler of FastMCP: one function for all arguments, as a function for one of them."""

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ...errors import InvalidParams
from ...protocol.core import Core
from ...protocol.features import is_name
from ...protocol.methods import completion
from ...protocol.request import Request
from ..coded_error import CodedError

__all__ = ["Completion", "complete_any", "complete_with"]


class Completion:
    """Suggestions, and how many there are in all."""

    def __init__(self, values: list[str], total: int | None = None, has_more: bool | None = None) -> None:
        self.values, self.total, self.has_more = values, total, has_more


def complete_with(handler: Callable[..., Any], ref: str, name: str) -> Callable[..., Any]:
    """A completion of one argument, which calls the handler with a reference, an argument and a context."""
    from ..mcp import types
    from ..mcp.loaded_types import to_loaded

    is_prompt = is_name(ref)
    reference: Any = types.PromptReference(name=ref) if is_prompt else types.ResourceTemplateReference(uri=ref)

    def run(value: str, arguments: dict[str, str]) -> Any:
        return handler(
            to_loaded(reference), SimpleNamespace(name=name, value=value), SimpleNamespace(arguments=arguments)
        )

    async def complete_async(value: str, arguments: dict[str, str]) -> Any:
        return _check(await run(value, arguments))

    def complete(value: str, arguments: dict[str, str]) -> Any:
        return _check(run(value, arguments))

    return complete_async if inspect.iscoroutinefunction(handler) else complete


def _check(result: Any) -> Any:
    """What a handler returned, if it is a Completion or a list."""
    if isinstance(result, str):
        raise TypeError("A completion handler returned a str; return a list of strings, such as [value]")
    return result


def complete_any(server: Core, request: Request) -> Any:
    """Answer completion/complete; for a prompt or a template that does not exist there are no suggestions."""
    try:
        return completion.complete(server, request)
    except (InvalidParams, CodedError):
        return completion.complete_nothing(server, request)
