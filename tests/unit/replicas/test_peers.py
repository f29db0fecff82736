"""Who has acknowledged a broadcast: all replicas before the response goes out, and no waiting for the dead."""

import asyncio
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from mounted import session, speak
from plainmcp.protocol import store_steps as steps
from plainmcp.replicas import heartbeat, reader, writer
from plainmcp.replicas import replica as replica_module
from plainmcp.replicas.entries import Join
from plainmcp.replicas.peers import Peers
from plainmcp.store import Entry, MemoryStore, Store
from replicas import call, messages, replicas, request, wait_until


class Waiting:
    """A thread that waits for a broadcast."""

    def __init__(self, peers: Peers, number: int) -> None:
        self.thread = threading.Thread(target=peers.wait, args=(number, 10), daemon=True)
        self.thread.start()

    def is_over(self, seconds: float = 5) -> bool:
        self.thread.join(seconds)
        return not self.thread.is_alive()


def test_it_waits_until_all_have_acknowledged_a_broadcast() -> None:
    peers = Peers()
    for name in ("a", "b", "b"):
        peers.add(name)
    number, other = peers.begin(), peers.begin()
    waiting = Waiting(peers, number)
    peers.note_ack(number, "a")
    peers.note_ack(other, "b")  # another broadcast
    assert not waiting.is_over(0.05)
    peers.note_ack(number, "b")
    assert waiting.is_over() and peers.late == set()
    peers.end(number)
    peers.note_ack(number, "b")  # nobody waits for it any more
    peers.end(other)
    assert peers._acks == {}


def test_it_does_not_wait_for_those_that_have_left() -> None:
    peers = Peers()
    peers.add("a")
    waiting = Waiting(peers, peers.begin())
    assert not waiting.is_over(0.05)
    peers.remove("a")
    assert waiting.is_over()
    peers.wait(peers.begin(), 10)  # there is nobody


def test_those_that_are_late_are_known_until_they_acknowledge_something() -> None:
    peers = Peers()
    for name in ("a", "b", "c"):
        peers.add(name)
    number = peers.begin()
    peers.note_ack(number, "a")
    started = time.monotonic()
    peers.wait(number, 0.02)
    assert time.monotonic() - started < 2 and peers.late == {"b", "c"}
    peers.note_ack(number, "b")
    peers.remove("c")
    assert peers.late == set()


# Replicas -----------------------------------------------------------------------------------------


class Hindered(MemoryStore):
    """A store from which one thread reads slowly, or not at all."""

    thread: str | None = None
    seconds = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.going_on = threading.Event()
        self.going_on.set()

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        entries = super().read(after, min(seconds, 0.05))
        if threading.current_thread().name == self.thread:
            time.sleep(self.seconds)
            self.going_on.wait(20)
        return entries

    def hinder(self, app: Any) -> None:
        self.thread = f"plainmcp-read-{app.endpoint.sessions.local.replica.name}"


def test_a_response_means_that_every_replica_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is slow to read: R2511-SESS-04 holds everywhere at once."""
    monkeypatch.setattr(replica_module, "ACK_SECONDS", 5.0)

    async def work() -> None:
        store = Hindered()
        with replicas(store) as (one, other):
            store.hinder(other)
            headers = await session(one)
            assert (await speak(other, request("ping"), headers)).status == 200
            store.seconds = 0.15
            assert (await speak(one, request("logging/setLevel", level="debug"), headers)).json["result"] == {}
            heard = messages(await speak(other, call("log"), headers))[:-1]
            assert [message["params"]["level"] for message in heard] == ["debug", "error"]
            assert (await speak(one, None, headers, "DELETE")).status == 204
            assert (await speak(other, request("ping"), headers)).status == 404

    asyncio.run(work())


def test_a_replica_that_was_paused_looks_whether_a_session_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LAG", 0.4)

    async def work() -> None:
        store = Hindered()
        with replicas(store) as (one, other):
            store.hinder(other)
            ended, kept = await session(one), await session(one)
            for headers in (ended, kept):
                assert (await speak(other, request("ping"), headers)).status == 200
            store.going_on.clear()
            assert (await speak(one, None, ended, "DELETE")).status == 204  # it is not waited for long
            reading = other.endpoint.sessions.local.replica.reader
            await wait_until(lambda: time.monotonic() - reading.last_read > 1.1)
            assert (await speak(other, request("ping"), ended)).status == 404
            assert (await speak(other, request("ping"), kept)).status == 200
            store.going_on.set()

    asyncio.run(work())


def test_replicas_that_are_dead_or_have_left_are_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "ALIVE", 0.3)
    monkeypatch.setattr(writer, "BEAT", 0.1)
    monkeypatch.setattr(reader, "TICK", 0.05)
    monkeypatch.setattr(replica_module, "ACK_SECONDS", 1.0)
    monkeypatch.setattr(steps, "SECONDS", 5.0)

    async def seconds_of(app: Any, headers: dict[str, str]) -> float:
        started = time.monotonic()
        assert (await speak(app, request("logging/setLevel", level="debug"), headers)).json["result"] == {}
        return time.monotonic() - started

    async def work() -> None:
        with replicas(store) as (one, _):
            headers = await session(one)
            assert await seconds_of(one, headers) < 0.5
            replica = one.endpoint.sessions.local.replica
            with replicas(store, 1) as [third]:
                name = third.endpoint.sessions.local.replica.name
                await wait_until(lambda: name in replica._peers._names)
                assert await seconds_of(one, headers) < 0.5
            await wait_until(lambda: name not in replica._peers._names)
            replica.append(replica.keys.replicas, Join("dead"))
            await wait_until(lambda: "dead" in replica._peers._names)
            assert await seconds_of(one, headers) >= 1.0
            await wait_until(lambda: "dead" not in replica._peers._names)
            assert await seconds_of(one, headers) < 0.5

    asyncio.run(work())


def test_a_replica_joins_again_now_and_then_and_when_the_store_may_have_lost_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "TICK", 0.05)

    async def work() -> None:
        store = Hindered()
        with replicas(store, 1) as [one]:
            replica = one.endpoint.sessions.local.replica
            log = replica.keys.replicas
            await wait_until(lambda: store.last(log))
            first = store.last(log)
            monkeypatch.setattr(replica_module, "JOIN_PERIOD", 0.1)
            await wait_until(lambda: store.last(log) > first)
            monkeypatch.setattr(replica_module, "JOIN_PERIOD", 60.0)
            await asyncio.sleep(0.2)
            del store._logs[log]
            monkeypatch.setattr(reader, "LAG", 0.0)
            await wait_until(lambda: store.last(log))

    asyncio.run(work())
