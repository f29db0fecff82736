"""The ways a conversation can be held with a server. A new transport adds its channel to CHANNELS, and every file is
replayed on it.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, ClassVar, Protocol

from golden.conversation import Hear
from plainmcp import Server

__all__ = ["CHANNELS", "Channel"]


class Channel(Protocol):
    """One client's line to a server."""

    lasts: ClassVar[bool]
    """Whether it remembers a handshake and can carry what comes before an answer."""

    hears: ClassVar[bool]
    """Whether it can carry what comes while nothing was asked."""

    family: ClassVar[str]
    """What a file says that is not for this kind of channel: `memory` or `http`."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None: ...

    def send(self, message: bytes) -> bytes | None:
        """Send a message and give its answer; what comes before it goes to `hear`, and so do later notifications."""

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


class Wsgi:
    """`server.wsgi()`, called as a WSGI server calls it."""

    lasts = True
    hears = False  # that would take a second request, kept open
    family = "http"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._app = server.wsgi()
        self._revision = revision
        self._hear = hear
        self._headers: dict[str, str] = {}

    def send(self, message: bytes) -> bytes | None:
        headers, body = self._posted(message)
        if "Mcp-Session-Id" in headers:
            self._headers["HTTP_MCP_SESSION_ID"] = headers["Mcp-Session-Id"]
        if not headers.get("Content-Type", "").startswith("text/event-stream"):
            return b"".join(body) or None
        answer = None
        for raw in _events(body):
            if b'"method":' not in raw or b'"result":' in raw or b'"error":' in raw:
                answer = raw
                continue
            reply = self._hear(raw)
            if reply is not None:
                self._posted(reply)
        return answer

    def close(self) -> None:
        pass

    def _posted(self, message: bytes) -> tuple[dict[str, str], Iterable[bytes]]:
        began: list[dict[str, str]] = []
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/mcp",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "HTTP_HOST": "127.0.0.1:8000",
            "HTTP_ACCEPT": "application/json, text/event-stream",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(message)),
            "wsgi.input": BytesIO(message),
            "wsgi.url_scheme": "http",
            **self._headers,
            **_said_again(message, self._revision),
        }
        body = self._app(environ, lambda status, headers, *_: began.append(dict(headers)))
        return began[0], body


def _said_again(message: bytes, revision: str) -> dict[str, str]:
    """What a client says in headers as well."""
    headers = {"HTTP_MCP_PROTOCOL_VERSION": revision}
    try:
        said = json.loads(message)
        params = said.get("params") or {}
        name = params.get("uri" if said["method"] == "resources/read" else "name")
        for header, value in (("HTTP_MCP_METHOD", said["method"]), ("HTTP_MCP_NAME", name)):
            if isinstance(value, str):
                headers[header] = value
    except (ValueError, AttributeError, KeyError):
        pass
    return headers


def _events(body: Iterable[bytes]) -> Iterator[bytes]:
    text = b""
    for chunk in body:
        text += chunk
        while b"\n\n" in text:
            event, _, text = text.partition(b"\n\n")
            data = b"\n".join(line[6:] for line in event.split(b"\n") if line.startswith(b"data: "))
            if data:
                yield data


CHANNELS: dict[str, Any] = {
    "handle": Handle,
    "handle_async": HandleAsync,
    "connect": Connect,
    "connect_async": ConnectAsync,
    "wsgi": Wsgi,
}
