"""Which route answers a path, and which routes are refused."""

from functools import partial
from typing import Any
from uuid import UUID

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError, OptionError
from plainmcp.transports.http.routes import Routes
from plainmcp.web import HttpRequest


def nothing() -> None: ...


@pytest.mark.parametrize(
    ("route", "path", "params"),
    [
        ("/health", "/health", {}),
        ("/health", "/health/", {}),
        ("/health/", "/health", {}),
        ("/health", "/healthy", None),
        ("/health", "/x/health", None),
        ("/", "/", {}),
        ("/", "", {}),
        ("/a.b", "/axb", None),
        ("/items/{id}", "/items/3", {"id": "3"}),
        ("/items/{id}", "/items/3/4", None),
        ("/items/{id}", "/items/", None),
        ("/items/{id:int}", "/items/3", {"id": 3}),
        ("/items/{id:int}", "/items/-3", None),
        ("/items/{id:int}", f"/items/{'9' * 5000}", None),
        ("/items/{id:int}/x{y:float}", "/items/3/x1.5", {"id": 3, "y": 1.5}),
        ("/files/{rest:path}", "/files/a/b.txt", {"rest": "a/b.txt"}),
        ("/files/{rest:path}", "/files/", {"rest": ""}),
        (
            "/u/{id:uuid}",
            "/u/12345678-1234-1234-1234-123456789abc",
            {"id": UUID("12345678" + "1234" * 3 + "123456789abc")},
        ),
        ("/u/{id:uuid}", "/u/x", None),
    ],
)
def test_paths(route: str, path: str, params: Any) -> None:
    routes = Routes()
    routes.add(route, ["GET"], nothing)
    match = routes.find(path, "GET")
    assert (match and match.path_params) == params


def test_methods() -> None:
    routes = Routes()
    routes.add("/a", ["get", "POST"], nothing)
    routes.add("/a", ["DELETE"], nothing)
    for method in ("GET", "HEAD", "POST", "DELETE"):
        match = routes.find("/a", method)
        assert match is not None and match.route is not None
    match = routes.find("/a", "PUT")
    assert match is not None and match.route is None
    assert match.allowed == {"GET", "HEAD", "POST", "DELETE"}
    with pytest.raises(AuthorError, match="there is already a route for GET /a"):
        routes.add("/a", ["PUT", "GET"], nothing)


@pytest.mark.parametrize(
    ("path", "methods", "handler", "problem"),
    [
        ("health", ["GET"], nothing, "does not start with a slash"),
        ("/{a}/{a}", ["GET"], nothing, "'a' is there twice"),
        ("/{a:what}", ["GET"], nothing, "'what' is not a kind of parameter; the kinds are str, int"),
        ("/{a", ["GET"], nothing, "a parameter is written"),
        ("/{1a}", ["GET"], nothing, "a parameter is written"),
        ("/a", ["FETCH"], nothing, "there is no method 'FETCH'"),
        ("/a", [], nothing, "needs a method"),
        ("/a", ["GET"], lambda request, id: 1, "'id' would get no value"),
        ("/a", ["GET"], 3, "takes a function or an ASGI application, not int"),
    ],
)
def test_routes_that_cannot_work_are_refused(path: str, methods: Any, handler: Any, problem: str) -> None:
    with pytest.raises(AuthorError, match=problem):
        Server("s").route(path, methods=methods)(handler)


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="did you mean methods="):
        Server("s").route("/a", method=["GET"])  # type: ignore[call-arg]
    with pytest.raises(OptionError, match="methods= takes a list"):
        Server("s").route("/a", methods="GET")
    server = Server("s")
    server.route("/mcp/")(nothing)
    for make in (server.asgi, server.wsgi):
        with pytest.raises(AuthorError, match="there is a route at /mcp, where the server itself answers"):
            make(path="/mcp")
        with pytest.raises(AuthorError, match="starts with a slash"):
            make(path="mcp")


def test_how_handlers_are_understood() -> None:
    class Object:
        async def __call__(self, request: HttpRequest) -> None: ...

    class App:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...

    async def later(request: Any, more: int = 1) -> None: ...

    routes = Routes()
    handlers: list[Any] = [nothing, later, partial(later, more=2), Object(), App(), lambda *args, **more: 1]
    for number, handler in enumerate(handlers):
        routes.add(f"/{number}", ["GET"], handler)
    kinds = [(route.is_app, route.is_async, route.takes_request) for route in routes._routes]
    assert kinds == [
        (False, False, False),
        (False, True, True),
        (False, True, True),
        (False, True, True),
        (True, True, False),
        (False, False, False),
    ]
