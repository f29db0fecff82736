"""The ways a conversation can be held with a server. A new transport adds its channel to CHANNELS, and every file is
replayed on it.
"""

import asyncio
import json
import os
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from select import select
from typing import Any, ClassVar, Protocol

from golden.conversation import Hear
from plainmcp import Server
from plainmcp.transports import stdio
from plainmcp.transports.turns import Streams

__all__ = ["CHANNELS", "Channel"]

SECONDS = 20.0  # for anything at all


class Channel(Protocol):
    """One client's line to a server."""

    lasts: ClassVar[bool]
    """Whether it remembers a handshake and can carry what comes before an answer."""

    hears: ClassVar[bool]
    """Whether it can carry what comes while nothing was asked."""

    family: ClassVar[str]
    """What a file says that is not for this kind of channel: `memory`, `stdio` or `http`."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None: ...

    def send(self, message: bytes) -> bytes | None:
        """Send a message and give its answer; what comes before it goes to `hear`, and so do later notifications."""

    def listen(self) -> None:
        """Hear what came while nothing was asked, where that takes listening."""

    def close(self) -> None:
        """Hang up."""


class Handle:
    """`server.handle`: every message stands alone."""

    lasts = False
    hears = False
    family = "memory"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._server = server
        self._revision = revision

    def send(self, message: bytes) -> bytes | None:
        return self._server.handle(message, revision=self._revision)

    def listen(self) -> None:
        pass

    def close(self) -> None:
        pass


class Connect:
    """`server.connect()`: a connection in memory."""

    lasts = True
    hears = True
    family = "memory"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._hear = hear
        self._connection = server.connect(self._heard)

    def send(self, message: bytes) -> bytes | None:
        return self._connection.handle(message)

    def listen(self) -> None:
        pass

    def close(self) -> None:
        self._connection.close()

    def _heard(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            assert self._connection.handle(reply) is None


class HandleAsync(Handle):
    """`server.handle_async`, in an event loop of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._runner = asyncio.Runner()

    def send(self, message: bytes) -> bytes | None:
        return self._runner.run(self._server.handle_async(message, revision=self._revision))

    def close(self) -> None:
        self._runner.close()


class ConnectAsync(Connect):
    """`server.connect()`, in an event loop of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._runner = asyncio.Runner()

    def send(self, message: bytes) -> bytes | None:
        return self._runner.run(self._connection.handle_async(message))

    def close(self) -> None:
        super().close()
        self._runner.close()


class Stdio:
    """What `server.run()` does on standard input and output, on pipes of its own."""

    lasts = True
    hears = True
    family = "stdio"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._hear = hear
        source, self._to = os.pipe()
        self._from, sink = os.pipe()
        self._files = source, sink, self._from
        self._read = b""
        self._fences = 0
        streams = Streams(partial(os.read, source), partial(os.write, sink))
        self._server = threading.Thread(target=stdio.run, args=(server,), kwargs={"streams": streams}, daemon=True)
        self._server.start()

    def send(self, message: bytes) -> bytes | None:
        # Silence is known by what is sent next: once that is answered, only what runs may still be.
        self._fences += 1
        fence = {"jsonrpc": "2.0", "id": f"fence {self._fences}", "method": "ping"}
        self._write(message)
        self._write(json.dumps(fence).encode())
        answer, fenced, due = None, False, _runs(message)
        while not fenced or (due and answer is None):
            raw = self._line()
            if _is_sent(raw):
                self._heard(raw)
            elif raw.startswith(b"{") and json.loads(raw).get("id") == fence["id"]:
                fenced = True
            else:
                assert answer is None, "it was answered twice"
                answer = raw
        return answer

    def listen(self) -> None:
        while self._read or select([self._from], [], [], 0)[0]:
            self._heard(self._line())

    def close(self) -> None:
        os.close(self._to)
        self._server.join(SECONDS)
        assert not self._server.is_alive(), "it goes on without its client"
        for file in self._files:
            os.close(file)

    def _heard(self, message: bytes) -> None:
        reply = self._hear(message)
        if reply is not None:
            self._write(reply)

    def _write(self, message: bytes) -> None:
        os.write(self._to, message.replace(b"\n", b" ") + b"\n")

    def _line(self) -> bytes:
        while b"\n" not in self._read:
            assert select([self._from], [], [], SECONDS)[0], "nothing was written in time"
            self._read += os.read(self._from, 65536)
        line, _, self._read = self._read.partition(b"\n")
        return line


def _runs(message: bytes) -> bool:
    """Whether it holds a request that is answered once it has run."""
    try:
        said = json.loads(message)
    except ValueError:
        return False
    parts = said if isinstance(said, list) else [said]
    methods = [part.get("method") for part in parts if isinstance(part, dict) and "id" in part]
    return any(method not in (None, "subscriptions/listen") for method in methods)


class Http:
    """What a client says and hears over HTTP, however that comes about."""

    lasts = True
    hears = False  # that would take a second request, kept open
    family = "http"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._revision = revision
        self._hear = hear
        self._session: dict[str, str] = {}

    def listen(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _begun(self, headers: dict[str, str]) -> bool:
        """Take note of a session; whether the body is a stream."""
        if "mcp-session-id" in headers:
            self._session = {"mcp-session-id": headers["mcp-session-id"]}
        return headers.get("content-type") == "text/event-stream"

    def _headers(self, message: bytes) -> dict[str, str]:
        headers = {
            "host": "127.0.0.1:8000",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "content-length": str(len(message)),
            "mcp-protocol-version": self._revision,
            **self._session,
        }
        try:  # what a client says in headers as well
            said = json.loads(message)
            params = said.get("params") or {}
            name = params.get("uri" if said["method"] == "resources/read" else "name")
            for header, value in (("mcp-method", said["method"]), ("mcp-name", name)):
                if isinstance(value, str):
                    headers[header] = value
        except (ValueError, AttributeError, KeyError):
            pass
        return headers


class Wsgi(Http):
    """`server.wsgi()`, called as a WSGI server calls it."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._app = server.wsgi()

    def send(self, message: bytes) -> bytes | None:
        headers, body = self._posted(message)
        if not self._begun(headers):
            return b"".join(body) or None
        answer, events = None, Events()
        for raw in (event for chunk in body for event in events.of(chunk)):
            if not _is_sent(raw):
                answer = raw
                continue
            reply = self._hear(raw)
            if reply is not None:
                self._posted(reply)
        return answer

    def _posted(self, message: bytes) -> tuple[dict[str, str], Iterable[bytes]]:
        headers = self._headers(message)
        own = ("content-type", "content-length")
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/mcp",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "wsgi.input": BytesIO(message),
            "wsgi.url_scheme": "http",
        }
        for name, value in headers.items():
            environ[("" if name in own else "HTTP_") + name.upper().replace("-", "_")] = value
        began: list[dict[str, str]] = []
        body = self._app(
            environ, lambda status, headers, *_: began.append({name.lower(): value for name, value in headers})
        )
        return began[0], body


class Asgi(Http):
    """`server.asgi()`, called as an ASGI server calls it, in an event loop of its own."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._app = server.asgi()
        self._runner = asyncio.Runner()

    def send(self, message: bytes) -> bytes | None:
        return self._runner.run(self._posted(message))

    def close(self) -> None:
        self._runner.close()

    async def _posted(self, message: bytes) -> bytes | None:
        bodies, streams, events = [message], False, Events()
        answer = b""

        async def receive() -> dict[str, Any]:
            if not bodies:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": bodies.pop()}

        async def send(part: dict[str, Any]) -> None:
            nonlocal answer, streams
            if part["type"] == "http.response.start":
                streams = self._begun({name.decode(): value.decode() for name, value in part["headers"]})
                return
            for raw in events.of(part["body"]) if streams else [part["body"]]:
                if not _is_sent(raw):
                    answer += raw
                    continue
                reply = self._hear(raw)
                if reply is not None:
                    await self._posted(reply)

        headers = [(name.encode(), value.encode()) for name, value in self._headers(message).items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "server": ("127.0.0.1", 8000), "headers": headers}
        await self._app(scope, receive, send)
        return answer or None


class Events:
    """Chunks of a stream as what its events say."""

    def __init__(self) -> None:
        self._text = b""

    def of(self, chunk: bytes) -> Iterator[bytes]:
        """The events that are whole now."""
        *whole, self._text = (self._text + chunk).split(b"\n\n")
        for event in whole:
            data = b"\n".join(line[6:] for line in event.split(b"\n") if line.startswith(b"data: "))
            if data:
                yield data


def _is_sent(raw: bytes) -> bool:
    """Whether it is a notification or a question, and no answer."""
    return raw.startswith(b"{") and "method" in json.loads(raw)


CHANNELS: dict[str, Any] = {
    "handle": Handle,
    "handle_async": HandleAsync,
    "connect": Connect,
    "connect_async": ConnectAsync,
    "stdio": Stdio,
    "wsgi": Wsgi,
    "asgi": Asgi,
}
