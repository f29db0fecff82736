"""`MCPServer` of OpenMCP: plainmcp's server with its constructor, its collections and its ways to serve."""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from ... import context
from ...errors import AuthorError
from ...policy import Policy
from ...schema import signature
from ...server import Server
from ...types import CallToolResult, GetPromptResult, ReadResourceResult
from ..mcp.server_info import to_icons
from ..mcp.settings import asgi_options, settings_of
from ..mcp.wire_model import to_wire
from ..wrap import with_context
from .configs import ServerConfig
from .context import Context, enter_context, get_context
from .marks import bound_server, marks_of
from .prompts import adapt_completion, adapt_prompt

__all__ = ["MCPServer"]

_IGNORED = ("notification_flags", "experimental_capabilities", "notification_sink", "allow_dynamic_tools")
"""Options that change nothing here: changes of lists are always announced, and tools can always be added."""
_REFUSED = {
    "authorization": "check callers in ASGI middleware, and pass asgi(principal=…)",
    "connections": "keep secrets in your own settings, and call services with your own client",
    "connector_kind": "call services with your own client",
    "connector_params": "call services with your own client",
    "auth_methods": "check callers in ASGI middleware, and pass asgi(principal=…)",
}
_HTTP = ("streamable-http", "streamable_http", "http", "shttp")


class MCPServer(Server):
    """A server with the policy "openmcp"; takes the options of OpenMCP's, and those of plainmcp.Server."""

    def __init__(
        self,
        name: str,
        version: str | None = None,
        *,
        config: ServerConfig | None = None,
        icons: Any = None,
        transport: str | None = None,
        http_security: Any = None,
        streamable_http_stateless: bool = True,
        policy: Policy | str = "openmcp",
        **options: Any,
    ) -> None:
        for option, advice in _REFUSED.items():
            if options.pop(option, None):
                raise AuthorError(f"MCPServer({option}=) is not supported by plainmcp; {advice}")
        known = {key: value for key, value in options.items() if key not in (*_IGNORED, "authorization_server")}
        known.pop("resource_uri", None)
        config = config or ServerConfig()
        if config.pagination_limit is not None:
            known.setdefault("page_size", config.pagination_limit)
        icons = to_icons(icons if icons is not None else config.icons)
        super().__init__(name, version or "0.0.0", policy=policy, icons=icons, **known)
        self._transport = (transport or "streamable-http").lower()
        self._http: dict[str, Any] = {
            "stateless_http": streamable_http_stateless,
            "transport_security": http_security,
        }
        self._completed: dict[str, Callable[..., Any]] = {}

    @property
    def name(self) -> str:
        """The server's name."""
        return self.info.name

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools."""
        return list(self.registry.tools.features)

    @property
    def prompt_names(self) -> list[str]:
        """The names of the prompts."""
        return list(self.registry.prompts.features)

    # Registering ----------------------------------------------------------------------------------

    def collect(self, *functions: Callable[..., Any]) -> None:
        """Register functions that `tool`, `resource`, `prompt` and the other decorators have marked."""
        for function in functions:
            marks = marks_of(function)
            if not marks:
                name = getattr(function, "__name__", repr(function))
                raise AuthorError(f"{name} is marked neither as a tool nor as a resource or a prompt")
            for offer in marks:
                offer(self, function)

    def collect_from(self, *modules: ModuleType) -> None:
        """Register the marked functions of modules, apart from those whose name starts with an underscore."""
        for module in modules:
            for name, value in vars(module).items():
                if not name.startswith("_") and callable(value) and marks_of(value):
                    self.collect(value)

    register_tool = register_resource = register_resource_template = register_prompt = register_completion = collect

    @contextmanager
    def binding(self) -> Generator["MCPServer", None, None]:
        """Register functions that are marked inside a `with` block."""
        token = bound_server.set(self)
        try:
            yield self
        finally:
            bound_server.reset(token)

    collecting = binding  # the name in an earlier version of that package

    def allow_tools(self, names: Iterable[str] | None) -> None:
        """Offer only the tools of these names; all with None."""
        self.enable(kinds=["tool"])
        if names is not None:
            self.disable(names=set(self.registry.tools.registered) - set(names), kinds=["tool"])

    def add_tool(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Offer a function as a tool, with the options of OpenMCP."""
        details = _to_options(options)
        if details.pop("required_scopes", None):
            raise AuthorError(
                "@tool(required_scopes=) is not supported by plainmcp; read ctx.auth_context in the tool"
            )
        enabled = details.pop("enabled", None)
        if enabled is not None:
            details["visible"] = lambda principal: bool(enabled(self))
        self.tool(**details)(self._with_context(function))

    def add_resource(self, function: Callable[..., Any], uri: str, options: dict[str, Any]) -> None:
        """Offer a function as the resource at a URI, or the resources at a template."""
        self.resource(uri, **_to_options(options))(self._with_context(function))
        self._complete(uri)

    def add_prompt(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Offer a function as a prompt, with the options of OpenMCP."""
        details = _to_options(options)
        run = adapt_prompt(function, details.pop("arguments", None))
        self.prompt(**details)(self._with_context(run))
        self._complete(str(details.get("name") or getattr(function, "__name__", "")))

    def add_completion(self, function: Callable[..., Any], ref: str) -> None:
        """Suggest values for all arguments of a prompt or a template, which may also be registered later."""
        self._completed[ref] = function
        self._complete(ref)

    def _complete(self, ref: str) -> None:
        """Register the completion of a prompt or a template, once both are known."""
        function = self._completed.get(ref)
        template, prompt = self.registry.templates.features.get(ref), self.registry.prompts.features.get(ref)
        names: Iterable[str] = ()
        if template is not None:
            names = template.template.names
        elif prompt is not None:
            names = [one.name for one in prompt.definition.arguments or ()]
        for name in names:
            if function is not None:
                self.completion(ref, name)(adapt_completion(function, name))

    def _with_context(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that runs inside OpenMCP's context; one that takes plainmcp's context stays as it is."""
        if signature.read(function, context_type=context.Context).context is not None:
            return function
        read = signature.read(function, context_type=Context)
        run: Any = with_context(function, read, partial(enter_context, self))
        if read.context is not None:  # plainmcp passes its own context, of which with_context makes OpenMCP's
            parameters = dict(run.__signature__.parameters)
            parameters[read.context] = parameters[read.context].replace(annotation=context.Context)
            run.__signature__ = run.__signature__.replace(parameters=list(parameters.values()))
        return run  # type: ignore[no-any-return]

    # Use inside a program -------------------------------------------------------------------------

    async def invoke_tool(self, name: str, **arguments: Any) -> CallToolResult:
        """The result of a tool, also one that failed."""
        return await self.call_tool(name, arguments, raise_on_error=False)

    async def invoke_resource(self, uri: str) -> ReadResourceResult:
        """The contents of a resource."""
        return await self.read_resource(uri)

    async def invoke_prompt(self, name: str, *, arguments: dict[str, str] | None = None) -> GetPromptResult:
        """The messages of a prompt."""
        return await self.get_prompt(name, arguments)

    async def request_sampling(self, params: Any) -> Any:
        """Ask the model of the client whose request is being answered; returns CreateMessageResult."""
        plain = to_wire(params)
        options = {_SAMPLING[key]: value for key, value in plain.items() if key in _SAMPLING}
        return await get_context().session.create_message(plain["messages"], max_tokens=plain["maxTokens"], **options)

    async def request_elicitation(self, params: Any) -> Any:
        """Ask the user of the client whose request is being answered; returns ElicitResult."""
        plain = to_wire(params)
        return await get_context().session.elicit(plain["message"], plain["requestedSchema"])

    async def log_message(self, level: str, data: Any, *, logger: str | None = None) -> None:
        """Send a log message to the client whose request is being answered."""
        await get_context().session.send_log_message(level, data, logger)

    async def notify_resource_updated(self, uri: str) -> None:
        """Notify the subscribers of a resource that it changed."""
        self.resource_updated(str(uri))

    async def notify_resources_list_changed(self) -> None:
        """Notify the clients that the list of resources changed."""
        self.resources_changed()

    async def notify_tools_list_changed(self) -> None:
        """Notify the clients that the list of tools changed."""
        self.tools_changed()

    async def notify_prompts_list_changed(self) -> None:
        """Notify the clients that the list of prompts changed."""
        self.prompts_changed()

    # Serving --------------------------------------------------------------------------------------

    async def serve(
        self,
        *,
        transport: str | None = None,
        host: str = "127.0.0.1",
        port: int | None = None,
        path: str = "/mcp",
        log_level: str = "info",
        uvicorn_options: Any = None,
        **options: Any,
    ) -> None:
        """Serve over HTTP, or with transport "stdio" on standard input and output, in the program's event loop."""
        chosen = (transport or self._transport).lower()
        if chosen == "stdio":
            await self.serve_stdio()
        elif chosen in _HTTP:
            await self.serve_streamable_http(host, port, path, log_level, **(uvicorn_options or {}))
        else:
            raise AuthorError(f"there is no transport {chosen!r}; there are stdio and streamable-http")

    async def serve_stdio(self, **options: Any) -> None:
        """Serve on standard input and output, in the program's event loop."""
        await self.run_async()

    async def serve_streamable_http(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        path: str = "/mcp",
        log_level: str = "info",
        *,
        validate: bool = True,
        announce: bool = True,
        **uvicorn_options: Any,
    ) -> None:
        """Serve over HTTP, in the program's event loop; the port is that of the variable PORT, or 8000."""
        number = int(os.environ.get("PORT", "8000")) if port is None else port
        address = f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
        settings = asgi_options(settings_of({"host": host, **self._http}))
        await self.run_async(address, path=path, uvicorn={"log_level": log_level, **uvicorn_options}, **settings)


_SAMPLING = {
    "systemPrompt": "system_prompt",
    "includeContext": "include_context",
    "temperature": "temperature",
    "stopSequences": "stop_sequences",
    "metadata": "metadata",
    "modelPreferences": "model_preferences",
    "tools": "tools",
    "toolChoice": "tool_choice",
}


def _to_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of a feature without those that are None; the types of `mcp` become plain data."""
    details = {name: to_wire(value) for name, value in options.items() if value is not None}
    if "icons" in details:
        details["icons"] = to_icons(list(details["icons"]))
    if "tags" in details:
        details["tags"] = sorted(details["tags"])
    return details
