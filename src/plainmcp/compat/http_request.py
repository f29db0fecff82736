"""The HTTP request of a call, as far as servers of other packages read it.

The names are those of Starlette's Request, which the packages behind the facades give to their handlers.
"""

import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

__all__ = ["Headers", "HttpRequest", "Url", "http_request_of"]


class Url(str):
    """The address of a request, with its parts."""

    @cached_property
    def components(self) -> SplitResult:
        """The parts, as urllib splits them."""
        return urlsplit(self)

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS:
            return getattr(self.components, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


_PARTS = ("scheme", "netloc", "path", "query", "fragment", "username", "password", "hostname", "port")


class Address(NamedTuple):
    """The address of a client."""

    host: str
    port: int


class HttpRequest:
    """An HTTP request: `headers` by lowercase name; the names are looked up in any case."""

    def __init__(self, headers: Mapping[str, str], scope: Any = None) -> None:
        self.headers = Headers(headers)
        self.scope: Any = {} if scope is None else scope

    def __getattr__(self, name: str) -> Any:
        value = self.scope.get(name) if name in _FROM_MIDDLEWARE else None
        if value is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return value

    @property
    def method(self) -> str:
        """The method: POST, as each message is posted."""
        return str(self.scope.get("method", "POST"))

    @cached_property
    def url(self) -> Url:
        """The whole address, with the host that the client has named."""
        scheme, host, path = self.scope.get("scheme", "http"), self.headers.get("host"), self.scope.get("path", "/")
        if host is None and (server := self.scope.get("server")):
            host = server[0] if server[1] in (None, _PORTS.get(scheme)) else f"{server[0]}:{server[1]}"
        return Url(f"{scheme}://{host}{path}{f'?{self.query}' if self.query else ''}" if host else path)

    @property
    def query(self) -> str:
        """The query of the address, without the question mark."""
        return str(self.scope.get("query_string", b"").decode("latin-1"))

    @property
    def query_params(self) -> dict[str, str]:
        """The parameters in the query of the URL; of one that comes twice, the last."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def path_params(self) -> dict[str, Any]:
        """The parameters in the path, if a framework has found some."""
        return dict(self.scope.get("path_params") or {})

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name."""
        pairs = (one.partition("=") for one in self.headers.get("cookie", "").split(";"))
        return {name.strip(): _unquote(value.strip()) for name, is_pair, value in pairs if is_pair}

    @property
    def client(self) -> Address | None:
        """The address of the client, if it is known."""
        client = self.scope.get("client")
        return None if client is None else Address(*client)

    @cached_property
    def state(self) -> Any:
        """What middleware has kept for the request, as attributes."""
        state = type("State", (), {})()
        vars(state).update(self.scope.get("state") or {})
        return state


_FROM_MIDDLEWARE = ("app", "auth", "session", "user")
"""What an application or its middleware puts into a scope, and a request has as an attribute."""
_PORTS = {"http": 80, "https": 443}


def _unquote(value: str) -> str:
    """The value of a cookie, which may stand between quotation marks."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


class Headers(dict[str, str]):
    """Headers whose names are looked up in any case."""

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a header, or a default."""
        return super().get(name.lower(), default)

    def getlist(self, name: str) -> list[str]:
        """The values of a header."""
        return [self[name]] if name in self else []


def http_request_of(ctx: Any) -> Any:
    """The HTTP request of a context; raises RuntimeError if it came another way.

    A program that has loaded Starlette gets its Request: it may ask for that class.
    """
    if not ctx.headers:
        raise RuntimeError("No active HTTP request found.")
    scope = ctx._request.headers.scope
    theirs: Any = getattr(sys.modules.get("starlette.requests"), "Request", None)
    if theirs is None or not scope or scope.get("type") != "http":
        return HttpRequest(ctx.headers, scope)
    return theirs(scope)
