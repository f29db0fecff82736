"""The WSGI transport, called as a server would, and once by wsgiref on loopback."""

import io
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.validate import validator

import pytest

from mounted import ACCEPT, events, initialize, modern
from plainmcp import Context, Server

PROGRESS = {"progressToken": "p"}
SECONDS = 10


@dataclass
class Name:
    name: str


class Seen:
    """What handlers did."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go = threading.Event()
        self.ended: list[str] = []


def make(seen: Seen | None = None) -> Server:
    server = Server("test", "1.0")
    seen = seen or Seen()

    @server.tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @server.tool
    async def later() -> str:
        """An async function."""
        return "later"

    @server.tool
    def talk(ctx: Context) -> str:
        """Say how far it is."""
        ctx.progress(1)
        return "done"

    @server.tool
    def greet(ctx: Context) -> str:
        """Ask for a name."""
        return f"Hello, {ctx.elicit('Who are you?', Name).data.name}!"

    @server.tool
    def hold(ctx: Context) -> str:
        """Go on until told otherwise."""
        ctx.progress(1)
        seen.began.set()
        while not ctx.cancelled and not seen.go.wait(0.01):
            pass
        seen.ended.append("given up" if ctx.cancelled else "done")
        return "held"

    @server.tool
    def hang_up(ctx: Context) -> str:
        """End the stream before the answer."""
        ctx.close_stream()
        time.sleep(0.05)
        return "fetched"

    @server.tool(
        input_schema={
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "My_Region"}},
        }
    )
    def route(region: str = "") -> str:
        """Routed by a header."""
        return region

    return server


class Answer:
    """What a server would send on."""

    def __init__(
        self, app: Any, body: Any = None, headers: dict[str, str] | None = None, method: str = "POST"
    ) -> None:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "/mcp",
            "PATH_INFO": "",
            "QUERY_STRING": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(raw)) if raw else "",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(raw),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            "HTTP_HOST": "localhost:8000",
            "HTTP_ACCEPT": ACCEPT,
            "CONTENT_TYPE": "application/json",
        }
        for name, value in (headers or {}).items():
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH", "REMOTE_ADDR") else f"HTTP_{key}"] = value
        self.status = 0
        self.headers: dict[str, str] = {}
        self.chunks = app(environ, self._start)
        self.body = b""

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        self.status = int(status.split()[0])
        self.headers = dict(headers)

    def more(self) -> bytes:
        """The next piece of a stream."""
        piece: bytes = next(self.chunks)
        self.body += piece
        return piece

    def hang_up(self) -> None:
        """What a server does when a client is gone, or has everything."""
        if hasattr(self.chunks, "close"):
            self.chunks.close()

    def whole(self) -> "Answer":
        """Everything, to the end."""
        self.body += b"".join(self.chunks)
        self.hang_up()
        return self

    @property
    def json(self) -> Any:
        assert self.headers["Content-Type"] == "application/json"
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        assert self.headers["Content-Type"] == "text/event-stream"
        return events(self.body)


def speak(app: Any, body: Any = None, headers: dict[str, str] | None = None, method: str = "POST") -> Answer:
    return Answer(app, body, headers, method).whole()


def session(app: Any, version: str = "2025-11-25", **capabilities: Any) -> dict[str, str]:
    answer = speak(app, initialize(version, **capabilities))
    headers = {"mcp-session-id": answer.headers["Mcp-Session-Id"], "mcp-protocol-version": version}
    assert speak(app, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers).status == 202
    return headers


def call(name: str, id: Any = 1, meta: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def text(message: Any) -> str:
    return str(message["result"]["content"][0]["text"])


def soon(there: Any) -> None:
    deadline = time.monotonic() + SECONDS
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.005)


# --------------------------------------------------------------------------------------------------


def test_a_modern_request_is_answered_by_json_with_the_bytes_of_handle() -> None:
    """R26-HTTP-08"""
    server = make()
    body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
    answer = speak(server.wsgi(), body, headers)
    assert answer.status == 200
    assert answer.headers == {"Content-Type": "application/json", "Content-Length": str(len(answer.body))}
    assert answer.body == server.handle(body)


def test_an_async_function_runs_too() -> None:
    assert text(speak(make().wsgi(), *modern("tools/call", name="later")).json) == "later"


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (*modern("ping"), 404),
        (*modern("tools/call", name="nobody"), 400),
        (modern("tools/list")[0], {"mcp-method": "tools/call", "mcp-protocol-version": "2026-07-28"}, 400),
        (initialize(), {"host": "evil.example"}, 403),
        (initialize(), {"origin": "http://evil.example"}, 403),
        (initialize(), {"host": "[::1].evil.example"}, 403),
        (initialize(), {"origin": "http://localhost:80:90"}, 403),
        (initialize(), {"host": "public.example", "remote-addr": "192.0.2.1"}, 200),
        (initialize(), {"content-type": "text/plain"}, 415),
        (initialize(), {"accept": "text/html"}, 406),
        (b"nonsense", {}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","x":' + b"[" * 128 + b"]" * 128 + b"}", {}, 400),
        (b" " * 5000, {}, 413),
        (b" " * 5, {"content-length": "9" * 5000}, 413),
        (*modern("subscriptions/listen", notifications={}), 400),
    ],
)
def test_the_rules_are_those_of_asgi(body: Any, headers: dict[str, str], status: int) -> None:
    """R26-HTTP-28, R*-HTTP-02, R*-HTTP-03"""
    assert speak(make().wsgi(max_body=4000), body, headers).status == status


@pytest.mark.parametrize("length", ["\xb2", "-1", "abc"])
def test_a_length_that_is_none_is_no_body(length: str) -> None:
    assert speak(make().wsgi(), initialize(), {"content-length": length}).status == 400


@pytest.mark.parametrize(("size", "status"), [(0, 200), (5000, 413)])
def test_a_body_without_a_length_is_read_where_the_server_ends_it(size: int, status: int) -> None:
    """Such as a chunked one, where the server says so."""
    app = make().wsgi(max_body=4000)

    def terminated(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, "CONTENT_LENGTH": "", "wsgi.input_terminated": True}, start)

    assert speak(terminated, json.dumps(initialize()).encode() + b" " * size).status == status
    assert speak(app, initialize(), {"content-length": ""}).status == 400  # where it does not, none is there


def test_head_is_answered_without_a_body() -> None:
    answer = speak(make().wsgi(), None, {}, "HEAD")
    assert (answer.status, answer.body, answer.headers["Allow"]) == (405, b"", "POST, GET, DELETE")


def test_a_header_whose_name_was_folded_is_still_compared() -> None:
    """R26-HDR-10"""
    app = make().wsgi()
    body, headers = modern("tools/call", name="route", arguments={"region": "eu"})
    assert speak(app, body, {**headers, "mcp-param-my_region": "eu"}).status == 200
    assert speak(app, body, {**headers, "mcp-param-my_region": "us"}).status == 400
    assert speak(app, body, headers).status == 400


def test_an_answer_becomes_a_stream_when_something_is_said_before_it() -> None:
    """R26-HTTP-26"""
    body, headers = modern("tools/call", meta=PROGRESS, name="talk")
    answer = speak(make().wsgi(), body, headers)
    assert answer.headers["X-Accel-Buffering"] == "no"
    progress, last = answer.events
    assert progress["data"]["method"] == "notifications/progress" and text(last["data"]) == "done"


def test_closing_a_modern_stream_cancels_its_request() -> None:
    """R26-HTTP-15"""
    seen = Seen()
    body, headers = modern("tools/call", meta=PROGRESS, name="hold")
    answer = Answer(make(seen).wsgi(), body, headers)
    assert b"progress" in answer.more()
    answer.hang_up()
    soon(lambda: seen.ended)
    assert seen.ended == ["given up"]


def test_closing_an_older_stream_does_not_and_the_answer_can_be_fetched() -> None:
    """R2511-HTTP-14, R2511-HTTP-25"""
    seen = Seen()
    app = make(seen).wsgi(max_standing=5)
    headers = session(app)
    answer = Answer(app, call("hold", 5, PROGRESS), headers)
    answer.more()
    answer.hang_up()
    seen.go.set()
    fetched = speak(app, None, {**headers, "last-event-id": answer.events[0]["id"]}, "GET")
    assert text(fetched.events[-1]["data"]) == "held" and seen.ended == ["done"]


def test_a_tool_has_no_stream_to_end_where_the_client_takes_none() -> None:
    app = make().wsgi(max_standing=5)
    headers = {**session(app), "accept": "application/json"}
    for _ in range(2):
        assert text(speak(app, call("hang_up"), headers).json) == "fetched"


def test_a_tool_may_hang_up_and_be_polled() -> None:
    """R2511-HTTP-18"""
    app = make().wsgi(max_standing=5)
    headers = session(app)
    first, last = speak(app, call("hang_up"), headers).events
    assert first["data"] == last["data"] == "" and last["retry"] == "1000"
    fetched = speak(app, None, {**headers, "last-event-id": last["id"]}, "GET")
    assert text(fetched.events[-1]["data"]) == "fetched"


def test_a_question_rides_on_its_request() -> None:
    app = make().wsgi()
    headers = session(app, elicitation={})
    answer = Answer(app, call("greet"), headers)
    while b"elicitation/create" not in answer.body:
        answer.more()
    question = answer.events[-1]["data"]
    reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ann"}}}
    assert speak(app, reply, headers).status == 202
    assert text(answer.whole().events[-1]["data"]) == "Hello, Ann!"


def test_sessions_end() -> None:
    """R2511-SESS-04"""
    app = make().wsgi()
    headers = session(app)
    assert speak(app, None, headers, "DELETE").status == 204
    assert speak(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers).status == 404


@pytest.mark.parametrize("name", ["hold", "hold_silently"])
@pytest.mark.parametrize("accept", [ACCEPT, "application/json"])
def test_a_request_whose_session_ends_while_it_runs_is_answered_with_an_error(name: str, accept: str) -> None:
    seen = Seen()
    server = make(seen)

    @server.tool
    def hold_silently() -> str:
        seen.began.set()
        assert seen.go.wait(SECONDS)
        return "held"

    app, answers = server.wsgi(), list[Answer]()
    headers = session(app)
    asking = threading.Thread(
        target=lambda: answers.append(speak(app, call(name, "mine"), {**headers, "accept": accept}))
    )
    asking.start()
    assert seen.began.wait(SECONDS)
    assert speak(app, None, headers, "DELETE").status == 204
    seen.go.set()  # a function in the thread of the server can only be waited for
    asking.join(SECONDS)
    [answer] = answers
    assert answer.status == 200
    told = answer.json if answer.headers["Content-Type"] == "application/json" else answer.events[-1]["data"]
    error = {"code": -32603, "message": "the session ended before this request was answered"}
    assert told == {"jsonrpc": "2.0", "id": "mine", "error": error}


def test_no_stream_holds_on_to_a_thread_unless_it_may() -> None:
    server = make()
    app = server.wsgi()
    refused = speak(app, None, session(app), "GET")
    assert (refused.status, refused.headers["Allow"]) == (405, "POST")
    app = server.wsgi(max_standing=2)
    live = Answer(app, None, session(app), "GET")
    assert live.more().startswith(b"id: ")
    server.tool(name="more")(lambda: "")
    assert b"list_changed" in live.more()
    live.hang_up()
    body, headers = modern("subscriptions/listen", "L", notifications={"toolsListChanged": True})
    live = Answer(app, body, headers)
    assert b"acknowledged" in live.more()
    app.close()
    live.whole()
    assert live.events[-1]["data"]["id"] == "L"


def test_an_open_stream_is_kept_warm() -> None:
    app = make().wsgi(max_standing=1, keep_alive_seconds=0.01)
    live = Answer(app, None, session(app), "GET")
    live.more()
    assert live.more() == live.more() == b":\n\n"
    live.hang_up()


def test_the_principal_is_read_from_the_environ() -> None:
    def principal(environ: Any) -> str:
        if "HTTP_X_USER" not in environ:
            raise PermissionError
        return str(environ["HTTP_X_USER"])

    app = make().wsgi(principal=principal)
    assert speak(app, initialize()).status == 401
    assert speak(app, initialize(), {"x-user": "ann"}).status == 200


@pytest.mark.parametrize("kind", [ZeroDivisionError, SystemExit, KeyboardInterrupt, GeneratorExit, TimeoutError])
def test_a_caller_that_could_not_be_identified_is_told_so_in_json(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    """R*-HTTP-05, R*-LOG-05"""

    def principal(environ: Any) -> str:
        raise kind("hunter2")

    answer = speak(make().wsgi(principal=principal), *modern("tools/list"))
    said = answer.json["error"]
    assert (answer.status, said["code"]) == (500, -32603)
    assert said["message"].startswith("Identifying the caller failed unexpectedly (incident ")
    assert "hunter2" not in said["message"] and "hunter2" in caplog.text


def test_the_log_says_why_a_session_is_not_found_whose_principal_is_never_equal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """R2511-SESS-05"""
    app = make().wsgi(principal=lambda environ: object())
    headers = {"mcp-session-id": speak(app, initialize()).headers["Mcp-Session-Id"]}
    assert speak(app, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers).status == 404
    [record] = [record for record in caplog.records if record.name == "plainmcp"]
    assert record.levelname == "WARNING" and "principal=" in record.getMessage()


# On a real server ---------------------------------------------------------------------------------


def test_a_stream_that_cannot_be_resumed_is_not_closed_early() -> None:
    """Without max_standing there is no GET for the rest, so the response would be lost."""
    server = Server("test", "1.0")

    @server.tool
    async def close(ctx: Context) -> str:
        ctx.progress(1, 2)
        ctx.close_stream()
        return "the answer"

    app = server.wsgi()
    answer = speak(app, call("close", meta=PROGRESS), session(app))
    assert "the answer" in str(events(answer.body)[-1]["data"])


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@contextmanager
def served(app: Any) -> Iterator[HTTPConnection]:
    with make_server("127.0.0.1", 0, app, Threaded, Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        client = HTTPConnection("127.0.0.1", server.server_port, timeout=SECONDS)
        try:
            yield client
        finally:
            client.close()
            server.shutdown()
            thread.join(SECONDS)


def test_a_conversation_over_a_socket() -> None:
    with served(validator(make().wsgi())) as client:
        for meta, kind in ((None, "application/json"), (PROGRESS, "text/event-stream")):
            body, headers = modern("tools/call", meta=meta, name="talk")
            client.request("POST", "/", json.dumps(body), {**headers, "accept": ACCEPT})
            answer = client.getresponse()
            assert (answer.status, answer.headers["content-type"]) == (200, kind)
            assert b"done" in answer.read()


def test_errors_over_a_socket() -> None:
    """wsgiref answers with a 500 if a body is a subclass of bytes."""
    with served(make().wsgi()) as client:
        body, headers = modern("tools/call", name="unknown")
        for host, status, code in (("127.0.0.1", 400, -32602), ("evil.example", 403, -32600)):
            client.request("POST", "/", json.dumps(body), {**headers, "accept": ACCEPT, "host": host})
            answer = client.getresponse()
            assert (answer.status, json.loads(answer.read())["error"]["code"]) == (status, code)


def test_a_header_with_letters_no_header_has_is_none_of_our_business_unless_it_is_ours() -> None:
    app = make().wsgi()
    body, headers = modern("tools/call", name="add", arguments={"a": 1, "b": 2})
    answer = speak(app, body, {**headers, "x-remote-user": "Žižek"})
    assert answer.status == 200 and text(answer.json) == "3"
    assert speak(app, body, {**headers, "host": "Žižek"}).status == 403
