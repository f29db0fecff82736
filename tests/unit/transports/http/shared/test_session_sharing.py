"""Sessions that all replicas serve: opened from their ids, and unknown everywhere after their end."""

import asyncio
from typing import Any

from mounted import Live, session, speak
from plainmcp.store import Store
from replicas import call, replicas, request


def run(work: Any) -> None:
    asyncio.run(work)


def test_a_session_that_was_ended_is_unknown_everywhere(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            assert (await speak(other, None, headers, "DELETE")).status == 204
            await asyncio.sleep(0.2)
            with replicas(store, 1) as [third]:
                await asyncio.sleep(0.2)
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
    monkeypatch.setattr("plainmcp.transports.http.shared.session_sharing.MAX_ENDED", 2)

    async def work() -> None:
        with replicas(store) as (one, other):
            ended = [await session(one) for _ in range(5)]
            for headers in ended:
                assert (await speak(one, None, headers, "DELETE")).status == 204
            assert len(one.endpoint.shared._ended) == 2
            for app in (one, other):
                for headers in ended:
                    assert (await speak(app, request("ping"), headers)).status == 404

    run(work())
