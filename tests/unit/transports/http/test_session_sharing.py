"""The state of shared sessions: changed by several replicas at once, bounded, and not believed when forged."""

import asyncio
from typing import Any

from mounted import Live, session, speak
from plainmcp.store import MemoryStore
from plainmcp.transports.http import replica as replica_module
from plainmcp.transports.http import session_sharing
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
    monkeypatch.setattr(session_sharing, "MAX_STATE", 200)

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
    monkeypatch.setattr(replica_module, "BEAT", 0.1)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            await asyncio.sleep(0.1)
            replica, [held] = one.endpoint.shared.replica, one.endpoint.shared._by_name.values()
            replica.append(replica.bus, "reader", held.name, "dead")
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
