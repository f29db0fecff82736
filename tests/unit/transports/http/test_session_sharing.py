"""The state of shared sessions: changed by several replicas at once, bounded, and not believed when forged."""

import asyncio
from typing import Any

import pytest

from mounted import Live, session, speak
from plainmcp.store import MemoryStore
from plainmcp.transports.http import replica as replica_module
from plainmcp.transports.http import session_state, store_writer
from replicas import call, messages, replicas, request, wait_until


def run(work: Any) -> None:
    asyncio.run(work)


def test_changes_of_several_replicas_at_once_are_all_kept() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store, 3) as apps:
            for app in apps:
                for number in range(12):
                    app.server.resource(f"memo://{number}", name=f"memo {number}")(lambda: "")
            headers = await session(apps[0])
            answers = await asyncio.gather(
                *(
                    speak(apps[number % 3], request("resources/subscribe", number, uri=f"memo://{number}"), headers)
                    for number in range(12)
                )
            )
            assert [answer.json.get("result") for answer in answers] == [{}] * 12
            uris = {f"memo://{number}" for number in range(12)}
            for app in apps:
                [held] = app.endpoint.shared._by_name.values()
                await wait_until(lambda held=held: held.connection.session.subscribed == uris)

    run(work())


def test_the_state_of_a_session_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(session_state, "MAX_STATE", 200)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, _):
            for number in range(9):
                one.server.resource(f"memo://{'x' * 30}{number}", name=f"memo {number}")(lambda: "")
            headers = await session(one)
            outcomes = []
            for number in range(9):
                uri = f"memo://{'x' * 30}{number}"
                outcomes.append((await speak(one, request("resources/subscribe", uri=uri), headers)).json)
            assert "result" in outcomes[0] and "too many subscriptions" in outcomes[-1]["error"]["message"]
            [held] = one.endpoint.shared._by_name.values()
            assert len(held.connection.session.subscribed) == sum("result" in outcome for outcome in outcomes)

    run(work())


def test_a_refused_request_changes_nothing() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            failed = await speak(other, request("logging/setLevel", level="loud"), headers)
            assert failed.json["error"]["code"] == -32602
            missing = await speak(other, request("resources/subscribe", uri="memo://nowhere"), headers)
            assert missing.json["error"]["code"] in (-32002, -32602)
            heard = messages(await speak(one, call("log"), headers))[:-1]
            assert [message["params"]["level"] for message in heard] == ["error"]

    run(work())


def test_a_replica_takes_over_the_stream_of_one_that_is_dead(monkeypatch: Any) -> None:
    monkeypatch.setattr(replica_module, "ALIVE", 0.3)
    monkeypatch.setattr(store_writer, "BEAT", 0.1)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            await asyncio.sleep(0.1)
            replica, [held] = one.endpoint.shared.replica, one.endpoint.shared._by_name.values()
            replica.append(replica.keys.notes, "reader", held.name, "dead")
            await wait_until(lambda: held.reader == "dead")
            await speak(other, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            assert len(messages(stream)) == 1 and held.reader is None
            stream.hang_up()
            await stream.task

    run(work())


def test_a_stream_that_was_left_at_once_does_not_keep_updates_from_another() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            for number in range(20):
                short = Live(other, None, headers, "GET")
                short.hang_up()
                await short.task
                await speak(other, call("touch"), headers)
                await stream.until(lambda live, count=number + 1: len(messages(live)) >= count)
            assert len(messages(stream)) == 20
            stream.hang_up()
            await stream.task

    run(work())


@pytest.mark.parametrize("is_resumed", [True, False])
def test_updates_come_on_a_new_stream_before_other_replicas_know_of_it(is_resumed: bool) -> None:
    """The replica with the former stream is dead, or does not know yet that its client has left."""

    class Slow(MemoryStore):
        is_slow = False

        def append(self, entries: Any, most: int, seconds: float) -> list[int]:
            kept = [(log, value) for log, value in entries if not (self.is_slow and b"reader" in value)]
            super().append(kept, most, seconds)
            return [0] * len(entries)

    async def work() -> None:
        store = Slow()
        with replicas(store) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            former = Live(one, None, headers, "GET")
            await former.until(lambda live: live.status)
            await speak(other, request("ping"), headers)
            [held] = other.endpoint.shared._by_name.values()
            await speak(other, call("touch"), headers)
            await former.until(lambda live: messages(live))
            store.is_slow = True
            more = {"last-event-id": former.events[-1]["id"]} if is_resumed else {}
            stream = Live(other, None, {**headers, **more}, "GET")
            await wait_until(lambda: held.standing)
            for app in (one, other):
                await speak(app, call("touch"), headers)
            await stream.until(lambda live: len(messages(live)) == 2)
            for live in (former, stream):
                live.hang_up()
                await live.task

    run(work())


def test_the_replica_that_announced_its_stream_last_has_the_updates() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            await speak(other, request("ping"), headers)
            held = [next(iter(app.endpoint.shared._by_name.values())) for app in (one, other)]
            streams = [Live(app, None, headers, "GET") for app in (one, other)]
            await wait_until(lambda: all(one.standing for one in held))
            await wait_until(lambda: sorted(one.reader is None for one in held) == [False, True])
            await speak(one, call("touch"), headers)
            await wait_until(lambda: any(messages(live) for live in streams))
            await asyncio.sleep(0.1)
            assert sum(len(messages(live)) for live in streams) == 1
            for live in streams:
                live.hang_up()
                await live.task

    run(work())
