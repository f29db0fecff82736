"""Features of FastMCP that are not supported here, each with advice on what to do instead."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import AuthorError

__all__ = [
    "IN_THE_CONTEXT",
    "IN_THE_PACKAGE",
    "IN_THE_SERVER",
    "MissingFeature",
    "check_options",
    "reject_attributes",
]

C = TypeVar("C", bound=type)

_CALLER = "pass http_app(principal=…), a function from a request's scope to its caller; read ctx.principal"
_CLIENT = "use plainmcp.testing.Client in tests, and keep any other client as it is"
_COPY = "register its functions here, or serve each server at its own address"
_FUNCTIONS = "write a function for each thing the model should do, and register it"
_STATE = "keep it in your own variable or store"
_ASK = "call the function itself instead of asking the server"
_MIDDLEWARE = "wrap http_app() in ASGI middleware, or the functions in a decorator"
_ROUTE = "mount http_app() in a web application, and add the route there"
_RUN = "call run(); inside an event loop, give http_app() to an ASGI server"
_VISIBLE = "pass visible=, a function of the caller that says whether the feature is shown"
_APPS = "there is no support for apps; meta= is sent as it is"
_VERSION = "there is one version of each feature; give another version another name"
_LIFESPAN = "open what the handlers need before the server runs"
_DEPENDENCIES = "call it in the body of the function: dependencies are not resolved for parameters"
_TASKS = "a tool answers in the call itself; use ctx.report_progress(…) meanwhile"

_OPTIONS = {
    "app": _APPS,
    "auth": f"{_CALLER}; {_VISIBLE}",
    "cache_scope": 'pass cache=(milliseconds, "public")',
    "cache_ttl": 'pass cache=(milliseconds, "public")',
    "event_store": "streams can always be resumed; pass replay_bytes=",
    "host_origin_protection": "Host and Origin are always checked; pass allowed_hosts= and allowed_origins=",
    "json_response": "a response is JSON, unless its handler sends messages meanwhile",
    "lifespan": _LIFESPAN,
    "middleware": _MIDDLEWARE,
    "providers": "register functions",
    "security": "a variable of a URI never matches more than its segment; add_directory() serves files safely",
    "session_state_store": _STATE,
    "task": _TASKS,
    "tasks": _TASKS,
    "transforms": "register functions",
    "version": _VERSION,
}
"""Options of its servers and features."""

IN_THE_SERVER = {
    "add_middleware": _MIDDLEWARE,
    "add_provider": _COPY,
    "add_transform": _FUNCTIONS,
    "as_proxy": _FUNCTIONS,
    "call_tool": _CLIENT,
    "custom_route": _ROUTE,
    "disable": _VISIBLE,
    "enable": _VISIBLE,
    "from_client": _FUNCTIONS,
    "from_fastapi": _FUNCTIONS,
    "from_openapi": _FUNCTIONS,
    "get_prompt": _CLIENT,
    "get_prompts": _CLIENT,
    "get_resource": _CLIENT,
    "get_resources": _CLIENT,
    "get_tool": _CLIENT,
    "get_tools": _CLIENT,
    "import_server": _COPY,
    "list_prompts": _CLIENT,
    "list_resources": _CLIENT,
    "list_tools": _CLIENT,
    "mount": _COPY,
    "run_async": _RUN,
    "run_http_async": _RUN,
    "run_stdio_async": _RUN,
    "sse_app": "give http_app() to an ASGI server",
    "streamable_http_app": "give http_app() to an ASGI server",
}
"""Attributes of its server."""

IN_THE_CONTEXT = {
    "delete_state": _STATE,
    "get_prompt": _ASK,
    "get_state": _STATE,
    "lifespan_context": _LIFESPAN,
    "list_prompts": _ASK,
    "list_resources": _ASK,
    "request_context": "ctx.meta, ctx.capabilities and ctx.client_name describe the request and its client",
    "send_notification": "call ctx.resource_updated(uri); changes of lists are announced automatically",
    "session": "use ctx: log, elicit, sample, list_roots",
    "session_id": f"some revisions have no session; {_STATE}",
    "set_state": _STATE,
    "transport": "a handler is the same on every transport",
}
"""Attributes of its context."""

IN_THE_PACKAGE = {
    "BearerAuthProvider": _CALLER,
    "Client": _CLIENT,
    "CurrentAccessToken": _CALLER,
    "CurrentContext": "take a parameter of type Context, or call get_context()",
    "CurrentFastMCP": "take a parameter of type Context; ctx.fastmcp is the server",
    "CurrentHeaders": _CALLER,
    "CurrentRequest": _CALLER,
    "Depends": _DEPENDENCIES,
    "DirectoryResource": "call mcp.add_directory(prefix, path)",
    "FastMCPApp": _APPS,
    "FastMCPOpenAPI": _FUNCTIONS,
    "FastMCPProxy": _FUNCTIONS,
    "FileResource": "call mcp.add_file(path, uri)",
    "HttpResource": "call mcp.add_link(uri)",
    "Middleware": _MIDDLEWARE,
    "MiddlewareContext": _MIDDLEWARE,
    "Progress": "call ctx.report_progress(…)",
    "TextResource": "register a function that returns the text: @mcp.resource(uri)",
    "TokenVerifier": _CALLER,
    "get_access_token": _CALLER,
    "get_http_headers": _CALLER,
    "get_http_request": _CALLER,
    "get_server": "take a parameter of type Context; ctx.fastmcp is the server",
    "settings": "pass arguments to FastMCP(…), run(…) and http_app(…) instead of settings",
}
"""Names that can be imported from it."""


class MissingFeature(AuthorError, AttributeError):
    """A feature of FastMCP that is not supported here; the text says what to do instead."""


class _MissingAttribute:
    """An attribute of a class and its objects that raises MissingFeature."""

    def __init__(self, name: str, advice: str) -> None:
        self._message = f"there is no {name} here; {advice}"

    def __get__(self, instance: Any, owner: type) -> Any:
        raise MissingFeature(self._message)


def reject_attributes(names: dict[str, str]) -> Callable[[C], C]:
    """Add attributes to a class that raise MissingFeature, with advice on what to do instead."""

    def add_attributes(kind: C) -> C:
        for name, advice in names.items():
            setattr(kind, name, _MissingAttribute(f"{kind.__name__}.{name}", advice))
        return kind

    return add_attributes


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are set and supported; raises AuthorError for one that is not supported, unless it is off."""
    for name in _OPTIONS.keys() & options.keys():
        if options[name] not in (None, False):
            raise AuthorError(f"there is no {name}= here; {_OPTIONS[name]}")
    return {name: value for name, value in options.items() if name not in _OPTIONS and value is not None}
