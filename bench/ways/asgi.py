"""ASGI in process: the application is called as a server would call it, one request after the other."""

import asyncio
import atexit
import time
from typing import Any

from workload import LATEST, Case, check, headers, opening, request

__all__ = ["Client"]


class _Exchange:
    """One request on its way: `receive` and `send` of one call."""

    __slots__ = ("body", "done", "parts", "read", "start")

    def __init__(self, body: bytes) -> None:
        self.body, self.read = body, False
        self.done: asyncio.Future[None] | None = None
        self.parts: list[bytes] = []
        self.start: Any = None

    async def receive(self) -> dict[str, Any]:
        if not self.read:
            self.read = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        if self.done is None:
            self.done = asyncio.get_running_loop().create_future()
        await self.done  # a client hangs up once it has its answer
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.start = message
            return
        self.parts.append(message.get("body", b""))
        if not message.get("more_body", False) and self.done is not None and not self.done.done():
            self.done.set_result(None)


def _scope(method: str, sent: list[tuple[bytes, bytes]], address: str) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": sent,
        "client": (address, 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


class Client:
    """A client of one application, in a loop of its own."""

    def __init__(self, app: Any, wire: str, token: str | None = None) -> None:
        self.app, self.wire, self.token = app, wire, token
        self.loop = asyncio.new_event_loop()
        self.session: str | None = None
        self._entered, self._streams = 0, list[asyncio.Task[None]]()
        self._asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.loop.run_until_complete(self._open())
        atexit.register(self._close)

    async def _open(self) -> None:
        started = asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            started.set()

        self._life = asyncio.create_task(self.app({"type": "lifespan", "state": {}}, self._asked.get, send))
        await self._asked.put({"type": "lifespan.startup"})
        await started.wait()
        if self.wire == LATEST:
            return
        ping = Case("ping", "ping", {}, bool)
        for body in opening():
            exchange = await self._post(body, self._headers(ping))
            found = {name.lower(): value for name, value in exchange.start["headers"]}
            self.session = self.session or found.get(b"mcp-session-id", b"").decode() or None

    def _close(self) -> None:
        for stream in self._streams:
            stream.cancel()
        self._asked.put_nowait({"type": "lifespan.shutdown"})
        self.loop.run_until_complete(self._life)
        self.loop.close()

    def _headers(self, case: Case) -> list[tuple[bytes, bytes]]:
        sent = headers(case, self.wire) | ({"mcp-session-id": self.session} if self.session else {})
        sent |= {"authorization": f"Bearer {self.token}"} if self.token else {}
        return [(name.encode(), value.encode()) for name, value in sent.items()]

    async def _post(self, body: bytes, sent: list[tuple[bytes, bytes]], address: str = "127.0.0.1") -> _Exchange:
        exchange = _Exchange(body)
        length = (b"content-length", b"%d" % len(body))
        await self.app(_scope("POST", [*sent, length], address), exchange.receive, exchange.send)
        return exchange

    def enter(self, count: int, *, with_stream: bool) -> None:
        """Open so many more sessions, each from its own address, and a stream for later messages in each."""
        self.loop.run_until_complete(self._enter(count, with_stream))

    async def _enter(self, count: int, with_stream: bool) -> None:
        named = headers(Case("ping", "ping", {}, bool), self.wire).items()
        for _ in range(count):
            address = f"10.0.{self._entered // 256}.{self._entered % 256}"
            sent = [(name.encode(), value.encode()) for name, value in named]
            self._entered += 1
            first, second = opening()
            exchange = await self._post(first, sent, address)
            sent += [pair for pair in exchange.start["headers"] if pair[0].lower() == b"mcp-session-id"]
            await self._post(second, sent, address)
            if with_stream:
                stream = _Exchange(b"")
                asked = self.app(_scope("GET", sent, address), stream.receive, stream.send)
                self._streams.append(asyncio.create_task(asked))
                while stream.start is None and not self._streams[-1].done():
                    await asyncio.sleep(0)
                if stream.start is None or stream.start["status"] != 200:
                    raise SystemExit(f"no stream: {stream.start} {stream.parts} {self._streams[-1]}")

    def checked(self, system: str, case: Case) -> None:
        """Ask once, and look at the answer."""
        exchange = self.loop.run_until_complete(self._post(request(case, self.wire), self._headers(case)))
        check(system, case, b"".join(exchange.parts))

    def weighed(self, case: Case) -> int:
        """Ask once, and say how many bytes came."""
        exchange = self.loop.run_until_complete(self._post(request(case, self.wire), self._headers(case)))
        return sum(map(len, exchange.parts))

    def timed(self, case: Case, calls: int) -> float:
        """The seconds so many requests take, one after the other."""
        return self.loop.run_until_complete(self._timed(request(case, self.wire), self._headers(case), calls))

    async def _timed(self, body: bytes, sent: list[tuple[bytes, bytes]], calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            await self._post(body, sent)
        return time.perf_counter() - start
