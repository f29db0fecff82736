"""The bounds of a fetched document, against real servers on loopback."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from plainmcp.auth import fetch as module
from plainmcp.auth.fetch import NotThere, check_url, fetch
from plainmcp.auth.principal import Unavailable
from plainmcp.errors import AuthorError


@contextmanager
def serving(answer: Any) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def send(handler: Any, status: int, body: bytes = b"", **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def test_a_document_is_fetched() -> None:
    seen: list[Any] = []

    def answer(handler: Any) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        seen.append((handler.command, handler.path, handler.rfile.read(length), handler.headers.get("X-A")))
        send(handler, 200, b"{}")

    with serving(answer) as url:
        assert fetch(f"{url}/a?b=1") == b"{}"
        assert fetch(url, b"token=x", {"X-A": "1"}) == b"{}"
    assert seen == [("GET", "/a?b=1", b"", None), ("POST", "/", b"token=x", "1")]


def test_a_redirect_is_followed_to_the_same_server_only() -> None:
    def answer(handler: Any) -> None:
        if handler.path == "/elsewhere":
            send(handler, 302, Location="http://127.0.0.2:1/x")
        elif handler.path == "/scheme":
            send(handler, 302, Location="file:///etc/passwd")
        elif handler.path == "/loop":
            send(handler, 302, Location="/loop")
        else:
            send(handler, 200, b"there") if handler.path == "/there" else send(handler, 301, Location="/there")

    with serving(answer) as url:
        assert fetch(f"{url}/a") == b"there"
        for path in ("/elsewhere", "/scheme", "/loop"):
            with pytest.raises(Unavailable, match="redirects"):
                fetch(f"{url}{path}")
        with pytest.raises(Unavailable, match="status 301"):
            fetch(f"{url}/a", b"secret=1")  # what is sent goes to no other path


@pytest.mark.parametrize(
    ("status", "kind"), [(404, NotThere), (500, Unavailable), (401, Unavailable), (204, Unavailable)]
)
def test_another_status_is_no_document(status: int, kind: type[Exception]) -> None:
    with serving(lambda handler: send(handler, status)) as url, pytest.raises(kind, match=str(status)):
        fetch(url)


def test_a_large_document_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    with (
        serving(lambda handler: send(handler, 200, b"x" * 1001)) as url,
        pytest.raises(Unavailable, match="more than"),
    ):
        fetch(url)


@pytest.mark.slow
def test_a_slow_document_is_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)

    def drip(start: bytes, handler: Any) -> None:
        """Each byte comes soon, but never the last one."""
        with suppress(OSError):
            handler.wfile.write(start)
            for _ in range(50):
                handler.wfile.write(b"1")
                handler.wfile.flush()
                time.sleep(0.1)

    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"
    starts = (b"HTTP/1.1 ", b"HTTP/1.1 200 OK\r\nX-Name: ", b"HTTP/1.1 200 OK\r\n\r\n", chunked)
    for answer in (*(partial(drip, start) for start in starts), lambda handler: time.sleep(3)):
        with serving(answer) as url:
            started = time.monotonic()
            with pytest.raises(Unavailable, match="takes longer than"):
                fetch(url)
            assert time.monotonic() - started < 1.5


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        fetch("http://127.0.0.1:1/secret?token=abc")
    with pytest.raises(Unavailable) as caught:
        fetch("http://127.0.0.1:1/x?token=abc")
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        3,
        None,
        "auth.example.com",
        "ftp://a.example",
        "http://a.example",
        "http://127.0.0.1.evil.example",
        "https://",
        "https://a b",
        "https://u:p@a.example",
        "https://a.example:99999",
        "https://a.example/\n",
    ],
)
def test_a_url_that_must_not_be_fetched_is_refused(url: Any) -> None:
    with pytest.raises(AuthorError):
        check_url(url, "jwks=")


@pytest.mark.parametrize(
    "url", ["https://a.example", "http://127.0.0.1:1/x", "http://localhost:8080", "http://[::1]/"]
)
def test_other_urls_may_be(url: str) -> None:
    assert check_url(url, "jwks=") == url
