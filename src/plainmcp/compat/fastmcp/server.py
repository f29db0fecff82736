"""The server there: plainmcp's own, which registers and runs by that package's words."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from types import EllipsisType
from typing import Any, Literal, TypeVar, overload

from ...errors import AuthorError
from ...policy import Policy
from ...protocol.option_check import with_checked_options
from ...schema import signature
from ...server import Server
from ...transports.http.path import PATH, at_path
from . import elsewhere
from .context import Context
from .pieces import Tool
from .taking import taken
from .words import decorating, offered, ours, told

__all__ = ["FastMCP"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_log = logging.getLogger("plainmcp")


@elsewhere.without(elsewhere.IN_THE_SERVER)
class FastMCP(Server):
    """A server under the policy "fastmcp"; takes that package's arguments, and what plainmcp.Server takes."""

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
        options = ours(options)
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
        """What the server calls itself."""
        return self.info.name

    @property
    def version(self) -> str:
        """The version it says it is."""
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

        `output_schema=None` promises nothing, and with `enabled=False` nobody sees the tool. Takes besides what
        plainmcp's own `tool` takes.
        """
        given: dict[str, Any] = told(options) | ({"inline": True} if run_in_thread is False else {})
        if output_schema is not ...:
            given["output_schema"] = False if output_schema is None else output_schema

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            name = given.get("name") or read.name
            placed = self._placed(given, "tool", name, self.registry.tools)
            if read.returns in (list, list[Any]):
                placed.setdefault("output_schema", False)  # as likely content as data
            super(FastMCP, self).tool(**placed)(taken(function, read, self, promised=output_schema is not None))
            return function

        return decorating(name_or_fn, given, register)

    @with_checked_options("@mcp.resource", 'write @mcp.resource("memo://notes")')
    def resource(self, uri: str, **options: Any) -> Callable[[F], F]:
        """Offer a function as the resource at a URI, or as a family of them; takes what ours takes."""
        given = told(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            placed = self._placed(given, "resource", uri, self.registry.resources, self.registry.templates)
            super(FastMCP, self).resource(uri, **placed)(taken(function, read, self))
            return function

        return register

    @overload
    def prompt(self, name_or_fn: F, /, **options: Any) -> F: ...
    @overload
    def prompt(self, name_or_fn: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def prompt(self, name_or_fn: Any = None, /, **options: Any) -> Any:
        """Offer a function as a prompt, in the same ways as a tool."""
        given = told(options)

        def register(function: F) -> F:
            read = signature.read(function, context_type=Context)
            placed = self._placed(given, "prompt", given.get("name") or read.name, self.registry.prompts)
            super(FastMCP, self).prompt(**placed)(taken(function, read, self))
            return function

        return decorating(name_or_fn, given, register)

    def add_tool(self, tool: T) -> T:
        """Offer a function, or what Tool.from_function made of one, as a tool."""
        function, options = offered(tool)
        self.tool(function, **options)
        return tool

    def add_prompt(self, prompt: T) -> T:
        """Offer a function, or what Prompt.from_function made of one, as a prompt."""
        function, options = offered(prompt)
        self.prompt(function, **options)
        return prompt

    def add_resource(self, resource: T) -> T:
        """Offer what Resource.from_function or ResourceTemplate.from_function made of a function."""
        function, options = offered(resource)
        uri = options.pop("uri", None) or options.pop("uri_template", None)
        if uri is None:
            raise AuthorError(
                "a resource needs a URI: Resource.from_function(function, uri=…), or @mcp.resource(uri)"
            )
        self.resource(str(uri), **options)(function)
        return resource

    add_template = add_resource

    def _placed(self, given: dict[str, Any], kind: str, key: str, *shelves: Any) -> dict[str, Any]:
        """What was said about a feature; it takes the place of one of the same key, as in that package."""
        if self._on_duplicate == "warn" and any(key in shelf for shelf in shelves):
            _log.warning("the %s %r is registered again; the new one is used", kind, key)
        return {"replace": self._on_duplicate != "error", **given}

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

        Takes besides what plainmcp's own `run` takes, `http` included; there is no banner to show.
        """
        del show_banner
        if transport in ("http", "streamable-http"):
            http = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        elif transport not in (None, "stdio"):
            raise AuthorError(f"there is no transport {transport!r}; there are stdio, http and streamable-http")
        if http is not None:
            level = {} if log_level is None else {"log_level": log_level.lower()}
            at = {} if path is None else {"path": path}  # of what serves, as uvicorn's options are
            options["uvicorn"] = {**at, **level, **(uvicorn_config or {}), **(options.get("uvicorn") or {})}
        super().run(http, **ours(options))

    def http_app(self, path: str | None = None, *, transport: str = "http", **settings: Any) -> Any:
        """An ASGI application that answers at a path; its `lifespan` is for the application it is mounted in.

        Takes stateless_http, allowed_hosts and allowed_origins, and what plainmcp's own `asgi` takes.
        """
        if transport not in ("http", "streamable-http"):
            raise AuthorError(f"there is no transport {transport!r} over HTTP; there are http and streamable-http")
        return _HttpApp(self.asgi(**ours(settings)), PATH if path is None else path)


class _HttpApp:
    """An application at a path, below whatever path it is mounted at itself."""

    def __init__(self, app: Any, path: str) -> None:
        self._app = app
        self._at_path = at_path(app, path) if path.rstrip("/") else app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        root = scope.get("root_path", "")
        if root and scope.get("path", "").startswith(root):
            scope = {**scope, "path": scope["path"][len(root) :]}
        await self._at_path(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncGenerator[None, None]:
        """The life of the application: its sessions end with it."""
        self._app.endpoint.draining = False
        try:
            yield
        finally:
            self._app.close()
