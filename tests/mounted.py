"""An in-memory ASGI server for one request at a time: what a client sends and receives, and when it disconnects."""

import asyncio
import json
from typing import Any

__all__ = ["ACCEPT", "META", "Live", "events", "initialize", "modern", "session", "speak"]

ACCEPT = "application/json, text/event-stream"
DEFAULTS = {b"host": b"127.0.0.1:8000", b"accept": ACCEPT.encode(), b"content-type": b"application/json"}
"""The headers of a request that names no others."""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SECONDS = 10.0


class Live:
    """One request under way."""

    def __init__(
        self,
        app: Any,
        body: Any = None,
        headers: dict[str, str] | list[tuple[str, str]] | None = None,
        method: str = "POST",
        server: tuple[str, int] | None = ("127.0.0.1", 8000),
        pieces: list[bytes] | None = None,
        address: str | None = None,
    ) -> None:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.over = False
        self._pieces = [raw] if pieces is None else list(pieces)
        self._gone = asyncio.Event()
        self._news = asyncio.Event()
        given = headers.items() if isinstance(headers, dict) else headers or []
        pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given]
        named = {name for name, _ in pairs}
        for name, value in DEFAULTS.items():
            if name not in named:
                pairs.append((name, value))
        scope = {
            "type": "http",
            "method": method,
            "path": "/mcp",
            "root_path": "",
            "headers": pairs,
            "server": server,
            "client": None if address is None else (address, 50_000),
        }
        self.task = asyncio.create_task(app(scope, self._receive, self._send))
        self.task.add_done_callback(lambda _: self._news.set())

    async def _receive(self) -> dict[str, Any]:
        if self._pieces:
            piece = self._pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(self._pieces)}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        assert not self.over, "something was sent after the end"
        if message["type"] == "http.response.start":
            assert not self.status, "a response was begun twice"
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.over = not message.get("more_body", False)
        self._news.set()

    def hang_up(self) -> None:
        """The client is gone."""
        self._gone.set()

    async def until(self, there: Any) -> None:
        """Wait until a condition holds of it."""
        async with asyncio.timeout(SECONDS):
            while not there(self):
                assert not self.task.done() or there(self), f"it ended: {self.status} {self.body!r}"
                self._news.clear()
                await asyncio.wait([asyncio.ensure_future(self._news.wait())], timeout=0.05)

    async def done(self) -> "Live":
        """Wait until it is answered."""
        async with asyncio.timeout(SECONDS):
            await self.task
        assert self.over or not self.status
        return self

    @property
    def json(self) -> Any:
        """The answer, if it is JSON."""
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.body)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far."""
        assert self.headers["content-type"] == "text/event-stream", self.headers
        return events(self.body)


def events(body: bytes) -> list[dict[str, Any]]:
    """What a stream says: for each event its fields, the data as JSON where there is some."""
    found = []
    for block in body.decode().split("\n\n"):
        fields: dict[str, Any] = {}
        for line in block.splitlines():
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.removeprefix(" ")
        if fields:
            if fields.get("data"):
                fields["data"] = json.loads(fields["data"])
            found.append(fields)
    return found


async def speak(app: Any, body: Any = None, headers: Any = None, method: str = "POST", **how: Any) -> Live:
    """One request and its whole answer."""
    return await Live(app, body, headers, method, **how).done()


def modern(method: str, id: Any = 1, meta: dict[str, Any] | None = None, **params: Any) -> tuple[Any, dict[str, str]]:
    """A request that speaks for itself, and its headers."""
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method, "content-type": "application/json"}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    if name is not None and method in ("tools/call", "prompts/get", "resources/read"):
        headers["mcp-name"] = name
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": method,
        "params": {**params, "_meta": {**META, **(meta or {})}},
    }, headers


def initialize(version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
    """The first request of a handshake."""
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


async def session(app: Any, version: str = "2025-11-25", **capabilities: Any) -> dict[str, str]:
    """Shake hands; gives the headers of every further request."""
    answer = await speak(app, initialize(version, **capabilities))
    assert answer.status == 200 and answer.json["result"]["protocolVersion"] == version
    headers = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": version}
    ready = await speak(app, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    assert (ready.status, ready.body) == (202, b"")
    return headers
