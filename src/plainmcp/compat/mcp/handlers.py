"""Runs handlers of whole methods, as the official SDK's low-level servers have them, on plainmcp's path of a call.

A handler gets a request and returns a result; here its result is written for the revision of the client.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from ...context import LOG_LEVELS
from ...errors import InvalidParams, ProtocolError
from ...protocol import describe, project
from ...protocol.exchange import Exchange
from ...protocol.features import Feature
from ...protocol.plan import Plan, add_server_info, start_call, with_server_info
from ...protocol.request import Request
from ...schema import subschemas
from ...server import Server
from ...types import (
    CallToolResult,
    GetPromptResult,
    Prompt,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    Tool,
    parse_block,
    parse_contents,
)
from ...wire import jsonrpc
from ..coded_error import has_code, to_protocol_error
from . import types
from .context import enter_context
from .exceptions import McpError
from .input_required import ask_for_input, is_input_required
from .loaded_types import to_loaded, to_server_result
from .wire_model import to_wire

__all__ = ["REQUESTS", "RESULTS", "Handler", "RequestHandlers"]

Handler = Callable[[Any], Awaitable[Any]]
"""Takes a request of the SDK, and returns a result or a ServerResult."""

REQUESTS: dict[str, type[types.Request]] = {
    "tools/list": types.ListToolsRequest,
    "tools/call": types.CallToolRequest,
    "resources/list": types.ListResourcesRequest,
    "resources/templates/list": types.ListResourceTemplatesRequest,
    "resources/read": types.ReadResourceRequest,
    "resources/subscribe": types.SubscribeRequest,
    "resources/unsubscribe": types.UnsubscribeRequest,
    "prompts/list": types.ListPromptsRequest,
    "prompts/get": types.GetPromptRequest,
    "completion/complete": types.CompleteRequest,
    "logging/setLevel": types.SetLevelRequest,
}
"""The class of the requests of each method that a handler can answer."""

RESULTS: dict[str, Any] = {
    "tools/list": types.ListToolsResult,
    "tools/call": types.CallToolResult,
    "resources/list": types.ListResourcesResult,
    "resources/templates/list": types.ListResourceTemplatesResult,
    "resources/read": types.ReadResourceResult,
    "resources/subscribe": types.EmptyResult,
    "resources/unsubscribe": types.EmptyResult,
    "prompts/list": types.ListPromptsResult,
    "prompts/get": types.GetPromptResult,
    "completion/complete": types.CompleteResult,
    "logging/setLevel": types.EmptyResult,
}
"""The class of the results of each method that a handler can answer."""

_KINDS: dict[str, type[types.Request]] = {kind.__name__: kind for kind in REQUESTS.values()}
_METHODS: dict[object, str] = {kind: method for method, kind in REQUESTS.items()}
_PARAMS = ("name", "uri", "arguments", "cursor", "ref", "argument", "context", "level")


class RequestHandlers(dict[Any, Handler]):
    """The handlers of a server, by the class of their requests. One that is set answers its method from then on."""

    def __init__(self, server: Server, otherwise: Callable[[str], Handler] | None = None) -> None:
        super().__init__()
        self._server = server
        self._otherwise = otherwise

    def __getitem__(self, kind: Any) -> Handler:
        """The handler for a program that calls it: it returns the SDK's result where the handler returns data."""
        handler = self.handler_of(kind)
        result_type = RESULTS.get(_METHODS.get(_to_ours(kind), ""))

        async def handle(request: Any) -> Any:
            result = await handler(request)
            return to_server_result(result_type(**result)) if isinstance(result, dict) and result_type else result

        return handle

    def handler_of(self, kind: Any) -> Handler:
        """The handler as it is; raises KeyError."""
        kind = _to_ours(kind)
        method = _METHODS.get(kind)
        if super().__contains__(kind) or self._otherwise is None or method is None:
            return super().__getitem__(kind)
        return self._otherwise(method)

    def __contains__(self, kind: object) -> bool:
        kind = _to_ours(kind)
        return super().__contains__(kind) or (self._otherwise is not None and kind in _METHODS)

    def __setitem__(self, kind: Any, handler: Handler) -> None:
        kind = _to_ours(kind)
        super().__setitem__(kind, handler)
        method = _METHODS.get(kind)
        if method is not None:
            feature = _HandlerFeature(function=self._runner_of(handler), is_async=True, context="ctx", method=method)
            self._server.own_methods = {**self._server.own_methods, method: _starter_of(feature)}
            self._server._compile_methods()
            self._server.registry.features_of.pop(method, None)  # it exists without registered features too

    def _runner_of(self, handler: Handler) -> Callable[..., Any]:
        async def run(request: Any, ctx: Any) -> Any:
            with enter_context(ctx, self._server):
                try:
                    result = await handler(request)
                except ProtocolError:
                    raise
                except Exception as error:
                    raise to_protocol_error(error if has_code(error) else McpError(0, str(error))) from error
                if is_input_required(result):
                    ask_for_input(result, ctx)
            return to_wire(getattr(result, "root", result))

        return run


def _to_ours(kind: Any) -> Any:
    """The facade's class of a request, for the real package's class of that name."""
    return _KINDS.get(getattr(kind, "__name__", ""), kind)


def _starter_of(feature: "_HandlerFeature") -> Callable[[Any, Request], Exchange]:
    return partial(start_call, lambda server, request: (feature, None), _HandlerPlan)


class _HandlerFeature(Feature, kw_only=True):
    """A handler of a whole method."""

    method: str


class _HandlerPlan(Plan[_HandlerFeature]):
    """The call of a handler on one revision."""

    @property
    def title(self) -> str:
        """The name of the method in the log and in errors."""
        return f"Method {self.feature.method}"

    def bind(self, request: Request, arguments: Any) -> dict[str, Any]:
        """The request of the SDK; raises InvalidParams."""
        params = {name: request.params.get(name, Any) for name in _PARAMS if _is_given(request, name)}
        if request.meta is not None:
            params["_meta"] = types.RequestParams(**request.params.meta_as_dict())
        if params.get("level", LOG_LEVELS[0]) not in LOG_LEVELS:
            raise InvalidParams(f"params.level is one of {', '.join(LOG_LEVELS)}")
        if "uri" in params:
            params["uri"] = types.AnyUrl(params["uri"])
        return {"request": to_loaded(REQUESTS[self.feature.method](params=params))}

    def write(self, request: Request, value: Any) -> bytes:
        """The response with the result of the handler."""
        result = _WRITERS[self.feature.method](value or {}, self)
        return jsonrpc.encode_result(request.id, result)


def _is_given(request: Request, name: str) -> bool:
    value = getattr(request.params, name)
    return value is not msgspec.UNSET and value is not jsonrpc.ABSENT


# Results ------------------------------------------------------------------------------------------


def _page_writer(key: str, show: Callable[[dict[str, Any], Any], Any]) -> Callable[[Any, _HandlerPlan], Any]:
    def write(result: dict[str, Any], plan: _HandlerPlan) -> Any:
        page: dict[str, Any] = {key: [show(one, plan.revision) for one in result.get(key, ())]}
        if result.get("nextCursor") is not None:
            page["nextCursor"] = result["nextCursor"]
        if plan.revision.cache_hints:
            page["ttlMs"], page["cacheScope"] = _cache_of(result, plan)
        return with_server_info(page, plan.server, plan.revision)

    return write


def _cache_of(result: dict[str, Any], plan: _HandlerPlan) -> tuple[int, Any]:
    """How long a client may keep a result, and for whom: what the handler says, or else its server."""
    ttl, scope = plan.server.cache_of(plan.feature.method)
    return ttl if result.get("ttlMs") is None else result["ttlMs"], result.get("cacheScope") or scope


def _show_tool(wire: dict[str, Any], revision: Any) -> Any:
    tool = _convert(wire, Tool)
    schema = tool.outputSchema
    in_object = schema if schema is None or subschemas.is_object(schema) else subschemas.wrap(schema, "result")
    return describe.tool(tool, in_object, revision)


def _show_resource(wire: dict[str, Any], revision: Any) -> Any:
    return describe.resource(_convert(wire, Resource), revision)


def _show_template(wire: dict[str, Any], revision: Any) -> Any:
    return describe.resource(_convert(wire, ResourceTemplate), revision)


def _show_prompt(wire: dict[str, Any], revision: Any) -> Any:
    return describe.prompt(_convert(wire, Prompt), revision)


def _convert(wire: dict[str, Any], kind: Any) -> Any:
    """A definition, without the fields that the protocol does not have."""
    known = {name: value for name, value in wire.items() if name in kind.__struct_fields__ and value is not None}
    hints = known.get("annotations")
    if kind is Tool and isinstance(hints, dict):
        names = ("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        known["annotations"] = {name: value for name, value in hints.items() if name in names}
    return msgspec.convert(known, kind)


def _write_call(result: dict[str, Any], plan: _HandlerPlan) -> Any:
    structured = result.get("structuredContent")
    called = CallToolResult(
        content=[parse_block(block) for block in result.get("content", ())],
        structuredContent=msgspec.UNSET if structured is None else structured,
        isError=bool(result.get("isError")) or None,
        _meta=result.get("_meta"),
    )
    is_mirrored = isinstance(structured, dict)
    return add_server_info(project.tool_result(called, is_mirrored, plan.revision), plan.server, plan.revision)


def _write_read(result: dict[str, Any], plan: _HandlerPlan) -> Any:
    read = ReadResourceResult(contents=[parse_contents(one) for one in result.get("contents", ())])
    read.ttlMs, read.cacheScope = _cache_of(result, plan)
    return add_server_info(project.resource_result(read, plan.revision), plan.server, plan.revision)


def _write_prompt(result: dict[str, Any], plan: _HandlerPlan) -> Any:
    messages = [
        PromptMessage(role=one["role"], content=parse_block(one["content"])) for one in result.get("messages", ())
    ]
    prompt = GetPromptResult(description=result.get("description"), messages=messages)
    return add_server_info(project.prompt_result(prompt, plan.revision), plan.server, plan.revision)


def _write_plain(result: dict[str, Any], plan: _HandlerPlan) -> Any:
    return with_server_info(result, plan.server, plan.revision)


_WRITERS: dict[str, Callable[[Any, _HandlerPlan], Any]] = {
    "tools/list": _page_writer("tools", _show_tool),
    "tools/call": _write_call,
    "resources/list": _page_writer("resources", _show_resource),
    "resources/templates/list": _page_writer("resourceTemplates", _show_template),
    "resources/read": _write_read,
    "resources/subscribe": _write_plain,
    "resources/unsubscribe": _write_plain,
    "prompts/list": _page_writer("prompts", _show_prompt),
    "prompts/get": _write_prompt,
    "completion/complete": _write_plain,
    "logging/setLevel": _write_plain,
}
