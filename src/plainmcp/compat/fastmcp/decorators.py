"""The standalone decorators of FastMCP: they keep the options on the function until it is added to a server."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ..facade_modules import FacadeModule
from ..registration import check_is_callable

__all__ = ["make_callable", "prompt", "resource", "tool"]

F = TypeVar("F", bound=Callable[..., Any])


def tool(name_or_fn: Any = None, **options: Any) -> Any:
    """Mark a function as a tool for FastMCP.add_tool: `@tool`, `@tool()`, `@tool("name")` or `@tool(name=…, …)`."""
    return _mark("tool", name_or_fn, options)


def prompt(name_or_fn: Any = None, **options: Any) -> Any:
    """Mark a function as a prompt for FastMCP.add_prompt; takes what `tool` takes."""
    return _mark("prompt", name_or_fn, options)


def resource(uri: Any, **options: Any) -> Callable[[F], F]:
    """Mark a function as a resource for FastMCP.add_resource: `@resource("memo://notes")`."""
    if not isinstance(uri, str):
        raise TypeError("The @resource decorator requires a URI. Use @resource('uri') instead of @resource")
    marked: Callable[[F], F] = _mark("resource", None, {"uri": uri, **options})
    return marked


class _CallableModule(FacadeModule):
    """A module that can be called like the decorator of the same name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.decorate(*args, **options)


def make_callable(module: str) -> None:
    """Let a module be called: FastMCP 2 has modules, and FastMCP 4 decorators, of the same names."""
    sys.modules[module].__class__ = _CallableModule


def _mark(kind: str, name_or_fn: Any, options: dict[str, Any]) -> Any:
    if isinstance(name_or_fn, str):
        if "name" in options:
            raise TypeError("Cannot specify name both as first argument and keyword")
        options = {**options, "name": name_or_fn}

    def mark(function: Any) -> Any:
        check_is_callable(function, kind)
        target: Any = getattr(function, "__func__", function)
        target.__fastmcp__ = (kind, options)
        return function

    return mark(name_or_fn) if callable(name_or_fn) or isinstance(name_or_fn, classmethod) else mark
