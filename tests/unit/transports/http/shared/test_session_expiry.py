"""Sessions end when they are not used for the idle time: a use counts, whichever replica it reaches."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from mounted import Live, initialize, session, speak
from plainmcp.protocol import store_steps as steps
from plainmcp.replicas import keys, reader, replica
from plainmcp.store import MemoryStore, Store, StoreError
from plainmcp.transports.http.shared import session_expiry
from plainmcp.transports.http.shared.session import SharedSession
from redis_server import RedisServer, free_port, running_redis
from replicas import call, question, replicas, request, wait_until

pytestmark = pytest.mark.slow  # idle times pass for real

IDLE = 0.6
PING = request("ping")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_expiry, "LEAST", 0.1)
    monkeypatch.setattr(reader, "TICK", 0.05)
    monkeypatch.setattr(reader, "WAIT", 0.05)
    monkeypatch.setattr(steps, "LATE", 10.0)  # a busy machine is not a slow store: calls would go on without it


def run(work: Any) -> None:
    asyncio.run(work)


async def status_of(app: Any, headers: dict[str, str]) -> int:
    status: int = (await speak(app, PING, headers)).status
    return status


async def wait_until_old(app: Any) -> None:
    """Wait until the store is so old that it says what is idle."""
    replica = app.endpoint.sessions.local.replica
    await wait_until(lambda: replica.store.get(replica.keys.key("began")) is not None)
    await asyncio.sleep(1.2 * IDLE)


def test_a_session_that_is_not_used_ends_at_every_replica(store: Store) -> None:
    async def work() -> None:
        with replicas(store, settings={"session_idle_seconds": IDLE}) as (one, other):
            headers = await session(one)
            await wait_until_old(one)
            await asyncio.sleep(0.3)
            assert await status_of(other, headers) == 404
            assert await status_of(one, headers) == 404
            assert (await speak(other, call("add", a=1, b=2), headers)).status == 404

    run(work())


def test_a_session_that_is_used_at_one_replica_goes_on_at_the_others(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 3, settings={"session_idle_seconds": IDLE}) as (one, other, third):
            await wait_until_old(one)
            headers = await session(one)
            assert await status_of(other, headers) == 200
            for _ in range(10):
                await asyncio.sleep(IDLE / 5)
                assert await status_of(one, headers) == 200
            assert await status_of(other, headers) == 200  # which has forgotten it
            assert await status_of(third, headers) == 200  # which has never seen it

    run(work())


def test_a_single_use_at_a_replica_that_did_not_know_the_session_counts(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 3, settings={"session_idle_seconds": IDLE}) as (one, other, third):
            await wait_until_old(one)
            headers = await session(one)
            await asyncio.sleep(0.8 * IDLE)
            assert await status_of(other, headers) == 200
            await asyncio.sleep(0.8 * IDLE)
            assert await status_of(third, headers) == 200
            await asyncio.sleep(0.8 * IDLE)
            assert await status_of(one, headers) == 200

    run(work())


def test_a_request_to_an_idle_session_does_not_bring_it_back(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 3, settings={"session_idle_seconds": IDLE}) as apps:
            headers = await session(apps[0])
            await wait_until_old(apps[0])
            await asyncio.sleep(0.3)
            answers = await asyncio.gather(*(status_of(app, headers) for app in apps for _ in range(5)))
            assert set(answers) == {404}
            await asyncio.sleep(0.2)
            assert [await status_of(app, headers) for app in apps] == [404] * 3

    run(work())


def test_requests_at_once_to_an_idle_session_are_all_refused_however_long_its_end_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end = SharedSession.close

    def close_slowly(session: SharedSession) -> None:
        time.sleep(0.02)
        end(session)

    monkeypatch.setattr(SharedSession, "close", close_slowly)

    async def work() -> None:
        with replicas(MemoryStore(), settings={"session_idle_seconds": IDLE}) as apps:
            headers = await session(apps[0])
            await wait_until_old(apps[0])
            await asyncio.sleep(0.3)
            answers = await asyncio.gather(*(status_of(app, headers) for app in apps for _ in range(8)))
            assert set(answers) == {404}

    run(work())


@pytest.mark.parametrize("what", ["stream", "question"])
def test_a_session_with_an_open_stream_or_a_running_request_is_in_use(what: str) -> None:
    async def work() -> None:
        with replicas(MemoryStore(), settings={"session_idle_seconds": IDLE}) as (one, other):
            await wait_until_old(one)
            headers = await session(one, elicitation={})
            live = Live(one, call("ask"), headers) if what == "question" else Live(one, None, headers, "GET")
            await (question(live) if what == "question" else live.until(lambda stream: stream.status))
            for _ in range(3):
                await asyncio.sleep(IDLE)
                assert not live.over
            assert await status_of(other, headers) == 200
            live.hang_up()
            await live.task

    run(work())


def test_a_store_that_lost_all_does_not_end_sessions() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store, settings={"session_idle_seconds": IDLE}) as (one, other):
            await wait_until_old(one)
            headers = await session(one)
            await asyncio.sleep(1.2 * IDLE)
            store._values.clear()
            assert await status_of(other, headers) == 200

    run(work())


def test_a_store_that_fails_does_not_end_sessions() -> None:
    class Failing(MemoryStore):
        def get(self, key: str) -> bytes | None:
            from plainmcp.store import StoreError

            raise StoreError("out of order")

    async def work() -> None:
        with replicas(Failing(), settings={"session_idle_seconds": IDLE}) as (one, other):
            headers = await session(one)
            await asyncio.sleep(1.2 * IDLE)
            assert await status_of(other, headers) == 200

    run(work())


def test_a_forged_state_does_not_keep_a_session() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store, settings={"session_idle_seconds": IDLE}) as (one, other):
            headers = await session(one)
            [held] = one.endpoint.sessions.local._by_name.values()
            store.put(one.endpoint.sessions.local.replica.keys.session_of(held.name), b"x" * 50, 60)
            await wait_until_old(one)
            assert await status_of(other, headers) == 404

    run(work())


# Real processes -----------------------------------------------------------------------------------

PROGRAM = """\
import sys
from plainmcp import Server
from plainmcp.redis import RedisStore

server = Server("idle", "1", key=b"the key of all replicas")
server.run(http=f"127.0.0.1:{sys.argv[1]}", store=RedisStore(sys.argv[2]), session_idle_seconds=float(sys.argv[3]))
"""


@contextmanager
def processes(folder: Path, redis: RedisServer, idle: float) -> Iterator[list[str]]:
    """Two processes of a server; gives their URLs."""
    program = folder / "idle.py"
    program.write_text(PROGRAM, "utf-8")
    with ExitStack() as stack:
        urls = []
        for port in (free_port(), free_port()):
            process = subprocess.Popen(
                [sys.executable, program, str(port), redis.url, str(idle)], stderr=subprocess.PIPE, env=os.environ
            )
            stack.callback(process.wait, 10)
            stack.callback(process.terminate)
            assert process.stderr is not None
            stack.callback(process.stderr.close)
            while b"http://" not in process.stderr.readline():
                assert process.poll() is None
            urls.append(f"http://127.0.0.1:{port}/mcp")
        yield urls


@pytest.mark.slow
def test_two_processes_with_a_real_redis(tmp_path: Path) -> None:
    accept = {"accept": "application/json, text/event-stream"}
    with running_redis() as redis, processes(tmp_path, redis, idle := 2.0) as (one, other), httpx.Client() as http:

        def open_session() -> dict[str, str]:
            opened = http.post(one, json=initialize(), headers=accept)
            return {**accept, "mcp-session-id": opened.headers["mcp-session-id"]}

        def ping(url: str, headers: dict[str, str]) -> int:
            return http.post(url, json=PING, headers=headers).status_code

        used, unused = open_session(), open_session()
        until = time.monotonic() + 2.2 * idle
        while time.monotonic() < until:
            assert ping(one, used) == 200
            time.sleep(idle / 4)
        assert ping(other, used) == 200
        assert ping(other, unused) == 404
        assert ping(one, unused) == 404


def test_one_caller_cannot_fill_the_store_with_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of use and ends of sessions count for its share of the store."""
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", 10 * keys.SMALL)

    async def work() -> None:
        store = MemoryStore()
        settings = {"session_idle_seconds": 0.5, "principal": lambda scope: "ada"}
        with replicas(store, 1, settings=settings) as [one]:
            opened = [await session(one) for _ in range(20)]
            await asyncio.sleep(0.1)
            assert [await status_of(one, headers) for headers in opened] == [200] * 20
            await wait_until(lambda: sum(":session:" in key for key in store._values) == 10)
            refused = await speak(one, None, opened[0], "DELETE")
            assert refused.status == 429 and 1 < int(refused.headers["retry-after"]) <= replica.PERIOD
            assert [await status_of(one, headers) for headers in opened] == [200] * 20
            assert sum(":session:" in key for key in store._values) <= 10

    run(work())


def test_a_session_in_use_does_not_end_because_the_store_was_away_for_long() -> None:
    """It could not take the signs of its use meanwhile."""

    class Away(MemoryStore):
        is_away = False

        def __getattribute__(self, name: str) -> Any:
            if name in ("get", "put", "change", "append", "read", "last") and super().__getattribute__("is_away"):
                raise StoreError("away")
            return super().__getattribute__(name)

    async def work() -> None:
        store = Away()
        with replicas(store, settings={"session_idle_seconds": IDLE}) as apps:
            headers = await session(apps[0])
            await wait_until_old_with(apps, headers)
            store.is_away = True
            for _ in range(12):
                await asyncio.sleep(IDLE / 5)
                assert [await status_of(app, headers) for app in apps] == [200, 200]
            store.is_away = False
            await wait_until(lambda: not any(app.endpoint.sessions.local.replica.health.why_down for app in apps))
            assert [await status_of(app, headers) for app in apps] == [200, 200]

    async def wait_until_old_with(apps: list[Any], headers: dict[str, str]) -> None:
        for _ in range(12):
            await asyncio.sleep(IDLE / 8)
            assert [await status_of(app, headers) for app in apps] == [200, 200]

    run(work())
