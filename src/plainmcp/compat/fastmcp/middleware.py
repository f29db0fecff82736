"""The middleware of FastMCP: a class with a hook for each kind of request, as plainmcp's middleware.

A hook gets the parameters of a request, and what it gets from `call_next` are FastMCP's results: ToolResult,
ResourceResult, PromptResult, and lists of components.
"""

from binascii import a2b_base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from ... import context as native
from ... import media
from ...protocol.middleware import MiddlewareRequest
from ...protocol.plan import with_server_info
from ...server import Server
from ...types import CallToolResult, GetPromptResult, ReadResourceResult
from ...wire import codec
from ..coded_error import has_code, to_protocol_error
from .components import Component, Prompt, ResourceTemplate, Tool, to_snake
from .context import Context, enter_context
from .pieces import Message, PromptResult, ResourceContent, ResourceResult, ToolResult
from .resource_types import Resource

__all__ = ["CallNext", "Middleware", "MiddlewareContext", "to_native_middleware"]

T = TypeVar("T")
R = TypeVar("R", covariant=True)


class CallNext(Protocol[T, R]):
    """Continues with the next middleware, or with the handler."""

    def __call__(self, context: "MiddlewareContext[T]") -> Awaitable[R]:
        """Continue with a context."""
        ...


class Params:
    """The parameters of a request, as attributes: `name`, `arguments`, `uri`; `meta` is its `_meta`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        vars(self).update({_attribute_of(name): value for name, value in values.items()})

    def to_wire(self) -> dict[str, Any]:
        """The parameters as they are now."""
        names = {_attribute_of(name): name for name in self.values}
        own = {name: value for name, value in vars(self).items() if name != "values"}
        return {names.get(name, name): value for name, value in own.items()}

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The parameters as a dict."""
        return self.to_wire()

    def model_copy(self, *, update: dict[str, Any] | None = None, deep: bool = False) -> "Params":
        """A copy, with other values for some parameters."""
        return Params({**self.to_wire(), **(update or {})})


def _attribute_of(name: str) -> str:
    return "meta" if name == "_meta" else to_snake(name)


@dataclass(kw_only=True, frozen=True)
class MiddlewareContext(Generic[T]):
    """A request, as a hook sees it: its method, its parameters in `message`, and the context of the handler."""

    message: T
    fastmcp_context: Context | None = None
    source: Literal["client", "server"] = "client"
    type: Literal["request", "notification"] = "request"
    method: str | None = None
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))

    def copy(self, **changes: Any) -> "MiddlewareContext[T]":
        """A copy, with other values for some fields."""
        return replace(self, **changes)


_HOOKS = {
    "initialize": "on_initialize",
    "server/discover": "on_discover",
    "tools/call": "on_call_tool",
    "resources/read": "on_read_resource",
    "prompts/get": "on_get_prompt",
    "tools/list": "on_list_tools",
    "resources/list": "on_list_resources",
    "resources/templates/list": "on_list_resource_templates",
    "prompts/list": "on_list_prompts",
}


class Middleware:
    """The base of FastMCP's middleware: hooks that only continue."""

    async def __call__(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        for name in (_HOOKS.get(context.method or ""), "on_request", "on_message"):
            if name is not None:
                call_next = _around(getattr(self, name), call_next)
        return await call_next(context)

    async def on_message(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        """Around every request."""
        return await call_next(context)

    on_request = on_notification = on_initialize = on_discover = on_message
    on_call_tool = on_read_resource = on_get_prompt = on_message
    on_list_tools = on_list_resources = on_list_resource_templates = on_list_prompts = on_message


def _around(hook: Callable[..., Any], call_next: Any) -> Callable[[MiddlewareContext[Any]], Awaitable[Any]]:
    async def run(context: MiddlewareContext[Any]) -> Any:
        return await hook(context, call_next)

    return run


def to_native_middleware(middleware: Any, server: Server) -> Callable[..., Awaitable[Any]]:
    """An object of FastMCP's middleware as a function of plainmcp's."""

    async def run(request: MiddlewareRequest, call_next: Callable[[MiddlewareRequest], Awaitable[Any]]) -> Any:
        kept: list[tuple[Any, Any, Any]] = []  # a value, its form for the hook, and a copy of that

        async def proceed(context: MiddlewareContext[Any]) -> Any:
            request.params.update(context.message.to_wire() if isinstance(context.message, Params) else {})
            value = await call_next(request)
            shown, copy = _to_theirs(request, value, server), _to_theirs(request, value, server)
            kept.append((value, shown, copy))
            return shown

        inner: native.Context[Any] = native.Context(request._request, server, is_async=True)
        with enter_context(inner) as current:
            context = MiddlewareContext(
                message=Params(request.params), fastmcp_context=current, method=request.method
            )
            try:
                result = await middleware(context, proceed)
            except Exception as error:
                if has_code(error):  # such as MCPError
                    raise to_protocol_error(error) from error
                raise
        for value, shown, copy in kept:
            if result is shown and _is_same(shown, copy):
                return value  # nothing was changed, so it is written as it is
        return _to_ours(request, server, result, kept[-1][0] if kept else None)

    return run


# Values of FastMCP and ours -----------------------------------------------------------------------

_COMPONENTS: dict[str, tuple[str, type[Component]]] = {
    "tools/list": ("tools", Tool),
    "resources/list": ("resources", Resource),
    "resources/templates/list": ("resourceTemplates", ResourceTemplate),
    "prompts/list": ("prompts", Prompt),
}


def _to_theirs(request: MiddlewareRequest, value: Any, server: Server) -> Any:
    """What a hook gets from `call_next`."""
    if request.method in _COMPONENTS:
        entries, kind = _COMPONENTS[request.method]
        return [kind.from_definition(dict(one), server) for one in value[entries]]
    result = request.normalize(value)
    match result:
        case CallToolResult():
            raw = result.structuredContent
            structured = codec.decode(bytes(raw)) if isinstance(raw, msgspec.Raw) else raw or None
            return ToolResult(list(result.content), structured, result._meta, bool(result.isError))
        case ReadResourceResult():
            return ResourceResult([_to_content(one) for one in result.contents], result._meta)
        case GetPromptResult():
            messages = [Message(one.content, one.role) for one in result.messages]
            return PromptResult(messages, result.description, result._meta)
    return value


def _to_content(one: Any) -> ResourceContent:
    plain = media.to_plain_block(one)
    content = plain.text if hasattr(plain, "text") else a2b_base64(plain.blob)
    return ResourceContent(content, plain.mimeType, plain._meta)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two forms for a hook are equal."""
    if isinstance(one, list):
        return len(one) == len(other) and all(
            a is b or (isinstance(a, Component) and a.to_definition() == b.to_definition())
            for a, b in zip(one, other, strict=True)
        )
    slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
    return all(getattr(one, name) == getattr(other, name) for name in slots)


def _to_ours(request: MiddlewareRequest, server: Server, result: Any, value: Any) -> Any:
    """What the server gets from a hook; a list has the other members of the page that it changes."""
    if request.method not in _COMPONENTS or not isinstance(result, list | tuple):
        return result
    listed = {_COMPONENTS[request.method][0]: [one.to_definition() for one in result]}
    if isinstance(value, dict):
        return value | listed
    revision = request._request.revision
    hints = {"ttlMs": 0, "cacheScope": "private"} if revision.cache_hints else {}
    return with_server_info(listed | hints, server, revision)
