"""Web servers in memory, written by hand: one calls an ASGI application, one a WSGI application. Both return a
`Flow` for each request, which fills up while the application responds.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Protocol

__all__ = ["SECONDS", "AsgiServer", "Flow", "Request", "WebServer", "WsgiServer", "fields_of"]

SECONDS = 10.0  # for anything at all
COMMENT = b":"


@dataclass
class Request:
    """What a client sends; a body that is shorter than its Content-Length never comes to its end."""

    method: str
    headers: list[tuple[str, str]]
    body: bytes = b""
    path: str = "/mcp"
    address: str | None = "127.0.0.1"
    """The address the server is reached at; on this machine that is the client's address, too."""


class Flow:
    """One request under way, and what has come of it so far: from any thread."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False
        self.hang_up: Callable[[], None] = lambda: None
        self._events: list[bytes] = []
        self._taken = 0
        self._text = b""
        self._comments = 0
        self._error: BaseException | None = None
        self._change = threading.Condition()

    # For servers ----------------------------------------------------------------------------------

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        """The first thing that comes."""
        with self._change:
            assert not self.status, "a response was begun twice"
            self.headers = {name.lower(): value for name, value in headers}
            assert len(self.headers) == len(headers), f"a header was given twice: {headers}"
            self.status = status
            self._change.notify_all()

    def add(self, chunk: bytes) -> None:
        """A piece of the body."""
        with self._change:
            assert self.status and not self.ended, "this does not belong to a response"
            self.body += chunk
            *blocks, self._text = (self._text + chunk).split(b"\n\n")
            self._comments += blocks.count(COMMENT)
            self._events += [block for block in blocks if block and block != COMMENT]
            self._change.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """All has come."""
        with self._change:
            self.ended, self._error = True, error
            self._change.notify_all()

    # For clients ----------------------------------------------------------------------------------

    @property
    def is_stream(self) -> bool:
        """Whether the body is a stream of events."""
        return self.headers.get("content-type") == "text/event-stream"

    @property
    def count(self) -> int:
        """How many events have come that nobody took."""
        return len(self._events) - self._taken

    def wait(self, condition: Callable[[], Any], seconds: float = SECONDS) -> bool:
        """Wait for a condition, or for the end; says whether one of them came in time."""
        with self._change:
            there = self._change.wait_for(lambda: self.ended or condition(), seconds)
        if self._error is not None:
            raise self._error
        return bool(there)

    def wait_for_end(self) -> None:
        """Wait until all has come."""
        assert self.wait(lambda: False), "the response does not come to its end"

    def wait_for_quiet(self, comments: int = 2) -> None:
        """Wait until a stream was kept alive so many times: by then all that was said before has come.

        The first comment may have been on its way already when something was said.
        """
        known = self._comments
        self.wait(lambda: self._comments >= known + comments)

    def next(self) -> bytes | None:
        """The next event; None at the end of the stream."""
        assert self.wait(lambda: self.count), "nothing came in time"
        if not self.count:
            return None
        self._taken += 1
        return self._events[self._taken - 1]

    def take_all(self) -> list[bytes]:
        """The events that nobody took yet."""
        taken = self._events[self._taken :]
        self._taken = len(self._events)
        return taken


def fields_of(event: bytes) -> list[tuple[str, str]]:
    """The fields of an event, in order; the lines of its data are one."""
    found: list[tuple[str, str]] = []
    for line in event.decode().split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data" and found and found[-1][0] == "data":
            found[-1] = name, f"{found[-1][1]}\n{value}"
        else:
            found.append((name, value))
    return found


class WebServer(Protocol):
    """Where an application is mounted."""

    def __init__(self, app: Any) -> None: ...

    def start(self, request: Request) -> Flow:
        """Begin a request."""

    def close(self) -> None:
        """End the application, and all that is open."""


class AsgiServer:
    """Calls an ASGI application in an event loop, in a thread of its own."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, request: Request) -> Flow:
        flow = Flow(request)
        asyncio.run_coroutine_threadsafe(self._serve(request, flow), self._loop)
        return flow

    async def _serve(self, request: Request, flow: Flow) -> None:
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers]
        scope = {
            "type": "http",
            "method": request.method,
            "path": request.path,
            "headers": headers,
            "server": request.address and (request.address, 8000),
        }
        length = dict(headers).get(b"content-length", b"0")
        bodies, unfinished = [request.body], length.isdigit() and int(length) > len(request.body)
        gone = asyncio.Event()
        flow.hang_up = lambda: self._loop.call_soon_threadsafe(gone.set) and None

        async def receive() -> dict[str, Any]:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": unfinished}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(part: dict[str, Any]) -> None:
            if part["type"] == "http.response.start":
                flow.begin(part["status"], [(name.decode(), value.decode()) for name, value in part["headers"]])
            else:
                flow.add(part["body"])

        try:
            await self._app(scope, receive, send)
        except BaseException as error:
            flow.end(error)
        else:
            flow.end()

    def close(self) -> None:
        self._app.close()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(SECONDS)
        self._loop.close()

    async def _end(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class WsgiServer:
    """Calls a WSGI application, each request in a thread of its own."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._threads: list[tuple[threading.Thread, Flow]] = []

    def start(self, request: Request) -> Flow:
        flow = Flow(request)
        thread = threading.Thread(target=self._serve, args=(request, flow), daemon=True)
        self._threads.append((thread, flow))
        thread.start()
        return flow

    def _serve(self, request: Request, flow: Flow) -> None:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "wsgi.input": BytesIO(request.body),
            "wsgi.url_scheme": "http",
        }
        if request.address is not None:
            environ["REMOTE_ADDR"] = request.address
        for name, value in request.headers:
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
        gone = threading.Event()
        flow.hang_up = gone.set
        try:
            body = self._app(environ, lambda status, headers, *_: flow.begin(int(status.split()[0]), headers))
            for chunk in body:
                if gone.is_set():  # as a server notices when it writes
                    break
                flow.add(chunk)
            getattr(body, "close", lambda: None)()
        except BaseException as error:
            flow.end(error)
        else:
            flow.end()

    def close(self) -> None:
        self._app.close()
        end = time.monotonic() + SECONDS
        for thread, flow in self._threads:
            flow.hang_up()
            if flow.is_stream:
                thread.join(max(0.0, end - time.monotonic()))
