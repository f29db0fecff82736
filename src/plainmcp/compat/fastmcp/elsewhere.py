"""What that package has and this one leaves to others, each with what to do instead. Does nothing else."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import AuthorError

__all__ = ["IN_THE_CONTEXT", "IN_THE_PACKAGE", "IN_THE_SERVER", "NotHere", "within", "without"]

C = TypeVar("C", bound=type)

_CALLER = "say who is calling with http_app(principal=…), which is given each request's scope; read ctx.principal"
_CLIENT = "for tests there is plainmcp.testing.Client; any other client is kept as it is"
_COPY = "register its functions here, or serve each server at an address of its own"
_FUNCTIONS = "write a function for each thing the model should do, and register it"
_STATE = "keep it in a variable or a store of your own"
_ASK = "what a client may ask of this server, a function here can call by itself"
_MIDDLEWARE = "wrap what http_app() gives in ASGI middleware, or the functions in a decorator"
_ROUTE = "mount http_app() in a web application, and give that the route"
_RUN = "call run(); inside an event loop, give http_app() to an ASGI server"
_VISIBLE = "say who sees a feature with visible=, a function of who is calling"
_APPS = "there is no support for apps; meta= is sent as it is"
_VERSION = "there is one version of each feature; put another into its name"
_LIFESPAN = "open what the handlers need before the server runs"
_GIVEN = "call it in the body of the function: dependencies are not resolved for parameters"
_TASKS = "tools answer in the call itself, with ctx.report_progress(…) on the way"

_SAID = {
    "app": _APPS,
    "auth": f"{_CALLER}; {_VISIBLE}",
    "cache_scope": 'say cache=(milliseconds, "public")',
    "cache_ttl": 'say cache=(milliseconds, "public")',
    "event_store": "streams are kept to be fetched again by themselves; say replay_bytes=",
    "host_origin_protection": "Host and Origin are always checked; say allowed_hosts= and allowed_origins=",
    "json_response": "an answer is JSON already, unless its handler tells something on the way",
    "lifespan": _LIFESPAN,
    "middleware": _MIDDLEWARE,
    "providers": "register functions",
    "security": "variables of a URI never reach outside their segment; add_directory() serves files safely",
    "session_state_store": _STATE,
    "task": _TASKS,
    "tasks": _TASKS,
    "transforms": "register functions",
    "version": _VERSION,
}
"""Words that may be said about a server or a feature there."""

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
"""What a server has there."""

IN_THE_CONTEXT = {
    "delete_state": _STATE,
    "get_prompt": _ASK,
    "get_state": _STATE,
    "lifespan_context": _LIFESPAN,
    "list_prompts": _ASK,
    "list_resources": _ASK,
    "request_context": "ctx.meta, ctx.capabilities and ctx.client_name tell of the request and its client",
    "send_notification": "ctx.resource_updated(uri) tells of a change; lists that change are told by themselves",
    "session": "ctx has what a session was for: log, elicit, sample, list_roots",
    "session_id": f"there is no session on every revision; {_STATE}",
    "set_state": _STATE,
    "transport": "a handler is the same on every transport",
}
"""What a context has there."""

IN_THE_PACKAGE = {
    "BearerAuthProvider": _CALLER,
    "Client": _CLIENT,
    "CurrentAccessToken": _CALLER,
    "CurrentContext": "take a parameter of type Context, or call get_context()",
    "CurrentFastMCP": "take a parameter of type Context; ctx.fastmcp is the server",
    "CurrentHeaders": _CALLER,
    "CurrentRequest": _CALLER,
    "Depends": _GIVEN,
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
    "settings": "there are no settings besides arguments: FastMCP(…), run(…) and http_app(…) take them",
}
"""What can be imported there."""


class NotHere(AuthorError, AttributeError):
    """That package has it, and this one does not; the text says what to do instead."""


class _Elsewhere:
    """An attribute that is not here, of a class and of its objects."""

    def __init__(self, name: str, advice: str) -> None:
        self._told = f"there is no {name} here; {advice}"

    def __get__(self, held: Any, owner: type) -> Any:
        raise NotHere(self._told)


def without(names: dict[str, str]) -> Callable[[C], C]:
    """Marks a class: whoever asks it for one of these is told what to do instead."""

    def mark(kind: C) -> C:
        for name, advice in names.items():
            setattr(kind, name, _Elsewhere(f"{kind.__name__}.{name}", advice))
        return kind

    return mark


def within(options: Mapping[str, Any]) -> dict[str, Any]:
    """What has a meaning here, of what was said; raises AuthorError for what has none, unless it asks for nothing."""
    for word in _SAID.keys() & options.keys():
        if options[word] not in (None, False):
            raise AuthorError(f"there is no {word}= here; {_SAID[word]}")
    return {name: value for name, value in options.items() if name not in _SAID and value is not None}
