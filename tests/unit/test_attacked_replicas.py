"""Replicas whose Redis someone writes into, whose clocks differ, or whose name another server has, too."""

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis as redis_py

from mounted import Live, session, speak
from plainmcp.redis import RedisStore
from plainmcp.store import MemoryStore, Store
from redis_server import RedisServer
from replicas import (
    SUBSCRIBE,
    check_that_all_works,
    check_that_calls_go_on,
    messages,
    replicas,
    request,
    wait_until,
)

# Values that are changed by hand ------------------------------------------------------------------


def write_garbage(raw: Any) -> None:
    for key in list(raw.scan_iter()):
        if raw.type(key) == b"stream":
            for field in ({"v": b"garbage"}, {"another": b"field"}, {"v": b""}):
                raw.xadd(key, field)
        else:
            raw.set(key, b"garbage", keepttl=True)


def swap_values(raw: Any) -> None:
    keys = [key for key in raw.scan_iter() if raw.type(key) == b"string"]
    values = [raw.get(key) for key in keys]
    random.Random(1).shuffle(values)
    for key, value in zip(keys, values, strict=True):
        raw.set(key, value, keepttl=True)


def repeat_entries_in_every_log(raw: Any) -> None:
    logs = [key for key in raw.scan_iter() if raw.type(key) == b"stream"]
    entries = [fields for log in logs for _, fields in raw.xrange(log)[-5:]]
    for log in logs:
        for fields in entries:
            raw.xadd(log, fields)


def remove_all(raw: Any) -> None:
    raw.flushall()


@pytest.mark.slow
@pytest.mark.parametrize("tamper", [write_garbage, swap_values, repeat_entries_in_every_log, remove_all])
def test_values_that_are_changed_by_hand_are_not_believed(redis: RedisServer, tamper: Callable[[Any], None]) -> None:
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)

    async def work() -> None:
        with replicas(store) as apps:
            headers, other = await session(apps[0], elicitation={}), await session(apps[1])
            stranger = Live(apps[1], None, other, "GET")
            await stranger.until(lambda live: live.status)
            await check_that_all_works(apps, headers)
            tamper(raw)
            await check_that_calls_go_on(apps, headers)
            await check_that_all_works(apps, headers)
            assert not messages(stranger)
            stranger.hang_up()
            await stranger.task

    asyncio.run(work())
    raw.close()
    store.close()


@pytest.mark.slow
def test_values_of_another_type_are_a_failure_of_the_store_until_they_are_removed(redis: RedisServer) -> None:
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)

    async def work() -> None:
        with replicas(store) as apps:
            headers = await session(apps[0], elicitation={})
            await check_that_all_works(apps, headers)
            for key in list(raw.scan_iter()):
                raw.delete(key)
                raw.lpush(key, "another type")
            await wait_until(lambda: all(app.endpoint.shared.replica.problem for app in apps))
            await check_that_calls_go_on(apps, headers)
            refused = (await speak(apps[0], SUBSCRIBE, headers)).json
            assert "the store that the replicas of this server share" in refused["error"]["message"]
            raw.flushall()
            await wait_until(lambda: not any(app.endpoint.shared.replica.problem for app in apps))
            await check_that_all_works(apps, headers)

    asyncio.run(work())
    raw.close()
    store.close()


@pytest.mark.slow
def test_everything_in_redis_expires_and_belongs_to_the_server(redis: RedisServer) -> None:
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)
    raw.flushall()

    async def work() -> None:
        with replicas(store) as apps:
            headers, ended = await session(apps[0], elicitation={}), await session(apps[0])
            await check_that_all_works(apps, headers)
            await speak(apps[1], None, ended, "DELETE")
            kinds = set()
            for key in list(raw.scan_iter()):
                assert key.startswith(b"plainmcp:{library}:") and 0 < raw.pttl(key) <= 61 * 60 * 1000, key
                kinds.add(key.split(b":")[2])
            assert kinds >= {b"session", b"stream", b"inbox", b"notes", b"changes", b"replica"}

    asyncio.run(work())
    raw.close()
    store.close()


# Another server with the same name ----------------------------------------------------------------


def test_servers_with_one_name_and_different_keys_have_nothing_of_each_other(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as apps, replicas(store, key=b"the key of another server") as others:
            ours, theirs = await session(apps[0], elicitation={}), await session(others[0], elicitation={})
            for app in others:
                assert (await speak(app, request("ping"), ours)).status == 404
            assert (await speak(others[0], SUBSCRIBE, theirs)).json["result"] == {}
            stream = Live(others[1], None, theirs, "GET")
            await stream.until(lambda live: live.status)
            await check_that_all_works(apps, ours)
            assert not messages(stream)
            stream.hang_up()
            await stream.task
            await check_that_all_works(others, theirs)

    asyncio.run(work())


# Clocks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [-50, 50])
def test_the_clocks_of_replicas_may_differ(store: Store, ahead: float) -> None:
    async def work() -> None:
        with replicas(store, 1) as [one], replicas(store, 1, now=lambda: time.time() + ahead) as [other]:
            for apps in ([one, other], [other, one]):
                await check_that_all_works(apps, await session(apps[0], elicitation={}))

    asyncio.run(work())


def test_a_session_from_a_clock_that_is_far_ahead_is_unknown() -> None:
    store = MemoryStore()

    async def work() -> None:
        with replicas(store, 1) as [one], replicas(store, 1, now=lambda: time.time() + 70) as [other]:
            assert (await speak(one, request("ping"), await session(other))).status == 404

    asyncio.run(work())
