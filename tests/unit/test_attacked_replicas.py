"""Replicas whose Redis someone writes into, whose clocks differ, or whose name another server has, too."""

import asyncio
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis as redis_py

from mounted import Live, modern, session, speak
from plainmcp import Server
from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.replicas import replica as replica_module
from plainmcp.replicas import writer
from plainmcp.replicas.entries import Holder, Wake
from plainmcp.store import MemoryStore, Store, StoreError
from redis_server import RedisServer
from replicas import (
    KEY,
    SUBSCRIBE,
    call,
    check_that_all_works,
    check_that_calls_go_on,
    make_server,
    messages,
    question,
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


def push(raw: Any, key: bytes) -> None:
    raw.delete(key)
    raw.lpush(key, "a list")


def set_field(raw: Any, key: bytes) -> None:
    raw.delete(key)
    raw.hset(key, "a", "hash")


def set_or_stream(raw: Any, key: bytes) -> None:
    """The other one of the two types that we have."""
    kind = raw.type(key)
    raw.delete(key)
    if kind == b"stream":
        raw.set(key, "a string")
    else:
        raw.xadd(key, {"a": "stream"})


def end_of_ids(raw: Any, key: bytes) -> None:
    """A log to which nothing can be appended any more; a set in the place of a value."""
    kind = raw.type(key)
    raw.delete(key)
    if kind == b"stream":
        raw.xadd(key, {"v": "last"}, id="18446744073709551615-18446744073709551615")
    else:
        raw.sadd(key, "a set")


async def check_that_all_works_soon(apps: list[Any], headers: dict[str, str]) -> None:
    """The store may fail once more for each key that is found to be damaged; clients try again."""
    for app in apps:  # each finds it for itself
        for _ in range(20):
            if (await speak(app, SUBSCRIBE, headers)).json.get("result") == {}:
                break
            await asyncio.sleep(0.1)
    await wait_until(lambda: not any(app.endpoint.sessions.local.replica.health.why_down for app in apps))
    await check_that_all_works(apps, headers)


KINDS = ["replicas", "broadcasts", "inbox", "changes", "session", "stream", "began", "replica"]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [push, set_field, set_or_stream, end_of_ids])
@pytest.mark.parametrize("kind", KINDS)
def test_a_key_of_another_type_is_removed_and_everything_goes_on(
    redis: RedisServer, kind: str, damage: Callable[[Any, bytes], None], caplog: pytest.LogCaptureFixture
) -> None:
    """P31: at broadcasts it refused every subscription, as long as it was there."""
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)
    raw.flushall()

    async def work() -> None:
        with replicas(store) as apps:
            headers, other = await session(apps[0], elicitation={}), await session(apps[1])
            await check_that_all_works(apps, headers)
            await wait_until(lambda: raw.exists("plainmcp:{library}:began"))
            keys = [key for key in raw.scan_iter() if key.split(b":")[2] == kind.encode()]
            assert keys
            caplog.clear()
            for key in keys:
                damage(raw, key)
            await check_that_calls_go_on(apps, headers)
            await check_that_all_works_soon(apps, headers)
            assert (await speak(apps[1], request("ping"), other)).status == 200
            kinds = {b"none", b"stream" if kind in LOGS else b"string"}
            if kind != "stream":  # no one reads the copies of streams that have ended
                await wait_until(lambda: {raw.type(key) for key in keys} <= kinds)
            said = [one.getMessage() for one in caplog.records if "another program" in one.getMessage()]
            assert len(said) <= len(apps), said
            assert not any(one.exc_info for one in caplog.records)

    asyncio.run(work())
    raw.close()
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [push, set_or_stream, end_of_ids])
def test_a_stream_whose_copy_is_of_another_type_comes_to_an_end(
    redis: RedisServer, damage: Callable[[Any, bytes], None]
) -> None:
    """P31: the rest of it comes again, or an error in its place."""
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)
    raw.flushall()

    async def work() -> None:
        with replicas(store) as apps:
            headers = await session(apps[0], elicitation={})
            cut = Live(apps[0], call("count", 5, True, to=8), headers)
            await cut.until(lambda live: messages(live))
            cut.hang_up()
            await cut.task
            await wait_until(lambda: any(b":stream:" in key for key in raw.scan_iter()))
            for key in list(raw.scan_iter()):
                if b":stream:" in key:
                    damage(raw, key)
            again = {**headers, "last-event-id": cut.events[-1]["id"]}
            async with asyncio.timeout(15):
                rest = await Live(apps[1], None, again, "GET").done()
            last = messages(rest)[-1]
            assert last["id"] == 5 and ("result" in last or "error" in last)
            await check_that_all_works_soon(apps, headers)

    asyncio.run(work())
    raw.close()
    store.close()


LOGS = ("replicas", "broadcasts", "inbox", "changes", "stream")


@pytest.mark.slow
def test_all_keys_of_another_type_are_removed_too(redis: RedisServer) -> None:
    """P31"""
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)

    async def work() -> None:
        with replicas(store) as apps:
            headers = await session(apps[0], elicitation={})
            await check_that_all_works(apps, headers)
            for key in list(raw.scan_iter()):
                push(raw, key)
            await check_that_calls_go_on(apps, headers)
            await check_that_all_works_soon(apps, headers)

    asyncio.run(work())
    raw.close()
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["broadcasts", "replicas", "changes"])
def test_a_replica_that_starts_beside_a_key_of_another_type_works(redis: RedisServer, kind: str) -> None:
    """P31"""
    store, raw = RedisStore(redis.url), redis_py.Redis.from_url(redis.url)
    raw.flushall()
    raw.lpush(f"plainmcp:{{library}}:{kind}", "a list")

    async def work() -> None:
        with replicas(store) as apps:
            await wait_until(lambda: all(app.endpoint.sessions.local.replica.reader.begun.is_set() for app in apps))
            headers = await session(apps[0], elicitation={})
            await check_that_all_works_soon(apps, headers)

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
            assert kinds >= {b"session", b"stream", b"inbox", b"broadcasts", b"changes", b"replica"}

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


# Rare orders of events ----------------------------------------------------------------------------


def subscribe(uri: str, id: int = 1) -> dict[str, Any]:
    return request("resources/subscribe", id, uri=uri)


def subscribed_at(app: Any) -> list[str]:
    [held] = app.endpoint.sessions.local._by_name.values()
    return sorted(held.connection.session.subscribed)


async def open_stream(app: Any, headers: dict[str, str]) -> Live:
    """A stream for updates on which they come from now on."""
    stream = Live(app, None, headers, "GET")
    await stream.until(lambda live: live.status)
    await wait_until(lambda: any(held.standing for held in app.endpoint.sessions.local._by_name.values()))
    return stream


async def end(*streams: Live) -> None:
    for stream in streams:
        stream.hang_up()
        await stream.task


class Broken(MemoryStore):
    """A store that cannot be written, or from which one thread cannot read values."""

    is_failing = False
    thread: str | None = None
    failures = 0

    def append(self, entries: Any, most: int, seconds: float) -> list[int]:
        if self.is_failing:
            raise StoreError("away")
        return super().append(entries, most, seconds)

    def get(self, key: str) -> bytes | None:
        if threading.current_thread().name == self.thread and self.failures:
            self.failures -= 1
            raise StoreError("one time-out")
        return super().get(key)


def test_a_client_can_leave_while_the_queue_for_the_store_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MAX_QUEUE", 50)

    async def work() -> None:
        store = Broken()
        with replicas(store, 1) as [one]:
            headers = await session(one)
            await speak(one, subscribe("memo://one"), headers)
            stream = await open_stream(one, headers)
            store.is_failing = True
            for _ in range(200):
                one.server.resource_updated("memo://one")
                one.endpoint.sessions.local.replica.append("another log", Wake())
            await end(stream)
            assert (await speak(one, request("ping"), headers)).status == 200

    asyncio.run(work())


def test_a_subscription_keeps_the_others_after_the_store_has_lost_them() -> None:
    async def succeed(app: Any, uri: str, headers: dict[str, str]) -> None:
        async with asyncio.timeout(5):
            while "error" in (await speak(app, subscribe(uri), headers)).json:  # the loss is noticed just now
                await asyncio.sleep(0.05)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one)
            await succeed(one, "memo://one", headers)
            store._values.clear()
            await succeed(one, "memo://two", headers)
            assert subscribed_at(one) == ["memo://one", "memo://two"]
        with replicas(store) as (one, other):
            # Another replica does not know the first ones. They come together when the loss is noticed.
            headers = await session(one)
            await succeed(one, "memo://one", headers)
            store._values.clear()
            await succeed(other, "memo://two", headers)
            async with asyncio.timeout(5):
                for app in (one, other):
                    while subscribed_at(app) != ["memo://one", "memo://two"]:
                        await asyncio.sleep(0.05)
                        await speak(app, request("ping"), headers)

    asyncio.run(work())


def test_a_session_that_has_ended_is_not_written_again_by_a_replica_that_still_renews_it() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one)
            for uri in ("memo://one", "memo://two"):
                await speak(one, subscribe(uri), headers)
            [held] = one.endpoint.sessions.local._by_name.values()
            assert (await speak(other, None, headers, "DELETE")).status == 204
            one.endpoint.sessions.local.records.renew(held, store)
            with replicas(store, 1) as [new]:
                assert (await speak(new, request("ping"), headers)).status == 404

    asyncio.run(work())


class Never:
    """Threads that have no time."""

    def submit(self, work: Any, caller: Any) -> None: ...


def test_the_last_claim_of_the_newest_stream_counts_for_all() -> None:
    with replicas(MemoryStore()) as (one, other):
        sessions = [app.endpoint.sessions.local.make(None, None) for app in (one, other)]
        names = [app.endpoint.sessions.local.replica.name for app in (one, other)]
        for held in sessions:
            stream, streams = held.make_standing_stream(), held.standing_streams
            streams._claims.begin(0, None)
            streams._announce(stream)
            assert streams._end_claim(stream, 0)
            streams._threads = Never()
        sessions[0].standing_streams.announce_again()  # after a failure: its first claim is still in the log
        for name in (names[0], names[1], names[0]):
            for held in sessions:
                held.standing_streams.receive_holder(Holder(held.name, name, "a stream", 1))
        assert [held.standing_streams._claims.holder for held in sessions] == [None, names[0]]


def test_subscriptions_at_two_replicas_at_once_are_kept_although_middleware_takes_its_time() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):

            @one.server.middleware
            async def wait(request: Any, call_next: Any) -> Any:
                result = await call_next(request)
                if request.method == "resources/subscribe":
                    await asyncio.sleep(0.2)
                return result

            headers = await session(one)
            await speak(other, request("ping"), headers)
            first = asyncio.create_task(speak(one, subscribe("memo://one"), headers))
            await asyncio.sleep(0.1)
            second = await speak(other, subscribe("memo://two", 2), headers)
            assert (await first).json["result"] == second.json["result"] == {}
            for app in (one, other):
                await wait_until(lambda app=app: subscribed_at(app) == ["memo://one", "memo://two"])

    asyncio.run(work())


def test_ids_of_questions_and_streams_are_not_used_again_by_a_session_that_was_opened_again() -> None:
    async def work() -> None:
        with replicas(MemoryStore(), settings={"max_sessions": 1}) as (one, other):
            headers = await session(one, elicitation={})
            first = Live(one, call("ask", 1, what="Show a picture?"), headers)
            asked = await question(first)
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
            await speak(one, cancel, headers)
            await end(first)
            await session(one)  # there is room for one only
            second = Live(one, call("ask", 2, what="Delete everything?"), headers)
            asked_again = await question(second)
            assert asked["id"] != asked_again["id"] and first.events[0]["id"] != second.events[0]["id"]
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}}
            await speak(other, reply, headers)
            await asyncio.sleep(0.2)
            assert not second.over
            await speak(other, {**reply, "id": asked_again["id"], "result": {"action": "decline"}}, headers)
            await second.done()
            assert "decline" in str(messages(second)[-1])

    asyncio.run(work())


def test_applications_of_one_server_share_its_replica_until_the_last_one_is_closed() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store, 1) as [elsewhere]:
            server = make_server()
            first, second = server.asgi(store=store), server.asgi(store=store)
            replica = second.endpoint.sessions.local.replica
            for app in (first, second):
                app.endpoint.start()
            with pytest.raises(AuthorError, match="all of them share one"):
                server.asgi(store=MemoryStore())
            headers = await session(second)
            await speak(second, subscribe("memo://one"), headers)
            cut = Live(second, call("count", 5, True, to=6), headers)
            await cut.until(lambda live: messages(live))
            await end(cut)
            rest = await Live(elsewhere, None, {**headers, "last-event-id": cut.events[-1]["id"]}, "GET").done()
            assert messages(rest)[-1]["id"] == 5 and "result" in messages(rest)[-1]
            first.close()
            stream = await open_stream(second, headers)
            await speak(second, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            await end(stream)
            assert replica.is_running
            second.close()
            assert not replica.is_running and not replica.is_used
            server.asgi(store=MemoryStore()).close()  # now it may have another one

    asyncio.run(work())


def test_a_change_of_a_mounted_server_that_is_served_itself_comes_once() -> None:
    async def work() -> None:
        store = MemoryStore()
        apps: list[Any] = []
        for _ in range(3):
            child, parent = make_server("child"), Server("parent", "1", key=KEY)
            parent.mount(child, "c")
            apps += [parent.asgi(store=store), child.asgi(store=store)]
        for app in apps:
            app.endpoint.start()
        uri = next(iter(parent.registry.resources.features))
        body, more = modern("subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
        listening = Live(apps[0], body, more)
        await listening.until(lambda live: messages(live))
        headers = await session(apps[0])
        assert (await speak(apps[0], subscribe(uri), headers)).json["result"] == {}
        stream = await open_stream(apps[0], headers)
        await speak(apps[0], call("c_touch"), headers)
        await stream.until(lambda live: messages(live))
        await asyncio.sleep(0.3)
        assert (len(messages(stream)), len(messages(listening))) == (1, 2)
        await end(stream, listening)
        for app in apps:
            app.close()

    asyncio.run(work())


def test_a_state_that_a_replica_could_not_read_is_read_when_the_store_works_again() -> None:
    async def work() -> None:
        store, uris = Broken(), [f"memo://{number}{'x' * 80}" for number in range(20)]
        with replicas(store) as (one, other):
            for app in (one, other):
                for uri in uris:
                    app.server.resource(uri, name=uri)(lambda: "")
            headers = await session(other)
            for uri in uris:
                assert (await speak(one, subscribe(uri), headers)).json["result"] == {}
            stream = await open_stream(other, headers)
            store.thread, store.failures = f"plainmcp-read-{other.endpoint.sessions.local.replica.name}", 1
            assert (await speak(one, subscribe("memo://one"), headers)).json["result"] == {}
            assert not store.failures
            await speak(one, call("touch"), headers)
            await stream.until(lambda live: any("memo://one" in str(message) for message in messages(live)))
            await end(stream)

    asyncio.run(work())


def test_an_older_stream_does_not_repeat_what_came_on_the_newest_one() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, subscribe("memo://one"), headers)
            older = await open_stream(one, headers)
            newest = await open_stream(other, headers)
            [held] = one.endpoint.sessions.local._by_name.values()
            await wait_until(lambda: held.standing_streams.muted_by is not None)
            for _ in range(3):
                await speak(one, call("touch"), headers)
            await newest.until(lambda live: len(messages(live)) == 3)
            await end(newest)
            await wait_until(lambda: held.standing_streams.muted_by is None)
            await speak(one, call("touch"), headers)
            await older.until(lambda live: messages(live))
            await asyncio.sleep(0.2)
            assert len(messages(older)) == 1
            await end(older)

    asyncio.run(work())


def test_a_change_that_stays_in_its_process_takes_no_place_in_the_log() -> None:
    async def work() -> None:
        long = "memo://" + "x" * 9_000
        with replicas(MemoryStore(), 1) as [one]:
            one.server.resource(long, name="long")(lambda: "")
            headers = await session(one)
            for uri in ("memo://one", long):
                assert (await speak(one, subscribe(uri), headers)).json["result"] == {}
            stream = await open_stream(one, headers)
            for _ in range(50):
                one.server.resource_updated("memo://one")
                one.server.resource_updated(long)
            await stream.until(lambda live: len(messages(live)) == 50)
            await end(stream)

    asyncio.run(work())


def test_a_child_process_begins_as_another_replica() -> None:
    with replicas(MemoryStore(), 1) as [one]:
        replica = one.endpoint.sessions.local.replica
        name, reader = replica.name, replica.reader
        ending, replica._ending = replica._ending, None
        replica_module._reset_replicas()  # what a fork calls
        assert replica.name != name and replica.reader is not reader and replica._ending is None
        replica.start()
        assert replica.reader.begun.wait(5)
        ending.set()
