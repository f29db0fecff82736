"""How a program asks a server of FastMCP for its own features, and uses them, as a client would."""

import copy
import re
from typing import Any, TypeVar

from ...client import ClientMessages, RpcError, read_result
from ...revisions import LATEST_HANDSHAKE
from ...server import Server
from ...wire import codec
from .components import Component, Prompt, ResourceTemplate, Tool, list_of
from .exceptions import NotFoundError, PromptError, ResourceError, ResourceSecurityError, ToolError, ValidationError
from .pieces import Message, PromptResult, ResourceResult, ToolResult, contents_of, to_tool_result
from .protocol_types import to_block
from .resource_types import Resource

__all__ = ["Asking"]

C = TypeVar("C", bound=Component)
T = TypeVar("T")


_KINDS = {"tools/call": "tool", "resources/read": "resource", "prompts/get": "prompt"}


class Asking:
    """The methods of FastMCP that list its own features, and use them."""

    async def list_tools(self: Any, **options: Any) -> list[Tool]:
        """The tools that a client is listed."""
        return await self._components("tools/list", "tools", Tool)  # type: ignore[no-any-return]

    async def list_resources(self: Any, **options: Any) -> list[Resource]:
        """The resources that a client is listed."""
        return await self._components("resources/list", "resources", Resource)  # type: ignore[no-any-return]

    async def list_resource_templates(self: Any, **options: Any) -> list[ResourceTemplate]:
        """The resource templates that a client is listed."""
        return await self._components(  # type: ignore[no-any-return]
            "resources/templates/list", "resourceTemplates", ResourceTemplate
        )

    async def list_prompts(self: Any, **options: Any) -> list[Prompt]:
        """The prompts that a client is listed."""
        return await self._components("prompts/list", "prompts", Prompt)  # type: ignore[no-any-return]

    async def get_tools(self) -> dict[str, Tool]:
        """The tools by name."""
        return {one.name: one for one in await self.list_tools()}

    async def get_resources(self) -> dict[str, Resource]:
        """The resources by URI."""
        return {one.uri: one for one in await self.list_resources()}

    async def get_resource_templates(self) -> dict[str, ResourceTemplate]:
        """The resource templates by URI template."""
        return {one.key: one for one in await self.list_resource_templates()}

    async def get_prompts(self) -> dict[str, Prompt]:
        """The prompts by name."""
        return {one.name: one for one in await self.list_prompts()}

    async def get_tool(self, name: str, version: Any = None) -> Tool:
        """A tool; raises NotFoundError."""
        return _get(await self.get_tools(), name, "tool")

    async def get_resource(self, uri: str, version: Any = None) -> Resource:
        """A resource; raises NotFoundError."""
        return _get(await self.get_resources(), str(uri), "resource")

    async def get_resource_template(self, uri_template: str, version: Any = None) -> ResourceTemplate:
        """A resource template; raises NotFoundError."""
        return _get(await self.get_resource_templates(), uri_template, "resource template")

    async def get_prompt(self, name: str, version: Any = None) -> Prompt:
        """A prompt; raises NotFoundError."""
        return _get(await self.get_prompts(), name, "prompt")

    async def call_tool(self: Any, name: str, arguments: dict[str, Any] | None = None, **options: Any) -> ToolResult:
        """Call a tool; raises ToolError if it fails, NotFoundError if there is none."""
        params = {"name": name, "arguments": arguments or {}}
        result = await self._ask("tools/call", params, ToolError, name, **options)
        if result.get("isError"):
            text = "\n".join(block.get("text", "") for block in result["content"])
            raise _failure_of(text, name)(text)
        return to_tool_result(result)

    async def read_resource(self: Any, uri: str, **options: Any) -> ResourceResult:
        """The contents of a resource; raises ResourceError if it fails, NotFoundError if there is none."""
        return contents_of(await self._ask("resources/read", {"uri": str(uri)}, ResourceError, str(uri), **options))

    async def render_prompt(
        self: Any, name: str, arguments: dict[str, Any] | None = None, **options: Any
    ) -> PromptResult:
        """The messages of a prompt; raises PromptError if it fails, NotFoundError if there is none."""
        params = {"name": name, "arguments": arguments or {}}
        result = await self._ask("prompts/get", params, PromptError, name, **options)
        messages = [Message(to_block(one["content"]), one["role"]) for one in result["messages"]]
        return PromptResult(messages, result.get("description"), result.get("_meta"))

    async def _components(self: Any, method: str, field: str, kind: type[C]) -> list[C]:
        components: list[C] = []
        cursor: str | None = None
        while True:
            page = await self._ask(method, {"cursor": cursor}, NotFoundError)
            components += [self._component_of(kind, one) for one in page[field]]
            cursor = page.get("nextCursor")
            if cursor is None:
                list_of(self.registry, kind.kind).forget_pages()  # a program may change a schema in its place
                return components

    def _component_of(self: Any, kind: type[C], definition: dict[str, Any]) -> C:
        """The object for a definition in a list: always the same one, as long as a feature is registered."""
        listed = kind.from_definition(definition, self)
        feature = list_of(self.registry, kind.kind).registered.get(listed.key)
        if feature is None or feature.through:
            return listed  # made by middleware, or of a mounted server
        kept: Any = self._kept_components.get((kind.kind, listed.key))
        if kept is not None and kept.feature is feature and kept.describes(listed):
            return kept  # type: ignore[no-any-return]
        function: Any = kind.function_class.from_definition(definition, self)
        function.stand_for(self, feature)
        self._kept_components[kind.kind, listed.key] = function
        return function  # type: ignore[no-any-return]

    def _keep(self: Any, item: T) -> T:
        """Let an object that was registered stand for its feature from now on."""
        if isinstance(item, Component):
            features = list_of(self.registry, item.kind)
            if item.key in features.registered:
                item.stand_for(self, features.registered[item.key])
                self._kept_components[item.kind, item.key] = item
        return item

    async def _ask(
        self: Any,
        method: str,
        params: dict[str, Any],
        failure: type[Exception],
        key: str | None = None,
        *,
        run_middleware: bool = True,
        **options: Any,
    ) -> dict[str, Any]:
        """The result of a method; raises NotFoundError if nothing has the key, and another exception if it fails."""
        server = self if run_middleware else _without_middleware(self)
        message = ClientMessages(LATEST_HANDSHAKE).build_request(method, params)
        raw = await Server.handle_async(server, message, revision=LATEST_HANDSHAKE)
        try:
            return codec.decode(read_result(raw or b""))  # type: ignore[no-any-return]
        except RpcError as error:
            text = error.message
        if key is not None and text.startswith(("Unknown ", "Resource not found", "Method not found")):
            kind = ResourceSecurityError if method == "resources/read" and _leads_out(key) else NotFoundError
            raise kind(f"Unknown {_KINDS[method]}: {key!r}")
        raise failure(text)


def _leads_out(uri: str) -> bool:
    """Whether a URI has what no variable of a template takes: a segment `..`, an absolute path, or a null byte."""
    path = uri.partition("://")[2]
    return "\0" in uri or ".." in path.split("/") or path.startswith("//")


def _failure_of(text: str, tool: str) -> type[Exception]:
    if text == f"Unknown tool: {tool!r}":
        return NotFoundError
    return ValidationError if re.match(rf"\d+ validation errors? for call\[{re.escape(tool)}\]", text) else ToolError


def _without_middleware(server: Server) -> Server:
    """The same server, whose requests do not pass through its middleware."""
    other = copy.copy(server)
    other.methods, other.chain = server.methods_without_middleware(), ()
    return other


def _get(components: dict[str, C], key: str, kind: str) -> C:
    if key not in components:
        raise NotFoundError(f"Unknown {kind}: {key!r}")
    return components[key]
