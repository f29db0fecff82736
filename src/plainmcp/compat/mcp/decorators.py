"""The decorators of `mcp` 1's low-level server: each makes a handler of a function, and registers it."""

import base64
import json
from collections.abc import Callable
from typing import Any, TypeVar

from ...foreign.annotations import signature_of
from ...schema.subschemas import map_schemas
from ...schema.validator import Validator
from ...schema.wording import format_path
from . import types
from .exceptions import UrlElicitationRequiredError
from .handlers import RequestHandlers
from .helper_types import ReadResourceContents
from .wire_model import to_wire

__all__ = ["Decorators"]

F = TypeVar("F", bound=Callable[..., Any])


class Decorators:
    """The decorators; `request_handlers` is where their handlers go."""

    request_handlers: RequestHandlers

    def list_tools(self) -> Callable[[F], F]:
        """Answer tools/list with what a function returns: a list of tools, or a whole result."""
        return self._lister(types.ListToolsRequest, "tools")

    def list_resources(self) -> Callable[[F], F]:
        """Answer resources/list with what a function returns."""
        return self._lister(types.ListResourcesRequest, "resources")

    def list_resource_templates(self) -> Callable[[F], F]:
        """Answer resources/templates/list with what a function returns."""
        return self._lister(types.ListResourceTemplatesRequest, "resourceTemplates")

    def list_prompts(self) -> Callable[[F], F]:
        """Answer prompts/list with what a function returns."""
        return self._lister(types.ListPromptsRequest, "prompts")

    def _lister(self, kind: Any, key: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            takes_request = bool(signature_of(function).parameters)

            async def handle(request: Any) -> Any:
                result = await (function(request) if takes_request else function())
                wire = result if isinstance(result, (list, tuple)) else to_wire(result)
                return wire if isinstance(wire, dict) else {key: [to_wire(one) for one in wire]}

            self.request_handlers[kind] = handle
            return function

        return register

    def call_tool(self, *, validate_input: bool = True) -> Callable[[F], F]:
        """Answer tools/call by a function of the name and the arguments; by default these fit the listed schema."""

        def register(function: F) -> F:
            async def handle(request: Any) -> Any:
                name, arguments = request.params.name, request.params.arguments or {}
                try:
                    tool = await self._find_tool(name)
                    problem = _problem_of(arguments, tool, "inputSchema") if validate_input else None
                    if problem is not None:
                        return _failed(f"Input validation error: {problem}")
                    return _to_result(await function(name, arguments), tool)
                except UrlElicitationRequiredError:
                    raise
                except Exception as error:
                    return _failed(str(error))

            self.request_handlers[types.CallToolRequest] = handle
            return function

        return register

    async def _find_tool(self, name: str) -> dict[str, Any] | None:
        """The definition of a tool, as its server lists it."""
        if types.ListToolsRequest not in self.request_handlers:
            return None
        result = await self.request_handlers.handler_of(types.ListToolsRequest)(types.ListToolsRequest())
        wire = to_wire(getattr(result, "root", result))
        return next((tool for tool in wire.get("tools", ()) if tool.get("name") == name), None)

    def read_resource(self) -> Callable[[F], F]:
        """Answer resources/read by a function of the URI: it returns text, bytes, or a list of contents."""

        def register(function: F) -> F:
            async def handle(request: Any) -> Any:
                uri = request.params.uri
                uri = uri if hasattr(uri, "scheme") else types.AnyUrl(str(uri))  # `mcp` 2 has a plain text
                value = await function(uri)
                parts = [value] if isinstance(value, (str, bytes)) else list(value)
                return {"contents": [_to_contents(part, str(uri)) for part in parts]}

            self.request_handlers[types.ReadResourceRequest] = handle
            return function

        return register

    def get_prompt(self) -> Callable[[F], F]:
        """Answer prompts/get by a function of the name and the arguments."""

        def register(function: F) -> F:
            async def handle(request: Any) -> Any:
                return await function(request.params.name, request.params.arguments)

            self.request_handlers[types.GetPromptRequest] = handle
            return function

        return register

    def completion(self) -> Callable[[F], F]:
        """Answer completion/complete by a function of the reference, the argument and the context."""

        def register(function: F) -> F:
            async def handle(request: Any) -> Any:
                params = request.params
                completion = await function(params.ref, params.argument, params.context)
                return {"completion": {"values": []} if completion is None else to_wire(completion)}

            self.request_handlers[types.CompleteRequest] = handle
            return function

        return register

    def subscribe_resource(self) -> Callable[[F], F]:
        """Answer resources/subscribe by a function of the URI."""
        return self._notified(types.SubscribeRequest, "uri")

    def unsubscribe_resource(self) -> Callable[[F], F]:
        """Answer resources/unsubscribe by a function of the URI."""
        return self._notified(types.UnsubscribeRequest, "uri")

    def set_logging_level(self) -> Callable[[F], F]:
        """Answer logging/setLevel by a function of the level."""
        return self._notified(types.SetLevelRequest, "level")

    def _notified(self, kind: Any, field: str) -> Callable[[F], F]:
        def register(function: F) -> F:
            async def handle(request: Any) -> Any:
                await function(getattr(request.params, field))
                return {}

            self.request_handlers[kind] = handle
            return function

        return register

    def progress_notification(self) -> Callable[[F], F]:
        """Take a function for the client's progress; clients report none to a server of ours."""
        return lambda function: function


# Results ------------------------------------------------------------------------------------------


def _failed(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _problem_of(data: Any, tool: dict[str, Any] | None, which: str) -> str | None:
    """The first problem of data with a schema of a tool; None if it fits, or if there is no schema."""
    schema = None if tool is None else tool.get(which)
    if schema is None:
        return None
    validator = Validator(_without_formats(schema))
    if validator.is_valid(data):
        return None
    problem = next(iter(validator.find_problems(data)))
    place = format_path(problem.keys)
    return f"{place}: {problem.text}" if place else problem.text


def _without_formats(schema: Any) -> Any:
    """A schema without the keyword format, which the SDK does not check."""
    return map_schemas({key: value for key, value in schema.items() if key != "format"}, _without_formats)


def _to_result(value: Any, tool: dict[str, Any] | None) -> Any:
    """The result of what a function returned: content, structured content, both, or a whole result."""
    wire = to_wire(value)
    if wire is not value and isinstance(wire, dict) and "content" in wire:
        return wire
    structured: Any = None
    if isinstance(value, tuple) and len(value) == 2:
        content, structured = value
    elif isinstance(value, dict):
        content, structured = [types.TextContent(text=json.dumps(value, indent=2))], value
    elif hasattr(value, "__iter__"):
        content = value
    else:
        return _failed(f"Unexpected return type from tool: {type(value).__name__}")
    if tool is not None and tool.get("outputSchema") is not None:
        if structured is None:
            return _failed("Output validation error: outputSchema defined but no structured output returned")
        problem = _problem_of(structured, tool, "outputSchema")
        if problem is not None:
            return _failed(f"Output validation error: {problem}")
    result = {"content": [to_wire(block) for block in content]}
    return result if structured is None else result | {"structuredContent": structured}


def _to_contents(part: Any, uri: str) -> dict[str, Any]:
    if isinstance(part, (str, bytes)):
        part = ReadResourceContents(part)
    if not hasattr(part, "content"):
        wire: dict[str, Any] = to_wire(part)
        return wire
    meta = {} if getattr(part, "meta", None) is None else {"_meta": part.meta}
    if isinstance(part.content, bytes):
        blob = base64.b64encode(part.content).decode()
        return {"uri": uri, "mimeType": part.mime_type or "application/octet-stream", "blob": blob, **meta}
    return {"uri": uri, "mimeType": part.mime_type or "text/plain", "text": part.content, **meta}
