"""The server of FastMCP: plainmcp's server with its decorators and arguments."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import EllipsisType
from typing import Any, Literal, TypeVar, overload

from ... import context
from ...errors import AuthorError
from ...policy import Policy
from ...protocol.option_check import with_checked_options
from ...schema import signature
from ...server import Server
from ...transports.http.path import PATH
from ..http_app import HttpApp
from ..wrap import with_context
from . import missing
from .context import Context, enter_context
from .options import decorate, function_of, to_feature_options, to_options
from .pieces import Tool

__all__ = ["FastMCP"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_log = logging.getLogger("plainmcp")


@missing.reject_attributes(missing.IN_THE_SERVER)
class FastMCP(Server):
    """A server with the policy "fastmcp"; takes the arguments of FastMCP and those of plainmcp.Server."""

    def __init__(
        self,
        name: str | None = None,
        instructions: str | None = None,
        *,
        version: str | float | None = None,
        tools: Sequence[Tool | Callable[..., Any]] | None = None,
        on_duplicate: Literal["warn", "replace", "error"] | None = None,
        mask_error_details: bool | None = None,
        strict_input_validation: bool = False,
        policy: Policy | str = "fastmcp",
        **options: Any,
    ) -> None:
        options = to_options(options)
        if mask_error_details is False:
            raise AuthorError("error details are always masked; raise a ToolError with what the model may read")
        self._on_duplicate = on_duplicate or "warn"
        if self._on_duplicate not in ("warn", "replace", "error"):
            raise AuthorError(f"on_duplicate is warn, replace or error, not {on_duplicate!r}")
        options.setdefault("lenient_arguments", not strict_input_validation)
        shown = "0.0.0" if version is None else str(version)
        super().__init__(name or "FastMCP", shown, instructions=instructions, policy=policy, **options)
        for one in tools or ():
            self.add_tool(one)

    @property
    def name(self) -> str:
        """The server's name."""
        return self.info.name

    @property
    def version(self) -> str:
        """The server's version."""
        return self.info.version

    # Registering ----------------------------------------------------------------------------------

    @overload
    def tool(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def tool(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def tool(
        self,
        name_or_fn: Any = None,
        /,
        *,
        output_schema: dict[str, Any] | EllipsisType | None = ...,
        run_in_thread: bool | None = True,
        **options: Any,
    ) -> Any:
        """Offer a function as a tool: `@mcp.tool`, `@mcp.tool()`, `@mcp.tool("name")` or `@mcp.tool(name=…, …)`.

        `output_schema=None` announces no schema, and `enabled=False` hides the tool. Also takes the options of
        plainmcp.Server.tool.
        """
        converted: dict[str, Any] = to_feature_options(options) | ({"inline": True} if run_in_thread is False else {})
        if output_schema is not ...:
            converted["output_schema"] = False if output_schema is None else output_schema

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            name = converted.get("name") or read.name
            final = self._with_replace(converted, "tool", name, self.registry.tools)
            if read.returns in (list, list[Any]):
                final.setdefault("output_schema", False)  # may be content as well as data
            super(FastMCP, self).tool(**final)(
                with_context(function, read, self._enter, has_schema=output_schema is not None)
            )
            return function

        return decorate(name_or_fn, converted, register)

    @with_checked_options("@mcp.resource", 'write @mcp.resource("memo://notes")')
    def resource(self, uri: str, **options: Any) -> Callable[[F], F]:
        """Offer a function as the resource at a URI or a URI template; takes the options of Server.resource."""
        converted = to_feature_options(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            final = self._with_replace(converted, "resource", uri, self.registry.resources, self.registry.templates)
            super(FastMCP, self).resource(uri, **final)(with_context(function, read, self._enter))
            return function

        return register

    @overload
    def prompt(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def prompt(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def prompt(self, name_or_fn: Any = None, /, **options: Any) -> Any:
        """Offer a function as a prompt: `@mcp.prompt`, `@mcp.prompt()`, `@mcp.prompt("name")` or with options."""
        converted = to_feature_options(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            final = self._with_replace(converted, "prompt", converted.get("name") or read.name, self.registry.prompts)
            super(FastMCP, self).prompt(**final)(with_context(function, read, self._enter))
            return function

        return decorate(name_or_fn, converted, register)

    def add_tool(self, tool: T) -> T:
        """Offer a function, or the value of Tool.from_function, as a tool."""
        function, options = function_of(tool)
        self.tool(function, **options)
        return tool

    def add_prompt(self, prompt: T) -> T:
        """Offer a function, or the value of Prompt.from_function, as a prompt."""
        function, options = function_of(prompt)
        self.prompt(function, **options)
        return prompt

    def add_resource(self, resource: T) -> T:
        """Offer the value of Resource.from_function or ResourceTemplate.from_function as a resource."""
        function, options = function_of(resource)
        uri = options.pop("uri", None) or options.pop("uri_template", None)
        if uri is None:
            raise AuthorError(
                "a resource needs a URI: Resource.from_function(function, uri=…), or @mcp.resource(uri)"
            )
        self.resource(str(uri), **options)(function)
        return resource

    add_template = add_resource

    def _enter(self, inner: context.Context) -> AbstractContextManager[Context]:
        return enter_context(inner, self)

    def _with_replace(self, converted: dict[str, Any], kind: str, key: str, *features: Any) -> dict[str, Any]:
        """The options of a feature, with `replace` set as `on_duplicate` wants it; logs a warning for a duplicate."""
        if self._on_duplicate == "warn" and any(key in kind_features for kind_features in features):
            _log.warning("the %s %r is registered again; the new one is used", kind, key)
        return {"replace": self._on_duplicate != "error", **converted}

    # Serving --------------------------------------------------------------------------------------

    def run(  # type: ignore[override]
        self,
        transport: str | None = None,
        *,
        http: str | None = None,
        host: str = "127.0.0.1",
        port: int = 8000,
        path: str | None = None,
        show_banner: object = None,
        log_level: str | None = None,
        uvicorn_config: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Serve on standard input and output, or with transport "http" at a host, a port and a path.

        Also takes the options of plainmcp.Server.run; there is no banner.
        """
        del show_banner
        if transport in ("http", "streamable-http"):
            http = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        elif transport not in (None, "stdio"):
            raise AuthorError(f"there is no transport {transport!r}; there are stdio, http and streamable-http")
        if http is not None:
            level = {} if log_level is None else {"log_level": log_level.lower()}
            at = {} if path is None else {"path": path}  # passed on beside uvicorn's options
            options["uvicorn"] = {**at, **level, **(uvicorn_config or {}), **(options.get("uvicorn") or {})}
        super().run(http, **to_options(options))

    def http_app(self, path: str | None = None, *, transport: str = "http", **settings: Any) -> Any:
        """An ASGI application at a path; its `lifespan` is for the application that mounts it.

        Takes stateless_http, allowed_hosts and allowed_origins, and the options of plainmcp.Server.asgi.
        """
        if transport not in ("http", "streamable-http"):
            raise AuthorError(f"there is no transport {transport!r} over HTTP; there are http and streamable-http")
        return HttpApp(self.asgi(**to_options(settings)), PATH if path is None else path)
