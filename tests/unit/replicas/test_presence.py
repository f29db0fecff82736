"""Processes that share a store with `Server(store=)`: those that serve, over any transport, and those that do not."""

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from mounted import Live, modern, session, speak
from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.replicas.replica import MAX_URI
from plainmcp.store import MemoryStore, StoreError
from redis_server import RedisServer, running_redis
from replicas import KEY, make_server, messages, request, wait_until

UPDATED = "notifications/resources/updated"

WORKER = """
from plainmcp import Server
from plainmcp.redis import RedisStore

server = Server("library", "1", key={key!r}, store=RedisStore({url!r}))
server.resource("memo://one", name="one")(lambda: "1")
for _ in range({times}):
    server.resource_updated("memo://one")
print("done")
"""

STDIO = """
from plainmcp import Server
from plainmcp.redis import RedisStore

server = Server("library", "1", key={key!r}, store=RedisStore({url!r}))
server.resource("memo://one", name="one")(lambda: "1")
server.run()
"""


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


def run_program(source: str, **values: Any) -> subprocess.CompletedProcess[str]:
    program = textwrap.dedent(source).format(key=KEY, **values)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)


def test_a_worker_without_http_tells_the_subscribers_of_all_replicas_once_and_ends(redis: RedisServer) -> None:
    """Both kinds of subscribers: a session of 2025-11-25, and a listen request of 2026-07-28, at each replica."""
    times = 1_000

    async def work() -> None:
        servers = [make_server(store=RedisStore(redis.url)) for _ in range(2)]
        apps = [server.asgi() for server in servers]
        for app in apps:
            await asyncio.to_thread(app.endpoint.start)
        streams = []
        for app in apps:
            headers = await session(app)
            await speak(app, request("resources/subscribe", uri="memo://one"), headers)
            streams.append(Live(app, None, headers, "GET"))
            await streams[-1].until(lambda live: live.status)
            body, listen = modern("subscriptions/listen", notifications={"resourceSubscriptions": ["memo://one"]})
            streams.append(Live(app, body, listen))
            await streams[-1].until(messages)
        await asyncio.sleep(0.5)
        done = await asyncio.to_thread(run_program, WORKER, url=redis.url, times=times)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
        for stream in streams:
            await stream.until(lambda live: len(updates(live)) >= times)
        await asyncio.sleep(0.5)
        assert [len(updates(stream)) for stream in streams] == [times] * 4
        for stream in streams:
            stream.hang_up()
            await stream.task
        for app in apps:
            await asyncio.to_thread(app.close)

    def updates(live: Live) -> list[Any]:
        return [one for one in messages(live) if one.get("method") == UPDATED]

    asyncio.run(work())


def test_a_worker_whose_store_is_away_is_told_so() -> None:
    server = Server("library", "1", key=KEY, store=RedisStore("redis://127.0.0.1:1"))
    server.tool(name="one")(lambda: "a list that changes before the server starts asks no store")
    with pytest.raises(StoreError):
        server.resource_updated("memo://one")
    with pytest.raises(StoreError, match="cannot be sent to other processes"):
        server.resource_updated("x" * (MAX_URI + 1))


def test_a_list_that_a_worker_changes_after_its_start_is_told(redis: RedisServer) -> None:
    async def work() -> None:
        app = make_server(store=RedisStore(redis.url)).asgi()
        await asyncio.to_thread(app.endpoint.start)
        body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        stream = Live(app, body, headers)
        await stream.until(messages)
        worker = make_server(store=RedisStore(redis.url))
        await asyncio.sleep(0.5)
        assert len(messages(stream)) == 1  # only that it listens
        await worker.start_async()
        worker.disable(names=["add"])
        await worker.close_async()
        await stream.until(lambda live: len(messages(live)) == 2)
        assert messages(stream)[1]["method"] == "notifications/tools/list_changed"
        stream.hang_up()
        await stream.task
        await asyncio.to_thread(app.close)

    asyncio.run(work())


def test_a_client_on_standard_input_hears_of_the_changes_of_other_processes(redis: RedisServer) -> None:
    program = STDIO.format(key=KEY, url=redis.url)
    client = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert client.stdin is not None and client.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": "memo://one"}},
    ]
    try:
        client.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in sent))
        client.stdin.flush()
        assert [json.loads(client.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        Server("library", "1", key=KEY, store=RedisStore(redis.url)).resource_updated("memo://one")
        assert json.loads(client.stdout.readline())["method"] == UPDATED
        client.stdin.close()
        assert client.wait(10) == 0
    finally:
        client.kill()
        client.stdout.close()


def test_the_store_of_a_server_is_that_of_its_applications() -> None:
    store = MemoryStore()
    server = Server("library", "1", store=store)

    async def work() -> None:
        app, other = server.asgi(), server.asgi(store=store)
        headers = await session(app)
        assert (await speak(other, request("ping"), headers)).status == 200
        for one in (app, other):
            await asyncio.to_thread(one.close)

    asyncio.run(work())
    with pytest.raises(AuthorError, match="has another store"):
        server.asgi(store=MemoryStore())
    with pytest.raises(AuthorError, match="leave out stateless= and sessions="):
        server.asgi(stateless=True)
    with pytest.raises(AuthorError, match="belongs to one process"):
        server.run(http="127.0.0.1:0", workers=2)


def test_what_is_no_store_or_has_no_key_is_refused_when_the_server_is_made() -> None:
    with pytest.raises(AuthorError, match=r"store= must be an object such as RedisStore"):
        Server("library", "1", store="redis://127.0.0.1")
    with pytest.raises(AuthorError, match=r"store= needs the same Server\(key=…\)"):
        Server("library", "1", store=RedisStore("redis://127.0.0.1:1"))


def test_a_server_follows_from_its_start_to_its_end() -> None:
    server, other = (Server("library", "1", store=store, key=KEY) for store in [MemoryStore()] for _ in range(2))
    heard: list[Any] = []
    server.registry.listen(lambda event, uri: heard.append((event, uri)))
    server.start()
    server.start()
    other.resource_updated("memo://one")
    asyncio.run(wait_until(lambda: heard))
    server.resource_updated("memo://two")
    asyncio.run(wait_until(lambda: len(heard) == 2))
    server.close()
    server.close()
    other.resource_updated("memo://three")
    assert heard == [("resources/updated", "memo://one"), ("resources/updated", "memo://two")]
