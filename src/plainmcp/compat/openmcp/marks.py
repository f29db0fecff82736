"""The decorators of OpenMCP: they mark functions, which a server collects later, or at once inside `binding()`."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar, Unpack, overload

from ...errors import AuthorError
from ...protocol.option_check import with_checked_options
from ...protocol.options import PromptOptions, ResourceOptions, ToolOptions

__all__ = ["bound_server", "completion", "marks_of", "prompt", "resource", "resource_template", "tool"]

F = TypeVar("F", bound=Callable[..., Any])
Offer = Callable[[Any, Callable[..., Any]], None]
"""Registers a function with a server of OpenMCP."""

_MARKS = "__openmcp__"
bound_server: ContextVar[Any] = ContextVar("openmcp_server", default=None)
"""The server that registers what is marked now."""


def marks_of(function: object) -> tuple[Offer, ...]:
    """What registers a marked function with a server; nothing for a function without a mark."""
    found: Any = getattr(function, _MARKS, ())
    return found if isinstance(found, tuple) else ()


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(given: str | None = None, /, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
def tool(function: Any = None, /, **options: Any) -> Any:
    """Mark a function as a tool: takes the options of OpenMCP, and those of Server.tool."""
    if isinstance(function, str):
        options, function = {"name": function, **options}, None
    mark = partial(_mark, lambda server, fn: server.add_tool(fn, options))
    return mark if function is None else mark(function)


@with_checked_options("@resource", 'write @resource("memo://notes")')
def resource(uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
    """Mark a function as the resource at a URI; takes the options of Server.resource."""
    return partial(_mark, lambda server, fn: server.add_resource(fn, uri, {**options}))


def resource_template(name: str, *, uri_template: str, **options: Any) -> Callable[[F], F]:
    """Mark a function as the resources at a URI template."""
    return partial(_mark, lambda server, fn: server.add_resource(fn, uri_template, {**options, "name": name}))


@overload
def prompt(function: F, /) -> F: ...
@overload
def prompt(given: str | None = None, /, **options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
def prompt(function: Any = None, /, **options: Any) -> Any:
    """Mark a function as a prompt: of the options of OpenMCP, `arguments` lists what it takes in one dict."""
    if isinstance(function, str):
        options, function = {"name": function, **options}, None
    mark = partial(_mark, lambda server, fn: server.add_prompt(fn, options))
    return mark if function is None else mark(function)


def completion(*, prompt: str | None = None, resource: str | None = None) -> Callable[[F], F]:
    """Mark a function that suggests values for the arguments of a prompt, or of a resource template."""
    if (prompt is None) == (resource is None):
        raise ValueError("@completion takes prompt= or resource=, and not both")
    return partial(_mark, lambda server, fn: server.add_completion(fn, str(prompt or resource)))


def _mark(offer: Offer, function: F) -> F:
    """Mark a function, and register it at once inside a `with server.binding()` block."""
    try:
        setattr(function, _MARKS, (*getattr(function, _MARKS, ()), offer))
    except AttributeError:
        raise AuthorError(f"{function!r} cannot be marked; give it to a server's own decorator") from None
    server = bound_server.get()
    if server is not None:
        offer(server, function)
    return function
