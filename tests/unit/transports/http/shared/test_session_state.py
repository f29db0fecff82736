"""The state of shared sessions: changed by several replicas at once, bounded, and not believed when forged."""

import asyncio
from typing import Any

from mounted import Live, session, speak
from plainmcp.store import MemoryStore
from plainmcp.transports.http.shared import session_state
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


def test_a_large_state_reaches_other_replicas_through_the_store_and_not_through_their_notes() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            for app in (one, other):
                for number in range(30):
                    app.server.resource(f"memo://{'x' * 100}{number}", name=f"memo {number}")(lambda: "")
            headers = await session(one)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            for number in range(30):
                uri = f"memo://{'x' * 100}{number}"
                answer = await speak(other, request("resources/subscribe", number, uri=uri), headers)
                assert answer.json["result"] == {}
            sizes = [len(entry.value) for entry in store._logs[one.endpoint.shared.replica.keys.notes][0]]
            assert max(sizes) < 2 * session_state.MAX_NOTE
            for number in range(30):
                await speak(other, call("touch", uri=f"memo://{'x' * 100}{number}"), headers)
            updated = "notifications/resources/updated"  # the resources above have changed the list, too
            await stream.until(lambda live: sum(one["method"] == updated for one in messages(live)) == 30)
            stream.hang_up()
            await stream.task

    run(work())


def test_one_caller_cannot_fill_the_store_with_states(monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.transports.http.shared.store_budget.MAX_EACH", 5_000)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, _):
            headers = await session(one)
            outcomes = []
            for _ in range(100):
                for method in ("resources/subscribe", "resources/unsubscribe"):
                    outcomes.append((await speak(one, request(method, uri="memo://one"), headers)).json)
                if "error" in outcomes[-1]:
                    break
            assert "result" in outcomes[0] and "too many" in outcomes[-1]["error"]["message"]

    run(work())
