"""Routes at the wire: what handlers get, what they may return, and what their failures become; ASGI and WSGI."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount

from fetching import WAYS, fetch, fetch_asgi
from plainmcp import Server
from plainmcp.errors import InvalidParams
from plainmcp.web import HttpRequest, HttpResponse
from posting import ask, call, served

JSON = {"content-type": "application/json"}

both = pytest.mark.parametrize("way", WAYS)


@dataclass
class Status:
    ok: bool
    note: str | None = None


class Refusal:
    """Not JSON, not text, not a response."""


def with_route(handler: Any, path: str = "/x", **options: Any) -> Server:
    server = Server("s", "1")
    server.route(path, **options)(handler)
    return server


# What handlers get --------------------------------------------------------------------------------


@both
def test_a_handler_gets_the_request(way: str) -> None:
    requests: list[HttpRequest] = []

    def handle(request: HttpRequest) -> str:
        requests.append(request)
        return "fine"

    server = with_route(handle, "/items/{id:int}/{rest:path}", methods=["POST"])
    path = "/items/7/a%20b/%C3%BC?q=1&q=2&empty="
    answer = fetch(
        way, server, path, "POST", b'{"a": [1]}', headers={"X-One": "1", "Content-Type": "application/json"}
    )
    assert (answer.status, answer.text, answer.headers["content-type"]) == (200, "fine", "text/plain; charset=utf-8")
    [request] = requests
    assert (request.method, request.path, request.client) == ("POST", "/items/7/a b/ü", "127.0.0.1")
    assert request.path_params == {"id": 7, "rest": "a b/ü"} and request.query == {"q": "2", "empty": ""}
    assert request.headers["x-one"] == "1" and request.headers["content-type"] == "application/json"
    assert request.json() == {"a": [1]} and request.text == '{"a": [1]}'


@both
def test_plain_functions_run_in_threads_and_async_ones_in_a_loop(way: str) -> None:
    def plain() -> str:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return threading.current_thread().name

    async def later() -> str:
        await asyncio.sleep(0)
        return "in a loop"

    def returns_coroutine() -> Any:
        return later()

    assert fetch(way, with_route(plain), "/x").text.startswith("plainmcp-")
    assert fetch(way, with_route(later), "/x").text == "in a loop"
    assert fetch(way, with_route(returns_coroutine), "/x").text == "in a loop"


@both
def test_a_handler_with_the_hint_of_starlette_gets_its_request(way: str) -> None:
    async def handle(request: Request) -> JSONResponse:
        body = await request.json()
        return JSONResponse({"got": body, "id": request.path_params["id"], "q": request.query_params["q"]}, 201)

    answer = fetch(way, with_route(handle, "/i/{id}", methods=["POST"]), "/i/3?q=x", "POST", b"[1]")
    assert (answer.status, answer.json) == (201, {"got": [1], "id": "3", "q": "x"})

    def plain(request: Request) -> Response:
        return PlainTextResponse(request.url.path)

    assert fetch(way, with_route(plain), "/x").text == "/x"


@both
def test_applications_and_classes_of_starlette(way: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse(f"{scope['method']} {scope['path_params']}")(scope, receive, send)

    assert fetch(way, with_route(app, "/a/{b}"), "/a/c").text == "GET {'b': 'c'}"

    class Endpoint(HTTPEndpoint):
        async def get(self, request: Request) -> Response:
            return PlainTextResponse("from a class")

    assert fetch(way, with_route(Endpoint), "/x").text == "from a class"


@both
def test_a_stream_of_starlette(way: str) -> None:
    async def parts() -> Any:
        for part in ("a", "b", "c"):
            yield part
            await asyncio.sleep(0)

    assert fetch(way, with_route(lambda: StreamingResponse(parts())), "/x").body == b"abc"


# What they may return -----------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("value", "status", "kind", "body"),
    [
        ("text ü", 200, "text/plain; charset=utf-8", "text ü".encode()),
        (b"\x00\xff", 200, "application/octet-stream", b"\x00\xff"),
        ({"ok": True}, 200, "application/json", b'{"ok":true}'),
        ([1, 2], 200, "application/json", b"[1,2]"),
        (Status(True), 200, "application/json", b'{"ok":true,"note":null}'),
        (True, 200, "application/json", b"true"),
        (None, 204, None, b""),
        (HttpResponse("no", 503), 503, "text/plain; charset=utf-8", b"no"),
        (HttpResponse("<p>", headers={"Content-Type": "text/html"}), 200, "text/html", b"<p>"),
        (HttpResponse(status=302, headers={"Location": "/y"}), 302, None, b""),
        (HttpResponse({"a": 1}, 201), 201, "application/json", b'{"a":1}'),
    ],
)
def test_values_become_responses(way: str, value: Any, status: int, kind: str | None, body: bytes) -> None:
    answer = fetch(way, with_route(lambda: value), "/x")
    assert (answer.status, answer.headers.get("content-type"), answer.body) == (status, kind, body)
    assert answer.headers.get("content-length") == (None if status == 204 else str(len(body)))


@both
def test_a_head_has_the_headers_of_a_get(way: str) -> None:
    answer = fetch(way, with_route(lambda: "12345"), "/x", "HEAD")
    assert (answer.status, answer.headers["content-length"], answer.body) == (200, "5", b"")


@both
def test_other_methods_and_other_paths(way: str) -> None:
    server = with_route(lambda: "x", methods=["GET", "POST"])
    answer = fetch(way, server, "/x", "DELETE")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    answer = fetch(way, server, "/y")
    assert (answer.status, answer.text) == (404, "Not found. Try /mcp\n")
    assert fetch(way, server, "/").text == "This is an MCP server. Its address is /mcp\n"
    server.route("/")(lambda: "mine")
    assert fetch(way, server, "/").text == "mine"


# Failures -----------------------------------------------------------------------------------------


def fail_with(error: BaseException) -> Any:
    def fail() -> None:
        raise error

    return fail


@both
@pytest.mark.parametrize("error", [ValueError("hunter2"), SystemExit(3), asyncio.CancelledError(), KeyError()])
def test_an_exception_is_a_500_with_an_incident(way: str, error: Any, caplog: Any) -> None:
    async def later() -> None:
        raise error

    for handler in (fail_with(error), later):
        answer = fetch(way, with_route(handler), "/x")
        assert answer.status == 500 and "hunter2" not in answer.text
        assert answer.text.startswith("GET /x failed unexpectedly (incident ")
        assert answer.text.partition("(")[2].partition(")")[0] in caplog.text


@both
def test_mask_errors_holds_for_routes_too(way: str) -> None:
    server = Server("s", mask_errors=False)
    server.route("/x")(fail_with(ValueError("details")))
    assert "ValueError: details" in fetch(way, server, "/x").text


@both
@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (HTTPException(404, "no such item"), 404, "no such item\n"),
        (InvalidParams("id is a number"), 400, "id is a number\n"),
    ],
)
def test_exceptions_with_a_status(way: str, error: Exception, status: int, text: str) -> None:
    answer = fetch(way, with_route(fail_with(error)), "/x")
    assert (answer.status, answer.text) == (status, text)


@both
def test_a_body_that_is_not_json_is_a_400(way: str) -> None:
    server = with_route(lambda request: request.json(), methods=["POST"])
    assert fetch(way, server, "/x", "POST", b"{").status == 400
    assert fetch(way, server, "/x", "POST", b"[1]").json == [1]


@both
@pytest.mark.parametrize("value", [Refusal(), HttpResponse("x", headers={"A": "b\r\nSet-Cookie: c"})])
def test_a_value_that_cannot_be_sent_is_a_500(way: str, value: Any) -> None:
    answer = fetch(way, with_route(lambda: value), "/x")
    assert answer.status == 500 and "set-cookie" not in answer.headers


def test_a_large_body_and_a_slow_body_are_refused() -> None:
    server = with_route(lambda request: "x", methods=["POST"])
    app = server.asgi(path="/mcp", max_body=10, body_seconds=0.05)
    assert asyncio.run(fetch_asgi(app, "POST", "/x", b"x" * 11)).status == 413
    assert asyncio.run(fetch_asgi(app, "POST", "/x", b"x" * 10)).status == 200
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.Event().wait()

    async def collect(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/x", "headers": []}
    asyncio.run(app(scope, never, collect))
    assert sent[0]["status"] == 408


def test_a_client_that_disconnects_gets_nothing_and_its_handler_does_not_run() -> None:
    ran: list[Any] = []
    app = with_route(lambda request: ran.append(1), methods=["POST"]).asgi(path="/mcp")
    messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"half", "more_body": True}]

    async def receive() -> Any:
        return messages.pop()

    async def send(message: Any) -> None:
        raise AssertionError("something was sent")

    asyncio.run(app({"type": "http", "method": "POST", "path": "/x", "headers": []}, receive, send))
    assert not ran and not messages


def test_a_client_that_is_gone_when_the_response_is_sent(caplog: Any) -> None:
    app = with_route(lambda: "x").asgi(path="/mcp")

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        raise OSError("gone")

    asyncio.run(app({"type": "http", "method": "GET", "path": "/x", "headers": []}, receive, send))
    assert not caplog.text


def test_a_cancelled_request_is_cancelled() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    async def run() -> None:
        task = asyncio.ensure_future(fetch_asgi(with_route(wait).asgi(path="/mcp"), "GET", "/x"))
        await asyncio.sleep(0.02)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


# Beside the endpoint ------------------------------------------------------------------------------


def test_below_the_path_of_another_application() -> None:
    server = with_route(lambda request: request.path, "/health")
    app = Starlette(routes=[Mount("/api", server.asgi(path="/mcp"))])
    assert asyncio.run(fetch_asgi(app, "GET", "/api/health")).text == "/health"
    assert asyncio.run(fetch_asgi(app, "POST", "/api/mcp", b"{", headers=JSON)).status == 400
    assert asyncio.run(fetch_asgi(app, "GET", "/api/else")).status == 404


@both
def test_a_route_that_is_registered_later_is_served(way: str) -> None:
    server = Server("s")
    application = server.asgi(path="/mcp")
    server.route("/late")(lambda: "here")
    assert asyncio.run(fetch_asgi(application, "GET", "/late")).text == "here"


PROGRAM = """
from plainmcp import Server
server = Server("s", "1")

@server.tool
def process(n: int = 1) -> int:
    return n + 1

@server.route("/health")
def health():
    return {"ok": True}

@server.route("/crash")
async def crash():
    raise SystemExit(1)

server.run(http=0)
"""


@pytest.mark.slow
def test_routes_under_run(tmp_path: Any) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    with served(file) as (_, port):
        assert ask(port, "GET", "/health") == (200, b'{"ok":true}')
        assert ask(port, "GET", "/crash")[0] == 500
        assert ask(port, "GET", "/nope") == (404, b"Not found. Try /mcp\n")
        assert call(port, arguments={"n": 3})["content"] == [{"type": "text", "text": "4"}]
