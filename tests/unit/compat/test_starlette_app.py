"""The applications of the facades are those of Starlette: routes, mounts, middleware and lifespans work on them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from plainmcp.compat.fastmcp import FastMCP as FastMCP4
from plainmcp.compat.mcp.server import Server
from plainmcp.compat.mcp.server.fastmcp import FastMCP

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def ping(client: TestClient, path: str) -> Any:
    return client.post(path, json=PING, headers=HEADERS)


def applications() -> list[Any]:
    old, new, low = FastMCP("a", stateless_http=True), FastMCP4("a", stateless_http=True), Server("a")
    options = {"stateless_http": True, "json_response": True}
    return [old.streamable_http_app(json_response=True), new.http_app(), low.streamable_http_app(**options)]


@pytest.mark.parametrize("number", range(3))
def test_an_application_has_routes_and_takes_more(number: int) -> None:
    app = applications()[number]
    assert isinstance(app, Starlette) and app.routes[0].path == "/mcp"
    app.router.routes.insert(0, Route("/health", lambda request: PlainTextResponse("well")))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/health").text == "well"
        assert ping(client, "/mcp").json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert client.get("/nothing").status_code == 404


def test_routes_of_the_server_and_middleware_of_the_program_are_served() -> None:
    mcp, seen = FastMCP("a", stateless_http=True), []

    @mcp.custom_route("/about", methods=["GET"])
    async def about(request: Any) -> Any:
        return PlainTextResponse("about")

    class Seeing:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            seen.append(scope.get("path"))
            await self.app(scope, receive, send)

    app = mcp.streamable_http_app(custom_starlette_routes=[Route("/own", lambda request: PlainTextResponse("own"))])
    app.add_middleware(Seeing)
    with TestClient(Starlette(routes=[Mount("/in", app=app)], middleware=[Middleware(Seeing)])) as client:
        assert client.get("/in/about").text == "about"
        assert client.get("/in/own").text == "own"
    assert seen.count("/in/about") == 2


def test_the_lifespan_of_the_application_starts_that_of_the_server() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(server: Any) -> AsyncIterator[None]:
        seen.append("start")
        yield
        seen.append("end")

    app = FastMCP4("a", lifespan=lifespan, stateless_http=True).http_app(path="/here")
    outer = Starlette(routes=[Mount("/in", app=app)], lifespan=app.lifespan)
    with TestClient(outer, base_url="http://127.0.0.1") as client:
        assert seen == ["start"]
        assert ping(client, "/in/here").status_code == 200
    assert seen == ["start", "end"]
    assert (app.state.path, app.state.fastmcp_server.name) == ("/here", "a")
