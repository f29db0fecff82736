"""Streams that clients continue at another replica, when something of them is gone."""

import asyncio
from typing import Any

import pytest

from mounted import Live, session, speak
from plainmcp import Context
from plainmcp.protocol.store_keys import StreamName
from plainmcp.replicas import heartbeat as module
from plainmcp.replicas import writer
from plainmcp.store import MemoryStore
from replicas import call, messages, replicas, request, wait_until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "BEAT", 0.1)


def run(work: Any) -> None:
    asyncio.run(work)


@pytest.mark.parametrize("is_batch", [False, True])
def test_a_dead_replica_fails_what_it_answered(monkeypatch: pytest.MonkeyPatch, is_batch: bool) -> None:
    monkeypatch.setattr(module, "ALIVE", 0.5)
    monkeypatch.setattr(module, "RECENT", 2.0)
    count = call("count", 77, True, to=500)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one, "2025-03-26")
            live = Live(one, [call("add", 76, a=1, b=2), count] if is_batch else count, headers)
            await live.until(lambda stream: messages(stream))
            last = live.events[-1]["id"]
            dying = one.endpoint.sessions.local.replica
            dying._ending.set()  # as if it was killed: it neither writes nor reads any more
            monkeypatch.setattr(dying, "start", lambda: None)
            rest = await Live(other, None, {**headers, "last-event-id": last}, "GET").done()
            responses = messages(rest)[-1] if is_batch else [messages(rest)[-1]]
            assert [response["id"] for response in responses] == ([76, 77] if is_batch else [77])
            for response in responses:
                assert "the replica that answered this request is gone" in response["error"]["message"]
            live.hang_up()
            await live.task

    run(work())


def test_a_stream_that_is_not_kept_any_more_ends_with_an_error() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one)
            live = await Live(one, call("count", 5, True, to=2), headers).done()
            first = live.events[0]["id"]
            await asyncio.sleep(0.3)
            store._logs.clear()
            one.endpoint.sessions.local.kept.close()  # the replica has forgotten it, too
            rest = await Live(other, None, {**headers, "last-event-id": first}, "GET").done()
            assert messages(rest)[-1]["id"] == 5 and "not kept" in messages(rest)[-1]["error"]["message"]

    run(work())


def test_a_replica_that_forgot_its_own_stream_has_it_from_the_store_or_says_so() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store, 1) as [one]:
            headers = await session(one)
            live = await Live(one, call("count", 5, True, to=2), headers).done()
            first = live.events[0]["id"]
            await asyncio.sleep(0.3)
            one.endpoint.sessions.local.kept.close()
            rest = await Live(one, None, {**headers, "last-event-id": first}, "GET").done()
            assert messages(rest) == messages(live)
            one.endpoint.sessions.local.kept.close()
            store._logs.clear()
            rest = await Live(one, None, {**headers, "last-event-id": first}, "GET").done()
            assert messages(rest)[-1]["id"] == 5 and "not kept" in messages(rest)[-1]["error"]["message"]

    run(work())


def test_a_large_response_is_not_copied_into_the_store() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):

            @one.server.tool
            def large(ctx: Context) -> str:
                return "x" * 2**21

            headers = await session(one)
            live = Live(one, call("large"), {**headers, "accept": "text/event-stream"})
            await live.done()
            first = live.events[0]["id"]
            rest = await Live(other, None, {**headers, "last-event-id": first}, "GET").done()
            assert "not kept" in messages(rest)[-1]["error"]["message"]
            assert sum(len(entry.value) for log, _ in store._logs.values() for entry in log) < 2**20

    run(work())


def test_a_client_that_leaves_does_not_keep_its_stream_here_and_can_come_back() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            live = Live(one, call("count", 9, True, to=30, seconds=0.03), headers)
            await live.until(lambda stream: messages(stream))
            seen, last = len(messages(live)), live.events[-1]["id"]
            live.hang_up()
            await live.task
            mirrors = other.endpoint.sessions.local._mirrors._mirrors
            for _ in range(3):
                rest = Live(other, None, {**headers, "last-event-id": last}, "GET")
                await rest.until(lambda stream: messages(stream))
                seen, last = seen + len(messages(rest)), rest.events[-1]["id"]
                rest.hang_up()
                await rest.task
                await wait_until(lambda: not mirrors)
            rest = await Live(other, None, {**headers, "last-event-id": last}, "GET").done()
            assert [one["params"]["progress"] for one in messages(rest)[:-1]] == list(range(seen + 1, 31))
            assert messages(rest)[-1]["result"]["content"][0]["text"] == "counted"

    run(work())


def test_a_caller_that_copies_too_much_loses_copies_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", 2_000)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one)
            for number in range(20):
                live = await Live(one, call("count", number, True, to=2, seconds=0), headers).done()
                assert messages(live)[-1]["result"]["content"][0]["text"] == "counted"
            await asyncio.sleep(0.2)
            assert sum(len(entry.value) for log in store._logs.values() for entry in log[0]) < 20_000
            one.endpoint.sessions.local.kept.close()
            rest = await Live(other, None, {**headers, "last-event-id": live.events[0]["id"]}, "GET").done()
            assert "not kept" in messages(rest)[-1]["error"]["message"]

    run(work())


def test_the_end_of_a_mirror_does_not_end_the_one_that_has_replaced_it() -> None:
    """A client has come back to the same replica, before that has noticed that it had left."""

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(other, request("ping"), headers)
            shared = other.endpoint.sessions.local
            [held] = shared._get_all()
            name = held.log_of("x")
            former, newer = held.mirror("x", 0), held.mirror("x", 0)
            for stream in (former, newer):
                shared._mirrors.follow(held, stream, StreamName("0" * 12, b"1"))
                if stream is former:
                    mirror = shared._mirrors._mirrors[name]
            shared._mirrors._finish(mirror, None)
            assert former.finished and not newer.finished
            assert shared._mirrors._mirrors[name].stream is newer

    run(work())
