"""Sessions that all replicas serve: opened from their ids, and unknown everywhere after their end."""

import asyncio
import sys
import threading
from typing import Any

import pytest

from mounted import Live, session, speak
from plainmcp.redis import RedisStore
from plainmcp.replicas import writer
from plainmcp.store import MemoryStore, Store
from redis_server import running_redis
from replicas import SUBSCRIBE, call, messages, replicas, request, wait_until


def run(work: Any) -> None:
    asyncio.run(work)


def test_a_session_that_was_ended_is_unknown_everywhere(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            for app in (one, other):
                assert (await speak(app, request("ping"), headers)).status == 200
            assert (await speak(other, None, headers, "DELETE")).status == 204
            with replicas(store, 1) as [third]:
                for app in (one, other, third):
                    assert (await speak(app, request("ping"), headers)).status == 404

    run(work())


def test_a_session_that_was_ended_long_ago_is_unknown_to_a_new_replica(store: Store) -> None:
    """Also if the log of all replicas does not have that entry any more (R2511-SESS-04)."""

    async def work() -> None:
        with replicas(store) as (one, _):
            headers = await session(one)
            assert (await speak(one, None, headers, "DELETE")).status == 204
            for body in (
                request("ping"),
                request("tools/list"),
                call("add", a=1, b=2),
                call("count", 9, True, to=2),
                request("resources/subscribe", uri="memo://one"),
                [request("ping"), call("add", 2, a=1, b=2)],
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
            ):
                with replicas(store, 1) as [third]:
                    answer = await speak(third, body, headers)
                    if not isinstance(body, list):  # this revision has no batches
                        assert answer.status == 404 and "session" in answer.json["error"]["message"], body
                        assert answer.json.get("id") == body.get("id")
                    assert (await speak(third, request("ping"), headers)).status == 404
            with replicas(store, 1) as [third]:
                await Live(third, None, headers, "GET").done()  # it ends at once
                assert (await speak(third, None, headers, "GET")).status == 404

    run(work())


def test_only_some_ended_sessions_are_remembered_and_the_store_has_the_others(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.transports.http.shared.local_sessions.MAX_ENDED", 2)

    async def work() -> None:
        with replicas(store) as (one, other):
            ended = [await session(one) for _ in range(5)]
            for headers in ended:
                assert (await speak(one, None, headers, "DELETE")).status == 204
            assert len(one.endpoint.sessions.local._ended) == 2
            for app in (one, other):
                for headers in ended:
                    assert (await speak(app, request("ping"), headers)).status == 404

    run(work())


@pytest.mark.slow
@pytest.mark.parametrize("is_lost", [True, False])
def test_a_session_that_has_ended_stays_unknown_after_redis_has_lost_that(is_lost: bool) -> None:
    """Also at a replica that did not know of it before."""

    async def work() -> None:
        with running_redis(*(() if is_lost else ("--appendonly", "yes"))) as redis:
            store = RedisStore(redis.url)
            with replicas(store) as (one, other):
                ended, kept = [await session(one) for _ in range(3)], await session(one)
                for headers in ended:
                    assert (await speak(one, None, headers, "DELETE")).status == 204
                redis.stop()
                with replicas(store, 1) as [new]:
                    await wait_until(lambda: one.endpoint.sessions.local.replica.health.why_down)
                    for headers in ended[:1]:  # it cannot know
                        assert (await speak(new, request("ping"), headers)).status == 200
                    redis.start()
                    apps = (one, other, new)
                    await wait_until(
                        lambda: not any(app.endpoint.sessions.local.replica.health.why_down for app in apps), 20
                    )
                    for headers in ended:
                        async with asyncio.timeout(5):
                            while (await speak(new, request("ping"), headers)).status != 404:
                                await asyncio.sleep(0.01)
                    for app in apps:
                        assert (await speak(app, request("ping"), kept)).status == 200
            store.close()

    run(work())


def test_each_replica_writes_again_which_sessions_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the store has the newest one already, because another replica was first."""
    monkeypatch.setattr(writer, "BEAT", 0.05)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            old, new = await session(one), await session(one)
            assert (await speak(one, None, old, "DELETE")).status == 204
            with replicas(store, 1) as [third]:
                assert (await speak(third, None, new, "DELETE")).status == 204
                names = list(one.endpoint.sessions.local._ended)
                for app in (one, other):
                    await wait_until(lambda app=app: list(app.endpoint.sessions.local._ended) == names)
                store._values.clear()
                third.endpoint.sessions.local.records.end_again(list(third.endpoint.sessions.local._ended))
                await wait_until(lambda: any(names[-1] in key for key in store._values))
                await wait_until(lambda: any(names[0] in key for key in store._values))

    run(work())


@pytest.mark.slow
def test_a_new_session_does_not_get_the_changes_from_before_redis_lost_them() -> None:
    async def work() -> None:
        with running_redis() as redis:
            store = RedisStore(redis.url)
            with replicas(store) as apps:
                former = await session(apps[0])
                await speak(apps[0], call("touch"), former)
                redis.stop()
                await wait_until(lambda: all(app.endpoint.sessions.local.replica.health.why_down for app in apps))
                redis.start()
                await wait_until(
                    lambda: not any(app.endpoint.sessions.local.replica.health.why_down for app in apps), 20
                )
                headers, streams = await session(apps[0]), []
                assert (await speak(apps[0], SUBSCRIBE, headers)).json["result"] == {}
                for app in apps:
                    streams.append(Live(app, None, headers, "GET"))
                    await streams[-1].until(lambda live: live.status)
                    await asyncio.sleep(0.2)
                await speak(apps[0], call("touch", uri="memo://one"), headers)
                await streams[-1].until(lambda live: messages(live))
                assert [len(messages(live)) for live in streams] == [0, 1]
                for live in streams:
                    live.hang_up()
                    await live.task
            store.close()

    run(work())


def test_sessions_are_counted_while_others_are_opened() -> None:
    """By the thread that reads the store, while the event loop opens some."""
    has_ended, interval = threading.Event(), sys.getswitchinterval()

    with replicas(MemoryStore(), 1) as [one]:
        shared = one.endpoint.sessions.local
        kept = [shared.make(None, None) for _ in range(50)]

        def open_and_forget() -> None:
            while not has_ended.is_set():
                for number in range(20):
                    shared._by_name[str(number)] = kept[number]
                for number in range(20):
                    del shared._by_name[str(number)]

        thread = threading.Thread(target=open_and_forget)
        sys.setswitchinterval(1e-6)
        try:
            thread.start()
            assert all(len(shared._get_all()) >= 50 for _ in range(3_000))
        finally:
            sys.setswitchinterval(interval)
            has_ended.set()
            thread.join(5)
