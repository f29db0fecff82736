"""`MCPServer` of `mcp` 2: its constructor, its middleware, and what becomes of exceptions in its tools."""

import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ... import context
from ...errors import MethodNotFound, ToolError
from ...server import Server
from ..coded_error import CodedError, has_code, to_protocol_error
from ..unknown import UnknownNames
from . import types
from .caching import to_caches
from .exceptions import ResourceError, ResourceNotFoundError, UnexpectedResourceError, UnexpectedToolError
from .high_level import HighLevelServer
from .middleware import MiddlewareList
from .output import POLICY
from .replaced_methods import REPLACEABLE, answer_by
from .resource_security import DEFAULT_RESOURCE_SECURITY, ResourceSecurity
from .resource_templates import RefusingTemplate
from .settings import set_verifier, settings_of
from .tools import Tool as AnyTool
from .tools import ToolManager as AnyToolManager
from .uri_templates import UriTemplate

__all__ = ["MCPServer", "Tool", "ToolManager"]

_log = logging.getLogger("mcp.server.mcpserver.server")
"""The log of the package, which programs configure."""


_ALWAYS: dict[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
}


def _refuse(server: Server, request: Any) -> Any:
    raise MethodNotFound("Method not found", request.method)


class Tool(AnyTool):
    """A function as a tool of `MCPServer`."""

    is_newer = True


class ToolManager(AnyToolManager):
    """The tools of an `MCPServer`."""

    tool_class = Tool


class MCPServer(HighLevelServer):
    """A server with the decorators of `mcp` 2; takes the arguments of its `MCPServer`.

    >>> mcp = MCPServer("Demo", version="2.0.0")
    >>> @mcp.tool()
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> mcp.version, list(mcp.registry.tools.features)
    ('2.0.0', ['add'])
    """

    tool_manager_class = ToolManager
    tool_policy = POLICY.replace(withheld_text="Error executing tool {tool}")
    hides_problems = True
    unknown_names = UnknownNames(resource_code=types.INVALID_PARAMS, has_data=True)

    def __init__(
        self,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Any = None,
        version: str | None = None,
        auth_server_provider: Any = None,
        token_verifier: Any = None,
        *,
        tools: Any = None,
        resources: Any = None,
        extensions: Any = None,
        lifespan: Callable[[Any], Any] | None = None,
        middleware: Any = None,
        subscriptions: Any = None,
        resource_security: Any = None,
        request_state_security: Any = None,
        cache_hints: Any = None,
        **options: Any,
    ) -> None:
        self.settings = settings_of(options)
        set_verifier(self.settings, token_verifier, auth_server_provider)
        self.dependencies = self.settings.dependencies
        self._security = resource_security or DEFAULT_RESOURCE_SECURITY
        if options:
            raise TypeError(f"MCPServer.__init__() got an unexpected keyword argument {next(iter(options))!r}")
        super().__init__(
            name or "mcp-server",
            version or "",
            title=title,
            description=description,
            instructions=instructions,
            website_url=website_url,
            icons=icons,
            tools=tools,
            lifespan=lifespan,
        )
        self.caches = to_caches(cache_hints)
        self._lowlevel_server = self.low_level
        self.middleware = MiddlewareList(self, middleware or ())  # type: ignore[method-assign,assignment]
        refused = dict.fromkeys(("logging/setLevel", "completion/complete"), _refuse)
        self.own_methods = {**self.own_methods, **refused}
        self._compile_methods()
        for one in resources or ():
            self.add_resource(one)

    def __class_getitem__(cls, parameters: Any) -> Any:
        return cls

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in REPLACEABLE:
            answer_by(self.low_level, name, value)

    def announced_capabilities(self) -> dict[str, Any]:
        """The capabilities of the server: always those of tools, resources and prompts, and never logging."""
        offered = {**_ALWAYS, **super().announced_capabilities()}
        del offered["logging"]
        if self.own_methods["completion/complete"] is _refuse:
            del offered["completions"]
        return offered

    def prepare_tool(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function that a tool runs: parameters with Resolve are filled in."""
        resolve = sys.modules.get("plainmcp.compat.mcp.resolve")  # it is loaded if the program uses Resolve
        return function if resolve is None else resolve.with_resolved(function)

    def to_tool_error(self, error: Exception, tool: Any) -> Exception:
        """The exception that is raised for an exception of a tool: an unexpected one keeps its text to the log."""
        if has_code(error):
            return to_protocol_error(error)
        if isinstance(error, ToolError):
            return error
        crash = UnexpectedToolError(f"Error executing tool {tool}")
        crash.__cause__ = error
        _log.error("Tool %r raised an unexpected exception", tool, exc_info=crash)
        return crash

    def log_refused(self, problems: Sequence[str], tool: str) -> None:
        """Log which arguments do not fit, without their values."""
        _log.info("Tool %r rejected arguments: %s", tool, [one.partition(":")[0] for one in problems])

    def log_tool_error(self, text: str, tool: Any) -> None:
        """Log a failure whose text is sent."""
        _log.info("Tool %r failed: %r", tool, f"Error executing tool {tool}: {text}")

    def to_read_error(self, error: Exception, problem: str, ctx: context.Context[Any]) -> Exception:
        """The exception that is raised for one of a resource or a prompt: only the log has the text of it."""
        uri = ctx._request.params.get("uri", str, None)
        if isinstance(error, ResourceNotFoundError | ResourceError):
            _log.info("Resource %r failed: %r", uri, str(error))
        if isinstance(error, ResourceNotFoundError):
            return CodedError(types.INVALID_PARAMS, str(error), {"uri": uri})
        if isinstance(error, ResourceError):
            return CodedError(types.INTERNAL_ERROR, str(error), {"uri": uri})
        if uri is None:
            logging.getLogger("plainmcp").error("%s", problem, exc_info=error)
            return CodedError(types.INTERNAL_ERROR, problem)
        crash = UnexpectedResourceError(f"{problem.removesuffix(f' {uri}')} {uri}")
        crash.__cause__ = error
        _log.error("Resource %r raised an unexpected exception", uri, exc_info=crash)
        return CodedError(types.INTERNAL_ERROR, str(crash), {"uri": uri})

    def resource(self, uri: Any, *, security: ResourceSecurity | None = None, **options: Any) -> Any:
        """Offer a function as the resource at a URI or a URI template; `security` says which values are refused."""

        def register(function: Any) -> Any:
            former, self._security = self._security, security or self._security
            try:
                return super(MCPServer, self).resource(uri, **options)(function)
            finally:
                self._security = former

        return register if isinstance(uri, str) else super().resource(uri)

    def compile_uri(self, uri: str) -> Any:
        """The template of a resource, with the rules for its values."""
        return RefusingTemplate(UriTemplate.parse(uri), self._security, self.registry.resources.unknown)

    async def call_tool(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> types.CallToolResult:
        """The result of a tool; raises ToolError if it fails."""
        return await self.call_whole(name, arguments)


Tool.server_class = MCPServer
