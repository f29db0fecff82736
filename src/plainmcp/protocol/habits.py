"""Names of other packages that authors may be used to, and what to write instead.

Facts, and a decorator for classes without such attributes. Knows neither servers nor contexts.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["CONTEXT_ATTRIBUTES", "OPTIONS", "SERVER_ATTRIBUTES", "with_advice"]

T = TypeVar("T", bound=type)

_HTTP = 'server.run(http="127.0.0.1:8000") serves over HTTP, server.run() on standard input and output'
_MOUNT = "run(http=…, path=…) and asgi(path=…) take the path; by default run serves at /mcp"
_JSON = "leave it out: a client's Accept header says whether it takes JSON, and what has only one message is JSON"
_HINT = 'write it in annotations=, such as annotations={"readOnlyHint": True}'

OPTIONS = {
    "allowed_hosts": "write hosts=",
    "allowed_origins": "write origins=",
    "auth": "asgi(auth=…), wsgi(auth=…) and run(http=…, auth=…) take verifiers; a tool takes requires= and visible=",
    "debug": "leave it out: the log has every exception in full; mask_errors=False sends their text to clients too",
    "dependencies": "leave it out: declare what you depend on in your pyproject.toml",
    "destructiveHint": _HINT,
    "enabled": "write visible=, a function of who is calling",
    "exclude_args": "leave it out: a parameter that is not for the model can be bound with functools.partial",
    "host": _HTTP,
    "idempotentHint": _HINT,
    "json_response": _JSON,
    "log_level": 'write run(log_level="info"), or set the level of the logger "plainmcp"',
    "mask_error_details": "write mask_errors=",
    "mount_path": _MOUNT,
    "on_duplicate_prompts": "write replace=True where you register the other one",
    "on_duplicate_resources": "write replace=True where you register the other one",
    "on_duplicate_tools": "write replace=True where you register the other one",
    "openWorldHint": _HINT,
    "port": _HTTP,
    "readOnlyHint": _HINT,
    "reload": "the command line does that: plainmcp serve FILE --http HOST:PORT --reload",
    "show_banner": "leave it out: there is none",
    "sse_path": _MOUNT,
    "stateless_http": "write stateless=",
    "streamable_http_path": _MOUNT,
    "strict_input_validation": "write lenient_arguments=False",
    "structured_output": "write output_schema=True or output_schema=False",
    "tools": "register each function with server.tool(function)",
    "transport": _HTTP,
    "uvicorn_config": "write uvicorn=",
}
"""Options."""

_APP = 'server.asgi(path="/mcp") is the application'
_LISTS = "server.list_tools(), list_resources() and list_prompts() return what a client is listed"
SERVER_ATTRIBUTES = {
    "add_middleware": "write server.middleware(function)",
    "add_prompt": "write server.prompt(function)",
    "add_resource": 'write server.resource("scheme://name")(function), or server.add_file(…)',
    "add_tool": "write server.tool(function)",
    "custom_route": 'write @server.route("/path")',
    "get_prompts": _LISTS,
    "get_resources": _LISTS,
    "get_tools": _LISTS,
    "http_app": _APP,
    "import_server": "write server.mount(other, prefix=…)",
    "name": "write server.info.name",
    "resource_template": 'write @server.resource("scheme://{name}")',
    "run_http_async": 'write await server.run_async(http="127.0.0.1:8000")',
    "run_stdio_async": "write await server.run_async()",
    "sse_app": _APP,
    "streamable_http_app": _APP,
}
"""Attributes of a server."""

_STATE = "ctx.session_state is a dict for the session, ctx.state one for the request"
CONTEXT_ATTRIBUTES = {
    "client_id": "write ctx.principal for who is calling, ctx.client_name for their program",
    "delete_state": _STATE,
    "fastmcp": "use your server itself",
    "get_state": _STATE,
    "lifespan_context": "write ctx.lifespan",
    "list_roots": "write ctx.roots()",
    "report_progress": "write ctx.progress(done, total, message)",
    "request_context": "ctx has what it has: ctx.lifespan, ctx.meta, ctx.request_id, ctx.headers",
    "session": "write ctx.elicit(…), ctx.sample(…) or ctx.roots()",
    "set_state": _STATE,
}
"""Attributes of a context."""


class _Absent:
    """An attribute that does not exist, with advice. A `__getattr__` would make all other attributes slower."""

    def __init__(self, advice: str) -> None:
        self._advice = advice
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        message = f"{owner.__name__!r} object has no attribute {self._name!r}: {self._advice}"
        raise AttributeError(message, name=self._name, obj=instance)


def with_advice(attributes: Mapping[str, str]) -> Callable[[T], T]:
    """A decorator: a class refuses attributes that it does not have with advice.

    >>> @with_advice({"add_tool": "write server.tool(function)"})
    ... class Shop:
    ...     pass
    >>> Shop().add_tool
    Traceback (most recent call last):
    AttributeError: 'Shop' object has no attribute 'add_tool': write server.tool(function)
    """

    def decorate(kind: T) -> T:
        for name, advice in attributes.items():
            absent = _Absent(advice)
            absent.__set_name__(kind, name)
            setattr(kind, name, absent)
        return kind

    return decorate
