"""Our ASGI application under somebody else's server that shuts down (P21). test_ending has `uvicorn app:app`."""

import asyncio
import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from mounted import Live, initialize
from plainmcp import Server
from posting import ask
from talking import until

pytestmark = pytest.mark.slow  # it serves, and waits for that

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def make_app(ended: list[str] | None = None, name: str = "s") -> Any:
    @asynccontextmanager
    async def life(server: Server) -> AsyncIterator[None]:
        yield
        if ended is not None:
            ended.append(name)

    server = Server(name, lifespan=life)

    @server.tool
    def hang() -> str:
        time.sleep(3600)
        return "never"

    return server.asgi()


class Uvicorn:
    """A server of uvicorn in a thread of its own, which no signal reaches."""

    def __init__(self, app: Any, **options: Any) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, **options))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()

    def ends(self, seconds: float = 10) -> bool:
        self.thread.join(seconds)
        return not self.thread.is_alive()


@contextmanager
def stream(port: int, path: str = "/mcp") -> Iterator[http.client.HTTPResponse]:
    """A GET stream for later messages."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        connection.request("POST", path, json.dumps(message), HEADERS)
        answer = connection.getresponse()
        answer.read()
        session = answer.headers["Mcp-Session-Id"]
        connection.request("GET", path, headers={**HEADERS, "Mcp-Session-Id": session})
        with connection.getresponse() as opened:
            assert opened.status == 200
            yield opened


def call(port: int, path: str = "/mcp") -> http.client.HTTPConnection:
    """Call a tool that never returns."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "hang", "arguments": {}, "_meta": meta}
    headers = {**HEADERS, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "hang"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(
        "POST", path, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}), headers
    )
    return connection


def test_a_server_that_is_told_to_exit_without_a_signal_ends_its_streams() -> None:
    ended: list[str] = []
    host = Uvicorn(make_app(ended))
    with stream(host.port) as opened:
        host.server.should_exit = True
        assert host.ends()
        opened.read()  # it has an end
    assert ended == ["s"]
    assert "shutdown" not in vars(host.server)


def test_a_server_with_a_limit_of_requests_ends_its_streams() -> None:
    host = Uvicorn(make_app(), limit_max_requests=2)
    with stream(host.port):
        assert ask(host.port, "DELETE", "/mcp")[0] == 400
        assert host.ends()


def test_an_application_that_is_mounted_ends_too_and_its_lifespan() -> None:
    """A framework does not pass its lifespan on."""
    ended: list[str] = []
    mounts = [Mount("/a", make_app(ended, "a")), Mount("/b", make_app(ended, "b"))]
    host = Uvicorn(Starlette(routes=mounts))
    with stream(host.port, "/a/"), stream(host.port, "/b/"):
        host.server.should_exit = True
        assert host.ends()
    assert sorted(ended) == ["a", "b"]


def test_an_application_can_be_served_again() -> None:
    app = make_app()
    for lifespan in ("auto", "off", "off"):
        host = Uvicorn(app, lifespan=lifespan)
        with stream(host.port):
            host.server.should_exit = True
            assert host.ends()


def test_a_call_is_given_up_before_uvicorn_would_cancel_it() -> None:
    host = Uvicorn(make_app(), timeout_graceful_shutdown=1)
    with closing(call(host.port)) as asked:
        until(lambda: host.server.server_state.tasks)
        time.sleep(0.3)
        host.server.should_exit = True
        answer = json.loads(asked.getresponse().read())
        assert answer["error"] == {
            "code": -32603,
            "message": "the server is shutting down, and gave up this request",
        }
        assert host.ends()


def test_each_of_two_servers_in_a_loop_ends_its_own_streams() -> None:
    apps = [make_app(name="one"), make_app(name="two")]
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in apps]
    servers = [uvicorn.Server(uvicorn.Config(app, log_config=None)) for app in apps]

    async def serve() -> None:
        await asyncio.gather(*(server.serve([one]) for server, one in zip(servers, sockets, strict=True)))

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    ports = [one.getsockname()[1] for one in sockets]
    with stream(ports[0]) as first, stream(ports[1]) as second:
        servers[1].should_exit = True
        second.read()
        until(lambda: not servers[1].servers[0].is_serving())
        assert servers[0].should_exit is False
        with stream(ports[0]) as another:  # it is not draining
            servers[0].should_exit = True
            first.read()
            another.read()
        thread.join(10)
        assert not thread.is_alive()


# Other servers: signals -------------------------------------------------------------------------------


@contextmanager
def handled(number: int, handler: Any) -> Iterator[None]:
    former = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, former)


async def open_stream(app: Any) -> Live:
    """A GET stream for later messages, in memory."""
    opened = Live(app, initialize("2025-11-25"))
    await opened.until(lambda one: one.over)
    headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    live = Live(app, None, headers, method="GET")
    await live.until(lambda one: one.status == 200)
    return live


async def end_lifespan(app: Any) -> None:
    messages = iter(({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}))

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None: ...

    await app({"type": "lifespan"}, receive, send)


def test_a_server_that_handles_sigterm_in_its_loop_still_does_and_the_streams_end() -> None:
    """As granian and hypercorn do it."""

    async def serve() -> None:
        app, stops = make_app(), asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, stops.set)
        live = await open_stream(app)
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(10):
            await stops.wait()
            await live.task
        assert live.over
        loop.remove_signal_handler(signal.SIGTERM)

    former = signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(serve())
    finally:
        signal.signal(signal.SIGTERM, former)


def test_a_handler_before_ours_and_one_behind_it_are_called_and_put_back() -> None:
    async def serve() -> None:
        app, seen = make_app(), []
        with handled(signal.SIGTERM, lambda number, frame: seen.append(number)):
            behind = signal.getsignal(signal.SIGTERM)
            live = await open_stream(app)
            assert signal.getsignal(signal.SIGTERM) != behind
            for _ in range(2):
                signal.raise_signal(signal.SIGTERM)
            async with asyncio.timeout(10):
                await live.task
            assert seen == [signal.SIGTERM] * 2
            await end_lifespan(app)
            assert signal.getsignal(signal.SIGTERM) == behind

    asyncio.run(serve())


def test_a_handler_that_came_later_stays() -> None:
    async def serve() -> None:
        app = make_app()
        with handled(signal.SIGTERM, lambda number, frame: None):
            live = await open_stream(app)
            ours = signal.getsignal(signal.SIGTERM)
            seen: list[int] = []

            def later(number: int, frame: Any) -> None:
                seen.append(number)
                ours(number, frame)  # type: ignore[operator, misc]

            signal.signal(signal.SIGTERM, later)
            signal.raise_signal(signal.SIGTERM)
            async with asyncio.timeout(10):
                await live.task
            await end_lifespan(app)
            assert signal.getsignal(signal.SIGTERM) is later
            signal.raise_signal(signal.SIGTERM)
            assert seen == [signal.SIGTERM] * 2

    asyncio.run(serve())


@pytest.mark.parametrize("is_main", [True, False])
def test_where_nobody_waits_for_a_signal_or_no_signal_comes_nothing_is_changed(is_main: bool) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    async def serve() -> None:
        during = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
        live = await open_stream(make_app())
        assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == during
        live.hang_up()
        await live.task

    if is_main:
        asyncio.run(serve())
    else:
        with handled(signal.SIGTERM, lambda number, frame: None):
            thread = threading.Thread(target=asyncio.run, args=(serve(),))
            thread.start()
            thread.join()
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
