"""The names of OpenMCP: decorators that mark functions, and a server that collects them.

Only names and differences are here; the rules are those of plainmcp with the policy "openmcp". `types` is
plainmcp.types, in place of `openmcp.types`.

>>> @tool(description="Add two numbers")
... async def add(a: int, b: int) -> int:
...     return a + b
>>> server = MCPServer("calculator")
>>> server.collect(add)
>>> "add" in server.registry.tools
True
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar, Unpack, overload

from .. import types
from ..errors import AuthorError
from ..policy import Policy
from ..protocol.option_check import with_checked_options
from ..protocol.options import PromptOptions, ResourceOptions, ToolOptions
from ..server import Server
from ..types import CallToolResult, ReadResourceResult
from ..values import normalize

__all__ = [
    "MCPServer",
    "normalize_resource_payload",
    "normalize_tool_result",
    "prompt",
    "resource",
    "tool",
    "types",
]

F = TypeVar("F", bound=Callable[..., Any])

_MARKS = "__openmcp__"
_bound: ContextVar["MCPServer | None"] = ContextVar("openmcp_server", default=None)


class MCPServer(Server):
    """A server with the policy "openmcp"; takes the same options as plainmcp.Server."""

    def __init__(
        self, name: str, version: str = "0.0.0", *, policy: Policy | str = "openmcp", **options: Any
    ) -> None:
        super().__init__(name, version, policy=policy, **options)

    def collect(self, *functions: Callable[..., Any]) -> None:
        """Register functions that `tool`, `resource` or `prompt` have marked."""
        for function in functions:
            marks = getattr(function, _MARKS, None)
            if not marks:
                name = getattr(function, "__name__", repr(function))
                raise AuthorError(f"{name} is marked neither as a tool nor as a resource or a prompt")
            for offer in marks:
                offer(self, function)

    @contextmanager
    def binding(self) -> Generator["MCPServer", None, None]:
        """Register functions that are marked inside a `with` block."""
        token = _bound.set(self)
        try:
            yield self
        finally:
            _bound.reset(token)

    collecting = binding  # the name in an earlier version of that package


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
def tool(function: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Mark a function as a tool; takes the options of Server.tool."""
    mark = partial(_mark, partial(_tool, options))
    return mark if function is None else mark(function)


@with_checked_options("@resource", 'write @resource("memo://notes")')
def resource(uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
    """Mark a function as the resource at a URI; takes the options of Server.resource."""
    return partial(_mark, partial(_resource, uri, options))


@overload
def prompt(function: F, /) -> F: ...
@overload
def prompt(**options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
def prompt(function: Any = None, /, **options: Unpack[PromptOptions]) -> Any:
    """Mark a function as a prompt; takes the options of Server.prompt."""
    mark = partial(_mark, partial(_prompt, options))
    return mark if function is None else mark(function)


def _tool(options: ToolOptions, server: MCPServer, function: Callable[..., Any]) -> None:
    server.tool(**options)(function)


def _resource(uri: str, options: ResourceOptions, server: MCPServer, function: Callable[..., Any]) -> None:
    server.resource(uri, **options)(function)


def _prompt(options: PromptOptions, server: MCPServer, function: Callable[..., Any]) -> None:
    server.prompt(**options)(function)


def _mark(offer: Callable[[MCPServer, Callable[..., Any]], None], function: F) -> F:
    """Mark a function, and register it at once inside a `with server.binding()` block."""
    try:
        setattr(function, _MARKS, (*getattr(function, _MARKS, ()), offer))
    except AttributeError:
        raise AuthorError(f"{function!r} cannot be marked; give it to a server's own decorator") from None
    server = _bound.get()
    if server is not None:
        offer(server, function)
    return function


# The normalizers ----------------------------------------------------------------------------------


def normalize_tool_result(value: Any) -> CallToolResult:
    """The tool result that a return value becomes.

    >>> normalize_tool_result(["first", "second"]).structuredContent
    {'result': ['first', 'second']}
    """
    return normalize.normalize_tool_result(value, policy=Policy.openmcp)


def normalize_resource_payload(uri: str, mime_type: str | None, payload: Any) -> ReadResourceResult:
    """The resource result that a return value becomes.

    >>> normalize_resource_payload("memo://1", None, {"a": 1}).contents[0].mimeType
    'text/plain'
    """
    return normalize.normalize_resource_payload(uri, mime_type, payload, policy=Policy.openmcp)
