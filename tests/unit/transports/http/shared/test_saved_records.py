"""The state of shared sessions: changed by several replicas at once, bounded, and not believed when forged."""

import asyncio
import time
from typing import Any

from mounted import Live, session, speak
from plainmcp.store import MemoryStore, StoreError
from plainmcp.transports.http.shared import saved_records
from replicas import SUBSCRIBE, call, messages, replicas, request, wait_until


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
                [held] = app.endpoint.sessions.local._by_name.values()
                await wait_until(lambda held=held: held.connection.session.subscribed == uris)

    run(work())


def test_the_state_of_a_session_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(saved_records, "MAX_RECORD", 200)

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
            [held] = one.endpoint.sessions.local._by_name.values()
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


def test_a_large_state_reaches_other_replicas_through_the_store_and_not_through_a_broadcast() -> None:
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
            sizes = [
                len(entry.value) for entry in store._logs[one.endpoint.sessions.local.replica.keys.broadcasts][0]
            ]
            assert max(sizes) < 2 * saved_records.MAX_SENT
            for number in range(30):
                await speak(other, call("touch", uri=f"memo://{'x' * 100}{number}"), headers)
            updated = "notifications/resources/updated"  # the resources above have changed the list, too
            await stream.until(lambda live: sum(one["method"] == updated for one in messages(live)) == 30)
            stream.hang_up()
            await stream.task

    run(work())


def test_one_caller_cannot_fill_the_store_with_states(monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", 5_000)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, _):
            headers = await session(one)
            outcomes = []
            for _ in range(100):
                for method in ("resources/subscribe", "resources/unsubscribe"):
                    outcomes.append((await speak(one, request(method, uri="memo://one"), headers)).json)
            refused = [outcome["error"]["message"] for outcome in outcomes if "error" in outcome]
            assert "result" in outcomes[0] and len(refused) > 80 and "too many" in refused[0]

    run(work())


async def open_stream(app: Any, headers: dict[str, str]) -> Live:
    stream = Live(app, None, headers, "GET")
    await stream.until(lambda live: live.status)
    await wait_until(lambda: any(held.standing for held in app.endpoint.sessions.local._by_name.values()))
    return stream


async def leave(stream: Live) -> None:
    stream.hang_up()
    await stream.task


def test_a_batch_changes_the_state_for_all_replicas_too() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one, "2025-03-26")
            stream = await open_stream(other, headers)
            missing = request("resources/subscribe", 3, uri="memo://nowhere")
            batch = [SUBSCRIBE, call("add", 2, a=1, b=2), missing, request("logging/setLevel", 4, level="debug")]
            answer = await speak(one, batch, headers)
            assert [("result" in part, part["id"]) for part in answer.json] == [
                (True, 1),
                (True, 2),
                (False, 3),
                (True, 4),
            ]
            await speak(one, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            heard = messages(await speak(other, call("log"), headers))[:-1]
            assert [message["params"]["level"] for message in heard] == ["debug", "error"]
            unsubscribe = request("resources/unsubscribe", 1, uri="memo://one")
            assert (await speak(other, [unsubscribe], headers)).json == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
            await speak(one, call("touch"), headers)
            await speak(one, call("touch", uri="memo://two"), headers)
            assert len(messages(stream)) == 1
            await leave(stream)

    run(work())


class Failing(MemoryStore):
    """A store in which changes, or reads of values too, fail; one change may hang first."""

    fails: tuple[str, ...] = ()
    hangs = 0.0

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        hangs, self.hangs = self.hangs, 0.0
        if hangs:
            time.sleep(hangs)
        if hangs or "change" in self.fails:
            raise StoreError("a time-out")
        return super().change(key, before, after, seconds)

    def get(self, key: str) -> bytes | None:
        if "get" in self.fails:
            raise StoreError("a time-out")
        return super().get(key)


def test_a_change_that_fails_does_not_take_back_one_that_succeeded() -> None:
    async def work() -> None:
        store = Failing()
        with replicas(store) as (one, other):
            headers = await session(one)
            stream = await open_stream(one, headers)
            store.hangs = 0.4
            first = Live(one, {**SUBSCRIBE, "id": 1}, headers)
            await asyncio.sleep(0.1)
            second = await speak(one, {**SUBSCRIBE, "id": 2}, headers)
            await first.done()
            assert "error" in first.json and second.json["result"] == {}
            for app in (one, other):
                await speak(app, call("touch"), headers)
            await stream.until(lambda live: len(messages(live)) == 2)
            await leave(stream)

    run(work())


def test_what_middleware_makes_of_a_subscription_is_saved() -> None:
    def add_middleware(app: Any) -> None:
        @app.server.middleware(methods=["resources/subscribe"])
        async def lower(request: Any, call_next: Any) -> Any:
            request.params["uri"] = request.params["uri"].lower()
            return await call_next(request)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            add_middleware(one)
            headers = await session(one)
            stream = await open_stream(other, headers)
            asked = request("resources/subscribe", uri="MEMO://ONE")
            assert (await speak(one, asked, headers)).json["result"] == {}
            await speak(other, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            await leave(stream)

    run(work())


def test_observers_see_whether_a_change_was_saved() -> None:
    seen: list[Any] = []

    def observe(facts: Any) -> Any:
        return lambda facts: seen.append((facts.method, facts.outcome, facts.error_code))

    async def work() -> None:
        store = Failing()
        with replicas(store, 1, observe=[observe]) as [one]:
            headers = await session(one)
            seen.clear()
            await speak(one, SUBSCRIBE, headers)
            for fails in (("change",), ("get", "change")):
                store.fails = fails
                await speak(one, request("resources/subscribe", uri="memo://two"), headers)
            assert seen == [
                ("resources/subscribe", "ok", None),
                ("resources/subscribe", "error", -32603),
                ("resources/subscribe", "error", -32603),
            ]

    run(work())


def test_a_change_that_takes_long_does_not_mean_that_the_store_fails(monkeypatch: Any) -> None:
    monkeypatch.setattr(saved_records, "SAVE_SECONDS", 0.05)

    class Slow(MemoryStore):
        def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
            if "session" in key:
                time.sleep(0.1)
            return super().change(key, before, after, seconds)

    async def work() -> None:
        with replicas(Slow(), 1) as [one]:
            headers = await session(one)
            refused = (await speak(one, SUBSCRIBE, headers)).json
            assert "the shared store of this server is not available" in refused["error"]["message"]
            assert not one.endpoint.sessions.local.replica.health.why_down

    run(work())


def test_a_session_that_was_ended_stays_ended_if_the_store_comes_back_with_an_older_state() -> None:
    """As a Redis does that writes snapshots (R2511-SESS-04)."""

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as apps:
            headers = await session(apps[0])
            assert (await speak(apps[0], SUBSCRIBE, headers)).json["result"] == {}
            snapshot = dict(store._values)
            assert (await speak(apps[0], None, headers, "DELETE")).status == 204
            store._values.update(snapshot)
            for app in apps:
                app.endpoint.sessions.local.replica._come_back()
                app.endpoint.sessions.local.replica.writer.finish(5)
            with replicas(store, 1) as [new]:
                assert (await speak(new, request("ping"), headers)).status == 404

    run(work())


def test_an_older_state_of_the_store_does_not_undo_what_was_acknowledged() -> None:
    """A Redis that comes back with a snapshot: neither a subscription nor its end is lost."""

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as apps:
            headers = await session(apps[0])
            unsubscribe = request("resources/unsubscribe", uri="memo://one")
            assert (await speak(apps[0], SUBSCRIBE, headers)).json["result"] == {}
            snapshot = dict(store._values)
            assert (await speak(apps[1], unsubscribe, headers)).json["result"] == {}
            store._values.update(snapshot)
            second = request("resources/subscribe", uri="memo://two")
            assert (await speak(apps[0], second, headers)).json["result"] == {}  # before it was noticed
            for app in apps:
                app.endpoint.sessions.local.replica._come_back()
                app.endpoint.sessions.local.replica.writer.finish(5)
            with replicas(store, 1) as [new]:
                assert (await speak(new, request("ping"), headers)).status == 200
                for app in (*apps, new):
                    [held] = app.endpoint.sessions.local._get_all()
                    await wait_until(lambda held=held: held.connection.session.subscribed == {"memo://two"})

    run(work())
