"""The path at which load balancers ask whether the server is ready."""

import asyncio
import io
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError, OptionError


async def ask(
    app: Any, path: str = "/health", method: str = "GET", host: str = "10.0.0.5"
) -> tuple[int, dict[str, str], bytes]:
    sent: list[Any] = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", host.encode())],
        "server": ("127.0.0.1", 8000),
    }

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


def test_a_server_is_ready_until_it_drains() -> None:
    app = Server("s").asgi(path="/mcp", health="/health")

    async def run() -> None:
        status, headers, body = await ask(app)
        assert (status, headers["content-type"], body) == (200, "application/json", b'{"status":"ok"}')
        assert headers["cache-control"] == "no-store"
        assert await ask(app, "/health/", "HEAD") == (200, headers, b"")
        app.drain()
        assert (await ask(app))[::2] == (503, b'{"status":"stopping"}')
        assert (await ask(app, method="HEAD"))[::2] == (503, b"")

    asyncio.run(run())


def test_other_methods_and_paths() -> None:
    app = Server("s").asgi(path="/mcp", health="/ready")

    async def run() -> None:
        status, headers, _ = await ask(app, "/ready", "POST")
        assert (status, headers["allow"]) == (405, "GET, HEAD")
        assert (await ask(app, "/health"))[0] == 404
        assert (await ask(app, "/readyness"))[0] == 404

    asyncio.run(run())


def test_there_is_none_unless_it_is_asked_for() -> None:
    assert asyncio.run(ask(Server("s").asgi(path="/mcp")))[0] == 404


@pytest.mark.parametrize("is_early", [True, False])
def test_a_route_of_the_author_wins(is_early: bool) -> None:
    server = Server("s")

    def health() -> str:
        return "mine"

    if is_early:
        server.route("/health")(health)
    app = server.asgi(path="/mcp", health="/health")
    if not is_early:
        server.route("/health")(health)
    assert asyncio.run(ask(app))[::2] == (200, b"mine")


def test_wsgi_has_it_too() -> None:
    app = Server("s").wsgi(path="/mcp", health="/health")

    def get() -> tuple[str, bytes]:
        statuses: list[str] = []
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/health", "wsgi.input": io.BytesIO()}
        body = b"".join(app(environ, lambda status, headers: statuses.append(status)))
        return statuses[0], body

    assert get() == ("200 OK", b'{"status":"ok"}')
    app.drain()
    assert get() == ("503 Service Unavailable", b'{"status":"stopping"}')


def test_a_path_that_cannot_work_is_refused() -> None:
    with pytest.raises(AuthorError, match="health= starts with a slash"):
        Server("s").asgi(path="/mcp", health="health")
    for build in (Server("s").asgi, Server("s").wsgi):
        with pytest.raises(OptionError, match="health= goes with path="):
            build(health="/health")
    with pytest.raises(OptionError, match="health= goes with http="):
        Server("s").run(health="/live")
