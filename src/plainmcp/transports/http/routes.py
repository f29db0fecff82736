"""The routes beside the endpoint: which handler answers a path and a method, and what its values become.

Knows paths, handlers and responses, but no sockets: asgi_routes and wsgi_routes run the handlers.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from ...errors import AuthorError, OptionError
from ...foreign.annotations import signature_of
from ...web import HttpResponse
from .response import Response

__all__ = ["Match", "Route", "Routes", "to_response"]

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_PARAMETER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::([a-z]+))?\}")
_KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "str": ("[^/]+", str),
    "int": ("[0-9]{1,18}", int),
    "float": (r"[0-9]{1,18}(?:\.[0-9]{1,18})?", float),
    "path": (".*", str),
    "uuid": ("[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}", UUID),
}
_TEXT = "text/plain; charset=utf-8"


class Route(NamedTuple):
    """One path, its methods, and how its handler is called."""

    path: str
    pattern: re.Pattern[str]
    converters: dict[str, Callable[[str], Any]]
    methods: frozenset[str]
    handler: Callable[..., Any]
    is_app: bool  # whether the handler is an ASGI application
    is_async: bool
    request_type: type | None  # of the request that the handler takes, if not ours
    takes_request: bool

    def match(self, path: str) -> dict[str, Any] | None:
        """The values of the parameters in a path; None if it is another path."""
        match = self.pattern.fullmatch(path)
        return match and {name: self.converters[name](text) for name, text in match.groupdict().items()}


class Match(NamedTuple):
    """The route for a request, with the values of its parameters; without a route, the methods that are allowed."""

    route: Route | None
    path_params: dict[str, Any]
    allowed: frozenset[str] = frozenset()


class Routes:
    """The routes of a server, in the order of their registration."""

    def __init__(self) -> None:
        self._routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def add(self, path: str, methods: Collection[str], handler: Callable[..., Any]) -> None:
        """Add a route; raises AuthorError if the path cannot work, or has a handler for the method."""
        route = _compile(path, methods, handler)
        for other in self._routes:
            both = sorted(other.methods & route.methods)
            if other.path == path and both:
                raise AuthorError(f"there is already a route for {both[0]} {path}")
        self._routes.append(route)

    def has_path(self, path: str) -> bool:
        """Whether a path has a route."""
        return any(route.match(path) is not None for route in self._routes)

    def find(self, path: str, method: str) -> Match | None:
        """The first route for a path and a method; None if no route has the path."""
        allowed: frozenset[str] = frozenset()
        for route in self._routes:
            params = route.match(path)
            if params is None:
                continue
            if method in route.methods:
                return Match(route, params)
            allowed |= route.methods
        return Match(None, {}, allowed) if allowed else None


# Compiling ----------------------------------------------------------------------------------------


def _compile(path: str, methods: Collection[str], handler: Callable[..., Any]) -> Route:
    pattern, converters = _compile_path(path)
    names = {method.upper() for method in methods}
    for name in names:
        if name not in _METHODS:
            raise AuthorError(f"@server.route: there is no method {name!r}; the methods are {', '.join(_METHODS)}")
    if not names:
        raise AuthorError('@server.route needs a method: write methods=["GET"]')
    if not callable(handler):
        raise OptionError(f"@server.route takes a function or an ASGI application, not {type(handler).__name__}")
    is_app = _is_app(handler)
    parameters = [] if is_app else _parameters_of(handler, path)
    return Route(
        path=path,
        pattern=pattern,
        converters=converters,
        methods=frozenset(names | ({"HEAD"} if "GET" in names else set())),
        handler=handler,
        is_app=is_app,
        is_async=inspect.iscoroutinefunction(_unwrap(handler)),
        request_type=_request_type_of(parameters),
        takes_request=bool(parameters),
    )


def _compile_path(path: str) -> tuple[re.Pattern[str], dict[str, Callable[[str], Any]]]:
    """The pattern of a path, such as /items/{id:int}, and the functions that convert its parameters."""
    if not path.startswith("/"):
        raise AuthorError(f"@server.route: the path {path!r} does not start with a slash")
    converters: dict[str, Callable[[str], Any]] = {}
    pattern, position = "", 0
    stem = path.rstrip("/")
    for match in _PARAMETER.finditer(stem):
        name, kind = match[1], match[2] or "str"
        if kind not in _KINDS:
            raise AuthorError(f"{path!r}: {kind!r} is not a kind of parameter; the kinds are {', '.join(_KINDS)}")
        if name in converters:
            raise AuthorError(f"{path!r}: the parameter {name!r} is there twice")
        expression, converters[name] = _KINDS[kind]
        pattern += f"{re.escape(stem[position : match.start()])}(?P<{name}>{expression})"
        position = match.end()
    rest = stem[position:]
    if "{" in rest or "}" in rest:
        raise AuthorError(f"{path!r}: a parameter is written {{name}} or {{name:int}}")
    return re.compile(f"{pattern}{re.escape(rest)}/?", re.DOTALL), converters


def _unwrap(handler: Any) -> Any:
    while isinstance(handler, partial):
        handler = handler.func
    is_plain = inspect.isroutine(handler) or isinstance(handler, type)
    return handler if is_plain else getattr(handler, "__call__", handler)  # noqa: B004


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _is_app(handler: Any) -> bool:
    """Whether a handler is an ASGI application: it takes scope, receive and send."""
    try:
        parameters = signature_of(handler).parameters.values()
    except ValueError:
        return False
    required = [one for one in parameters if one.kind in _POSITIONAL and one.default is one.empty]
    return len(required) == 3


def _parameters_of(handler: Any, path: str) -> list[inspect.Parameter]:
    """The parameter of a handler for its request, if it has one."""
    try:
        signature = signature_of(handler, evaluate=True)
    except ValueError:
        return []
    first = [one for one in signature.parameters.values() if one.kind in _POSITIONAL][:1]
    needed = (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)
    for one in signature.parameters.values():
        if one not in first and one.kind in needed and one.default is one.empty:
            raise AuthorError(
                f"the handler of {path} takes the request and nothing else: {one.name!r} would get no value; the "
                "parameters of the path are in request.path_params"
            )
    return first


def _request_type_of(parameters: list[inspect.Parameter]) -> type | None:
    """The class of Starlette for the request, or a subclass, if the handler has it as its hint."""
    hint = parameters[0].annotation if parameters else None
    if not isinstance(hint, type):
        return None
    return hint if any(base.__module__.partition(".")[0] == "starlette" for base in hint.__mro__) else None


# Responses ----------------------------------------------------------------------------------------


def to_response(value: Any, encode: Callable[[Any], bytes]) -> Response:
    """The response for the value of a handler; `encode` makes JSON of what is neither text nor bytes."""
    if value is None:
        return Response(204)
    response = value if isinstance(value, HttpResponse) else HttpResponse(value)
    kind, body = _to_body(response.body, encode)
    headers = _to_headers(response.headers)
    if kind and not any(name == b"content-type" for name, _ in headers):
        headers.append((b"content-type", kind.encode()))
    return Response(response.status, body, tuple(headers))


def _to_body(body: Any, encode: Callable[[Any], bytes]) -> tuple[str, bytes]:
    if isinstance(body, str):
        return _TEXT, body.encode(errors="replace")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return ("application/octet-stream" if body else ""), bytes(body)
    return "application/json", bytes(encode(body))


def _to_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    pairs = [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
    for name, value in pairs:
        if re.search(rb"[\0\r\n]", name + value):
            raise AuthorError(f"the header {name.decode()!r} has a line break")
    return pairs
