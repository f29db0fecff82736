"""Conversations over HTTP, with WSGI and ASGI servers written by hand: what a client sends and hears, in order.

A stream that stays open is read up to where it is kept warm: by then everything said so far has come.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from golden.conversation import Hear
from plainmcp import Server
from wire import META

__all__ = ["Asgi", "Wsgi", "is_sent"]

SECONDS = 20.0  # for anything at all
COMMENT = b":\n\n"  # what keeps a stream warm
SETTINGS: dict[str, Any] = {"max_standing": 8, "keep_alive_seconds": 0.01}


class Http:
    """What a client says and hears over HTTP, however that comes about."""

    lasts = True
    family = "http"

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        self._revision = revision
        self._hear = hear
        self._session: dict[str, str] = {}
        self._attends = False

    def attend(self) -> None:
        self._attends = True

    def _begun(self, headers: dict[str, str]) -> bool:
        """Take note of a session; whether the body is a stream."""
        if "mcp-session-id" in headers:
            self._session = {"mcp-session-id": headers["mcp-session-id"]}
        return headers.get("content-type") == "text/event-stream"

    def _headers(self, message: bytes | None) -> dict[str, str]:
        headers = {
            "host": "127.0.0.1:8000",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self._revision,
            **self._session,
        }
        if message is None:
            return headers
        headers |= {"content-type": "application/json", "content-length": str(len(message))}
        try:  # what a client says in headers as well
            said = json.loads(message)
            params = said.get("params") or {}
            version = params.get("_meta", {}).get(f"{META}protocolVersion")
            name = params.get("uri" if said["method"] == "resources/read" else "name")
            repeated = {"mcp-protocol-version": version, "mcp-method": said["method"], "mcp-name": name}
            headers |= {header: value for header, value in repeated.items() if isinstance(value, str)}
        except (ValueError, AttributeError, KeyError):
            pass
        return headers


class Wsgi(Http):
    """`server.wsgi()`, called as a WSGI server calls it."""

    def __init__(self, server: Server, revision: str, hear: Hear) -> None:
        super().__init__(server, revision, hear)
        self._app = server.wsgi(**SETTINGS)
        self._open: list[tuple[Any, Events]] = []

    def send(self, message: bytes) -> bytes | None:
        answer = self._post(message)
        if self._attends:
            if self._session and not self._open:
                self._open.append((self._requested(None)[1], Events()))
            self.listen()
        return answer

    def say(self, message: dict[str, Any]) -> bytes | None:
        return b"".join(self._requested(json.dumps(message).encode())[1]) or None

    def listen(self) -> None:
        for body, events in list(self._open):
            for chunk in body:
                for raw in events.of(chunk):
                    self._hear(raw)
                if chunk == COMMENT:
                    break
            else:
                self._open.remove((body, events))

    def end(self) -> None:
        self._app.close()
        self.listen()

    def close(self) -> None:
        for body, _ in self._open:
            body.close()
        self._app.close()

    def _post(self, message: bytes) -> bytes | None:
        headers, body = self._requested(message)
        if not self._begun(headers):
            return b"".join(body) or None
        events = Events()
        stays = b'"subscriptions/listen"' in message
        for raw in (event for chunk in body for event in events.of(chunk)):
            if not is_sent(raw):
                return raw
            reply = self._hear(raw)
            if reply is not None:
                self._requested(reply)
            if stays:
                self._open.append((body, events))
                return None
        return None

    def _requested(self, message: bytes | None) -> tuple[dict[str, str], Iterable[bytes]]:
        headers = self._headers(message)
        own = ("content-type", "content-length")
        environ = {
            "REQUEST_METHOD": "GET" if message is None else "POST",
            "PATH_INFO": "/mcp",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "wsgi.input": BytesIO(message or b""),
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
        self._app = server.asgi(**SETTINGS)
        self._runner = asyncio.Runner()
        self._open: list[Response] = []

    def send(self, message: bytes) -> bytes | None:
        answer = self._runner.run(self._posted(message))
        if self._attends:
            if self._session and not self._open:
                self._open.append(self._requested(None))
            self.listen()
        return answer

    def say(self, message: dict[str, Any]) -> bytes | None:
        said = self._posted(json.dumps(message).encode())
        return asyncio.run_coroutine_threadsafe(said, self._runner.get_loop()).result(SECONDS)

    def listen(self) -> None:
        for response in list(self._open):
            self._runner.run(response.quiet())
            if response.task.done():
                self._open.remove(response)
                if response.answer is not None:
                    self._hear(response.answer)

    def end(self) -> None:
        self._app.close()
        self.listen()

    def close(self) -> None:
        self._app.close()
        self._runner.close()

    async def _posted(self, message: bytes) -> bytes | None:
        response = self._requested(message)
        if b'"subscriptions/listen"' in message:
            await response.some()
            self._open.append(response)
        else:
            await response.task
        return response.answer

    def _requested(self, message: bytes | None) -> "Response":
        headers = [(name.encode(), value.encode()) for name, value in self._headers(message).items()]
        method = "GET" if message is None else "POST"
        scope = {"type": "http", "method": method, "path": "/mcp", "server": ("127.0.0.1", 8000), "headers": headers}
        response = Response(message, self._begun, self._told)
        response.task = self._runner.get_loop().create_task(self._app(scope, response.receive, response.send))
        return response

    async def _told(self, raw: bytes) -> None:
        reply = self._hear(raw)
        if reply is not None:
            await self._requested(reply).task


class Response:
    """One request to an ASGI application, and what comes of it."""

    task: "asyncio.Task[None]"

    def __init__(self, message: bytes | None, begun: Any, told: Any) -> None:
        self._bodies = [message or b""]
        self._begun, self._told = begun, told
        self._events: Events | None = None
        self._came = asyncio.Event()
        self._warm = 0
        self.answer: bytes | None = None

    async def receive(self) -> dict[str, Any]:
        if not self._bodies:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": self._bodies.pop()}

    async def send(self, part: dict[str, Any]) -> None:
        if part["type"] == "http.response.start":
            if self._begun({name.decode(): value.decode() for name, value in part["headers"]}):
                self._events = Events()
            return
        chunk = part["body"]
        self._warm += chunk == COMMENT
        for raw in [chunk] if self._events is None else self._events.of(chunk):
            if is_sent(raw):
                await self._told(raw)
            else:
                self.answer = raw or None
        self._came.set()

    async def some(self) -> None:
        """Wait for the first that comes."""
        await asyncio.wait_for(self._came.wait(), SECONDS)

    async def quiet(self) -> None:
        """Wait until it is kept warm; the first time it may not have looked yet for what is new."""
        self._warm = 0
        while self._warm < 2 and not self.task.done():
            self._came.clear()
            waiting = asyncio.ensure_future(self._came.wait())
            await asyncio.wait((waiting, self.task), timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()


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


def is_sent(raw: bytes) -> bool:
    """Whether it is a notification or a question, and no answer."""
    return raw.startswith(b"{") and "method" in json.loads(raw)
