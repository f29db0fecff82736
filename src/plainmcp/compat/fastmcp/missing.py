"""Features of FastMCP that are not supported here, each with advice on what to do instead."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import AuthorError

__all__ = [
    "IN_MODULES",
    "IN_SERVER_AUTH",
    "IN_THE_CONTEXT",
    "IN_THE_PACKAGE",
    "IN_THE_SERVER",
    "MissingFeature",
    "check_options",
    "reject_attributes",
    "stand_in",
    "stand_in_of",
]

C = TypeVar("C", bound=type)

_CALLER = (
    "pass auth=, a TokenVerifier, a RemoteAuthProvider or a verifier of plainmcp.auth, which check tokens; users log "
    "in at an authorization server"
)
_CLIENT = "use plainmcp.testing.Client in tests, and keep any other client as it is"
_FUNCTIONS = "write a function for each thing the model should do, and register it"
_STATE = "keep it in your own variable or store"
_VISIBLE = "pass visible=, a function of the caller that says whether the feature is shown"
_APPS = "there is no support for apps; meta= is sent as it is"
_TASKS = "a tool answers in the call itself; use ctx.report_progress(…) meanwhile"
_MIDDLEWARE = "write a Middleware with the hooks that you need"
_TRANSFORMS = "register functions with the names and parameters that clients should see"

_OPTIONS = {
    "app": _APPS,
    "auth": f"pass requires=, the scopes that it needs; or {_VISIBLE}",
    "event_store": "streams can always be resumed; pass replay_bytes=",
    "experimental_capabilities": "pass extensions=",
    "host_origin_protection": "Host and Origin are always checked; pass allowed_hosts= and allowed_origins=",
    "providers": "register functions, or mount servers",
    "sampling_handler": "call the model directly from the tool",
    "sampling_handler_behavior": "call the model directly from the tool",
    "security": "a variable of a URI never matches more than its segment; add_directory() serves files safely",
    "session_state_store": _STATE,
    "sockets": "pass host= and port=",
    "task": _TASKS,
    "tasks": _TASKS,
    "tool_transformations": _TRANSFORMS,
    "transforms": _TRANSFORMS,
}
"""Options of its servers and features."""

IN_THE_SERVER = {
    "add_extension": "pass extensions=",
    "add_provider": "register functions, or mount servers",
    "add_tool_transformation": _TRANSFORMS,
    "add_transform": _TRANSFORMS,
    "as_proxy": _FUNCTIONS,
    "from_client": _FUNCTIONS,
    "from_fastapi": _FUNCTIONS,
    "from_openapi": _FUNCTIONS,
}
"""Attributes of its server."""

IN_THE_CONTEXT = {
    "disable_components": _VISIBLE,
    "enable_components": _VISIBLE,
    "input_responses": "call ctx.elicit(…): the answers are returned by it",
    "request_state": "call ctx.elicit(…): the answers are returned by it",
    "reset_visibility": _VISIBLE,
    "sample_step": "call ctx.sample(…)",
}
"""Attributes of its context."""

IN_THE_PACKAGE = {
    "AuthMiddleware": _VISIBLE,
    "BearerAuthProvider": _CALLER,
    "Client": _CLIENT,
    "ClientGroup": _CLIENT,
    "FastMCPApp": _APPS,
    "FastMCPOpenAPI": _FUNCTIONS,
    "FastMCPProxy": _FUNCTIONS,
    "MultiAuth": _CALLER,
    "OAuthProvider": _CALLER,
    "OAuthProxy": _CALLER,
    "OIDCProxy": _CALLER,
    "PingMiddleware": "clients that need it send pings themselves",
    "ProxyClient": _CLIENT,
    "ResponseCachingMiddleware": _MIDDLEWARE,
    "ResponseLimitingMiddleware": _MIDDLEWARE,
    "ToolInjectionMiddleware": _MIDDLEWARE,
    "create_proxy": _FUNCTIONS,
}
"""Names that can be imported from it, and are refused when they are used."""

IN_SERVER_AUTH = ("AuthProvider", "JWTVerifier", "RemoteAuthProvider", "StaticTokenVerifier", "TokenVerifier")
"""Names that can be imported from it, and are those of its module server.auth."""

IN_MODULES = {
    "apps": _APPS,
    "client": _CLIENT,
    "contrib": _FUNCTIONS,
    "experimental": _TRANSFORMS,
    "mcp_config": _CLIENT,
    "server.auth": _CALLER,
    "server.openapi": _FUNCTIONS,
    "server.providers": "register functions, or mount servers",
    "server.proxy": _FUNCTIONS,
    "server.tasks": _TASKS,
    "server.transforms": _TRANSFORMS,
    "tools.tool_transform": _TRANSFORMS,
    "utilities": "it is internal to FastMCP",
}
"""Modules of another product: every name in them, and in the modules below them, can be imported."""


class MissingFeature(AuthorError, AttributeError):
    """A feature of FastMCP that is not supported here; the text says what to do instead."""


class _MissingAttribute:
    """An attribute of a class and its objects that raises MissingFeature."""

    def __init__(self, name: str, advice: str) -> None:
        self._message = f"there is no {name} here; {advice}"

    def __get__(self, instance: Any, owner: type) -> Any:
        raise MissingFeature(self._message)


class _StandInType(type):
    """The type of stand-ins: a class that can be imported, named in a hint and inherited from, but not used."""

    advice: str

    def __call__(cls, *args: Any, **options: Any) -> Any:
        raise MissingFeature(f"there is no {cls.__name__} here; {cls.advice}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingFeature(f"there is no {cls.__name__}.{name} here; {cls.advice}")


def stand_in(name: str, advice: str) -> Any:
    """A class with a name of FastMCP that raises MissingFeature when it is used."""
    return _StandInType(name, (), {"advice": advice, "__module__": __name__})


def stand_in_of(module: str, name: str, advice: str) -> Any:
    """The stand-in for a name of a module; raises AttributeError for one that is looked for in every module."""
    if name.startswith(("_", "pytest")):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return stand_in(name, IN_THE_PACKAGE.get(name) or advice)


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
