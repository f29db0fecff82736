"""The examples that mount a server, in the real frameworks, called by a client."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from docs.pages import example
from mounted import ACCEPT, initialize, modern
from plainmcp import Server

BASE = "http://127.0.0.1:8000"
FOUND = {"title": "Emma", "shelf": "E"}


def wsgi_client(app: Any) -> httpx.Client:
    return httpx.Client(transport=httpx.WSGITransport(app=app), base_url=BASE)


CLIENTS: dict[str, Callable[[], Any]] = {
    "fastapi": lambda: TestClient(example("fastapi_mount").app, base_url=BASE),
    "flask": lambda: wsgi_client(example("flask_mount").app),
    "django": lambda: wsgi_client(example("django_mount").application),
}


@pytest.fixture(scope="module", params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A client of an application; Django can be set up but once."""
    with CLIENTS[request.param]() as found:
        found.headers["accept"] = ACCEPT
        yield found


def told(client: Any, message: Any, headers: dict[str, str], path: str = "/mcp") -> Any:
    """The result of a request."""
    response = client.post(path, json=message, headers=headers)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json"), response.text
    return response.json()["result"]


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_mounted_server_serves_a_session(client: Any, revision: str) -> None:
    opened = client.post("/mcp", json=initialize(revision))
    assert opened.json()["result"]["serverInfo"] == {"name": "library", "version": "1.0.0"}
    headers = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": revision}
    ready = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    assert (ready.status_code, ready.content) == (202, b"")
    listed = told(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers)
    assert [tool["name"] for tool in listed["tools"]] == ["find"]
    params = {"name": "find", "arguments": {"title": "Emma"}}
    called = told(client, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}, headers)
    assert called["content"][0]["text"] == '{"title": "Emma", "shelf": "E"}'
    assert client.delete("/mcp", headers=headers).status_code == 204
    assert client.post("/mcp", json={"jsonrpc": "2.0", "id": 3, "method": "ping"}, headers=headers).status_code == 404


def test_a_mounted_server_serves_a_request_that_stands_alone(client: Any) -> None:
    called = told(client, *modern("tools/call", name="find", arguments={"title": "Emma"}))
    assert (called["resultType"], called["structuredContent"]) == ("complete", FOUND)


def test_the_header_rules_hold_inside_a_framework(client: Any) -> None:
    message, headers = modern("tools/call", name="find", arguments={"title": "Emma"})
    response = client.post("/mcp", json=message, headers={**headers, "mcp-name": "lose"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


def test_the_application_keeps_its_own_pages(client: Any) -> None:
    assert client.get("/").json() == {"library": "open"}
    assert client.get("/nowhere").status_code == 404


def test_fastapi_serves_what_it_mounts_under_a_prefix() -> None:
    app, server = FastAPI(), Server("s", "1")
    server.tool(name="find")(lambda title: {"title": title})
    app.mount("/api/mcp", server.asgi())
    with TestClient(app, base_url=BASE) as client:
        asked = modern("tools/call", name="find", arguments={"title": "Emma"})
        for path in ("/api/mcp/", "/api/mcp"):
            assert told(client, *asked, path=path)["structuredContent"] == {"title": "Emma"}
