"""Processes that share a store with `Server(store=)`: those that serve, over any transport, and those that do not."""

import asyncio
import json
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from mounted import Live, modern, session, speak
from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.replicas.replica import MAX_URI
from plainmcp.store import MemoryStore, StoreError
from redis_server import RedisServer, free_port, running_redis
from replicas import KEY, make_server, messages, request, wait_until
from talking import until

UPDATED = "notifications/resources/updated"

SERVED = """
from plainmcp import Server

server = Server("library", "1", key={key!r})
server.resource("memo://one", name="one")(lambda: "1")
server.tool(name="add")(lambda: "1")
server.prompt(name="ask")(lambda: "1")
"""

WORKER = """
from plainmcp import Server
from plainmcp.redis import RedisStore

server = Server("library", "1", key={key!r}, store=RedisStore({url!r}))
server.tool(name="add")(lambda: "put together before a server starts, so nobody is told")
for _ in range({times}):
    server.resource_updated("memo://one")
server.tools_changed()
server.resources_changed()
server.prompts_changed()
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


@contextmanager
def serving(program: Path, *options: str) -> Iterator[str]:
    """A process that serves a program over HTTP: its URL."""
    port = free_port()
    command = [sys.executable, "-m", "plainmcp", "serve", str(program), "--http", f"127.0.0.1:{port}", *options]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        until(lambda: b"serving MCP" in process.stderr.readline())  # type: ignore[union-attr]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=20)


async def follow(
    http: httpx.AsyncClient, heard: list[str], opened: asyncio.Event, *request: Any, **parts: Any
) -> None:
    """Open a stream, and note the methods of the notifications on it."""
    async with http.stream(*request, **parts) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            opened.set()
            if line.startswith("data: {"):
                message = json.loads(line[6:])
                heard.append(message["method"].removeprefix("notifications/"))


async def subscribe(http: httpx.AsyncClient, url: str, revision: str) -> tuple[str, str, dict[str, Any], Any]:
    """The request of a client of a revision for the stream with the changes of a resource and of all lists."""
    accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    if revision == "2026-07-28":
        lists = dict.fromkeys(("toolsListChanged", "resourcesListChanged", "promptsListChanged"), True)
        wanted = {"resourceSubscriptions": ["memo://one"], **lists}
        body, headers = modern("subscriptions/listen", notifications=wanted)
        return "POST", url, accept | headers, body
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    opened = await http.post(url, json=request("initialize", **hello), headers=accept)
    headers = {**accept, "mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": revision}
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("resources/subscribe", uri="memo://one"),
    ):
        assert (await http.post(url, json=message, headers=headers)).is_success
    return "GET", url, headers, None


@pytest.mark.slow
def test_a_worker_without_http_tells_the_subscribers_of_all_replicas_once_and_ends(
    redis: RedisServer, tmp_path: Path
) -> None:
    """All are processes. Subscribers at both replicas: sessions of each revision, and listen requests."""
    times, program = 1_000, tmp_path / "library.py"
    program.write_text(SERVED.format(key=KEY))
    revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

    async def work(urls: list[str]) -> None:
        heard: dict[tuple[str, str], list[str]] = {(url, revision): [] for url in urls for revision in revisions}
        limits = httpx.Limits(max_keepalive_connections=0)
        async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(20, read=None), trust_env=False) as http:
            tasks = []
            for (url, revision), notes in heard.items():
                method, url, headers, body = await subscribe(http, url, revision)
                opened = asyncio.Event()
                streamed = follow(http, notes, opened, method, url, headers=headers, json=body)
                tasks.append(asyncio.create_task(streamed))
                await asyncio.wait_for(opened.wait(), 20)
            await asyncio.sleep(0.5)
            done = await asyncio.to_thread(run_program, WORKER, url=redis.url, times=times)
            assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
            await wait_until(lambda: all("prompts/list_changed" in notes for notes in heard.values()), 20)
            await asyncio.sleep(0.5)  # nothing comes twice
            for task in tasks:
                assert not task.done()
                task.cancel()
        once = dict.fromkeys(("tools/list_changed", "resources/list_changed", "prompts/list_changed"), 1)
        for (_, revision), notes in heard.items():
            first = {"subscriptions/acknowledged": 1} if revision == "2026-07-28" else {}
            assert Counter(notes) == {**first, "resources/updated": times, **once}, revision

    with serving(program, "--redis", redis.url) as one, serving(program, "--redis", redis.url) as other:
        asyncio.run(work([one, other]))


def test_a_worker_whose_store_is_away_is_told_so() -> None:
    server = Server("library", "1", key=KEY, store=RedisStore("redis://127.0.0.1:1"))
    server.tool(name="one")(lambda: "a list that changes before the server starts asks no store")
    for tell in (partial(server.resource_updated, "memo://one"), server.tools_changed, server.prompts_changed):
        with pytest.raises(StoreError):
            tell()
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
