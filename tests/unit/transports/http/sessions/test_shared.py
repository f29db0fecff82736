"""Replicas that share a store: every feature of a session works whichever replica a request reaches."""

import asyncio
import io
import json
import threading
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from mounted import Live, events, initialize, modern, session, speak
from plainmcp.errors import InternalError
from plainmcp.protocol.exchange import Exchange
from plainmcp.protocol.request import Cancelled
from plainmcp.protocol.store_steps import deadline, do_nothing, step_for
from plainmcp.replicas.own_changes import OwnChanges
from plainmcp.store import MemoryStore, Store, StoreError
from plainmcp.transports.http.sessions.shared import AfterChanges
from plainmcp.transports.run import run as run_exchange
from replicas import SUBSCRIBE, call, make_server, messages, question, replicas, request, wait_until

ANSWER = {"action": "accept", "content": {"word": "yes"}}


def run(work: Any) -> None:
    asyncio.run(work)


def test_any_replica_answers_the_requests_of_a_session(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            opened = await speak(one, initialize())
            capabilities = opened.json["result"]["capabilities"]
            assert capabilities["resources"] == {"subscribe": True, "listChanged": True} and "logging" in capabilities
            headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
            answer = await speak(other, call("add", a=1, b=2), headers)
            assert answer.json["result"]["structuredContent"] == {"result": 3}

    run(work())


def test_a_question_is_answered_through_another_replica(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one, elicitation={})
            live = Live(one, call("ask"), headers)
            asked = await question(live)
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": ANSWER}
            assert (await speak(other, reply, headers)).status == 202
            await live.done()
            assert messages(live)[-1]["result"]["content"][0]["text"] == "accept: {'word': 'yes'}"
            assert (await speak(other, reply, headers)).status == 202  # an answer to nothing

    run(work())


def test_an_error_as_an_answer_reaches_the_question(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one, elicitation={})
            live = Live(one, call("ask"), headers)
            asked = await question(live)
            error = {"code": -1, "message": "not today"}
            await speak(other, {"jsonrpc": "2.0", "id": asked["id"], "error": error}, headers)
            await live.done()
            assert "not today" in json.dumps(messages(live)[-1])

    run(work())


def test_nobody_answers_the_question_of_another_session(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers, others = await session(one, elicitation={}), await session(other, elicitation={})
            live = Live(one, call("ask"), headers)
            asked = await question(live)
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": ANSWER}
            for app in (one, other):
                await speak(app, reply, others)
            await asyncio.sleep(0.2)
            assert not live.over
            await speak(other, {**reply, "result": {"action": "decline"}}, headers)
            await live.done()
            assert "decline" in json.dumps(messages(live)[-1])

    run(work())


def test_a_cut_stream_goes_on_at_another_replica(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            live = Live(one, call("count", 9, True, to=6, seconds=0.1), headers)
            await live.until(lambda stream: len(messages(stream)) >= 2)
            seen, last = len(messages(live)), live.events[-1]["id"]
            live.hang_up()
            await live.task
            rest = await Live(other, None, {**headers, "last-event-id": last}, "GET").done()
            got = messages(rest)
            assert [one["params"]["progress"] for one in got[:-1]] == list(range(seen + 1, 7))
            assert got[-1]["id"] == 9 and got[-1]["result"]["content"][0]["text"] == "counted"
            again = await Live(one, None, {**headers, "last-event-id": rest.events[-2]["id"]}, "GET").done()
            assert messages(again)[-1] == got[-1]

    run(work())


def test_what_was_finished_before_the_client_came_back_is_replayed(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            live = await Live(one, call("count", 9, True, to=3), headers).done()
            first = live.events[0]["id"]
            rest = await Live(other, None, {**headers, "last-event-id": first}, "GET").done()
            assert messages(rest) == messages(live)

    run(work())


def test_no_replica_shows_the_stream_of_another_session(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers, others = await session(one), await session(other)
            live = await Live(one, call("count", 9, True, to=3), headers).done()
            stolen = Live(other, None, {**others, "last-event-id": live.events[0]["id"]}, "GET")
            await stolen.until(lambda stream: stream.status)
            await asyncio.sleep(0.3)
            assert messages(stolen) == [] and not stolen.over
            stolen.hang_up()
            await stolen.task

    run(work())


def test_updates_reach_the_open_stream_from_every_replica(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 3) as (one, other, third):
            headers = await session(one)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda one: one.status)
            await speak(other, request("resources/subscribe", uri="memo://one"), headers)
            for app in (one, other, third):
                await speak(app, call("touch"), headers)
            await speak(third, call("touch", uri="memo://two"), headers)  # nobody subscribed to it
            await stream.until(lambda one: len(messages(one)) == 3)
            await speak(third, request("resources/unsubscribe", uri="memo://one"), headers)
            await speak(third, call("touch"), headers)
            await speak(other, call("grow", name="fresh"), headers)
            await stream.until(lambda one: len(messages(one)) == 4)
            assert [one["method"] for one in messages(stream)] == [
                *["notifications/resources/updated"] * 3,
                "notifications/tools/list_changed",
            ]
            stream.hang_up()
            await stream.task

    run(work())


def test_updates_while_nobody_read_come_with_the_next_stream(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            await speak(other, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda one: one.status)
            await speak(other, call("touch"), headers)
            await stream.until(lambda one: messages(one))
            last = stream.events[-1]["id"]
            stream.hang_up()
            await stream.task
            await speak(one, call("touch"), headers)
            await speak(other, call("touch"), headers)
            rest = Live(other, None, {**headers, "last-event-id": last}, "GET")
            await rest.until(lambda one: len(messages(one)) == 2)
            await speak(one, call("touch"), headers)
            await rest.until(lambda one: len(messages(one)) == 3)
            rest.hang_up()
            await rest.task

    run(work())


def test_a_message_goes_out_on_one_stream_only(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            first = Live(one, None, headers, "GET")
            await first.until(lambda stream: stream.status)
            await asyncio.sleep(0.2)
            second = Live(other, None, headers, "GET")
            await second.until(lambda stream: stream.status)
            await asyncio.sleep(0.2)
            await speak(one, call("touch"), headers)
            await second.until(lambda stream: messages(stream))
            assert not messages(first)
            second.hang_up()
            await second.task
            await asyncio.sleep(0.2)
            await speak(other, call("touch"), headers)
            await first.until(lambda stream: messages(stream))
            first.hang_up()
            await first.task

    run(work())


def test_a_listen_request_hears_the_changes_of_all_replicas(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            body, headers = modern("subscriptions/listen", notifications={"resourceSubscriptions": ["memo://one"]})
            stream = Live(one, body, headers)
            await stream.until(lambda live: messages(live))
            for app in (one, other):
                await speak(app, *modern("tools/call", name="touch", arguments={}))
            await stream.until(lambda live: len(messages(live)) == 3)
            stream.hang_up()
            await stream.task

    run(work())


def test_the_log_level_holds_on_every_replica(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 3) as (one, other, third):
            headers = await session(one)
            levels = []
            for app in (one, other):
                levels.append([m["params"]["level"] for m in messages(await speak(app, call("log"), headers))[:-1]])
            assert (await speak(other, request("logging/setLevel", level="debug"), headers)).json["result"] == {}
            for app in (one, other, third):
                levels.append([m["params"]["level"] for m in messages(await speak(app, call("log"), headers))[:-1]])
            assert levels == [["error"]] * 2 + [["debug", "error"]] * 3

    run(work())


def test_a_cancel_reaches_the_replica_that_works(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one)
            live = Live(one, call("count", "x\\", True, to=500), headers)
            await live.until(lambda stream: messages(stream))
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x\\"}}
            assert (await speak(other, note, await session(other))).status == 202  # of another session: nothing
            await asyncio.sleep(0.1)
            assert not one.server.marks
            assert (await speak(other, note, headers)).status == 202
            await wait_until(lambda: one.server.marks == ["cancelled"])
            await live.done()
            assert all("result" not in message for message in messages(live))

    run(work())


def test_one_session_does_not_fill_the_logs_of_others(monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", 2**25)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one, elicitation={})
            live = Live(one, call("ask"), headers)
            asked = await question(live)
            large = {"action": "accept", "content": {"word": "x" * 3_000_000}}
            statuses = set()
            for _ in range(12):
                reply = {"jsonrpc": "2.0", "id": asked["id"], "result": large}
                statuses.add((await speak(other, reply, headers)).status)
            assert statuses == {202, 429}
            for forged in ("s-1", "s-x-1-y", asked["id"] + "0", 7, "s-" + "x" * 1000):
                await speak(other, {"jsonrpc": "2.0", "id": forged, "result": {}}, headers)
            assert {log.split(":")[-2] for log in store._logs if "inbox" in log} == {"inbox"}
            names = {app.endpoint.sessions.local.replica.name for app in (one, other)}
            assert {log.rpartition(":")[2] for log in store._logs if ":inbox:" in log} <= names
            live.hang_up()
            await live.task

    run(work())


def test_another_caller_does_not_get_at_a_session_through_another_replica(store: Store) -> None:
    def user_of(scope: Any) -> str:
        return dict(scope["headers"])[b"x-user"].decode()

    async def work() -> None:
        with replicas(store, settings={"principal": user_of}) as (one, other):
            opened = await speak(one, initialize(), {"x-user": "ada"})
            headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
            for app in (one, other):
                for user, status in (("bob", 404), ("ada", 200)):
                    assert (await speak(app, request("ping"), {**headers, "x-user": user})).status == status

    run(work())


def test_other_servers_in_the_same_store_are_left_alone(store: Store) -> None:
    async def work() -> None:
        with replicas(store, 1) as [one], replicas(store, 1, name="museum") as [museum]:
            headers, theirs = await session(one), await session(museum)
            assert (await speak(museum, request("ping"), headers)).status == 404
            stream = Live(museum, None, theirs, "GET")
            await stream.until(lambda live: live.status)
            await speak(museum, request("resources/subscribe", uri="memo://one"), theirs)
            await speak(one, call("touch"), headers)
            await asyncio.sleep(0.2)
            assert not messages(stream)
            stream.hang_up()
            await stream.task

    run(work())


def test_a_response_waits_until_the_store_has_the_changes_that_the_call_made() -> None:
    """A client that knows of a change can rely on the updates, even if the process is killed right then."""

    class Slow(MemoryStore):
        begun, may_go_on = threading.Event(), threading.Event()

        def append(self, entries: Any, most: int, seconds: float) -> list[int]:
            if any(b"memo://one" in value for _, value in entries):
                self.begun.set()
                self.may_go_on.wait(5)
            return super().append(entries, most, seconds)

    async def work() -> None:
        store = Slow()
        with replicas(store) as (one, _):
            headers = await session(one)
            for body, more in (
                (call("touch"), headers),
                (call("touch_later"), headers),
                modern("tools/call", name="touch", arguments={}),
            ):
                store.begun.clear()
                store.may_go_on.clear()
                live = Live(one, body, more)
                await wait_until(store.begun.is_set)
                await speak(one, call("add", a=1, b=2), headers)  # another call does not wait
                await asyncio.sleep(0.1)
                assert not live.over
                store.may_go_on.set()
                await live.done()
                assert live.json["result"]["content"]
            store.may_go_on.clear()  # a store that hangs delays a response, but not for long
            await Live(one, call("touch"), headers).done()
            store.may_go_on.set()

    run(work())


def test_only_the_first_call_of_a_session_asks_the_store() -> None:
    class Watched(MemoryStore):
        asked: ClassVar[list[str]] = []

        def get(self, key: str) -> bytes | None:
            self.asked.append(key)
            return super().get(key)

        def append(self, entries: Any, most: int, seconds: float) -> list[int]:
            self.asked.extend(log for log, _ in entries)
            return super().append(entries, most, seconds)

    async def work() -> None:
        with replicas(Watched()) as (one, other):
            headers = await session(one)
            assert (await speak(other, call("add", a=1, b=2), headers)).status == 200
            assert len([key for key in Watched.asked if "session:" in key]) == 1
            Watched.asked.clear()
            for app in (one, other):
                assert (await speak(app, call("add", a=1, b=2), headers)).status == 200
                assert (await speak(app, request("tools/list"), headers)).status == 200
                assert (await speak(app, *modern("tools/call", name="add", arguments={"a": 1, "b": 2}))).status == 200
            await asyncio.sleep(0.1)
            assert [key for key in Watched.asked if "replica:" not in key] == []

    run(work())


def test_wsgi_shares_a_store_too(store: Store) -> None:
    """An answer reaches the replica that asked, in the threads of a WSGI server."""
    servers = [make_server() for _ in range(2)]
    apps = [server.wsgi(store=store, max_standing=2) for server in servers]

    def post(app: Any, body: Any, headers: dict[str, str]) -> tuple[str, dict[str, str], Any]:
        raw, got = json.dumps(body).encode(), {}
        environ = {
            "REQUEST_METHOD": "POST", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost",
            "HTTP_ACCEPT": "application/json, text/event-stream", "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(raw)), "wsgi.input": io.BytesIO(raw),
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
        }  # fmt: skip

        def start_response(status: str, pairs: list[tuple[str, str]]) -> None:
            got.update({"status": status, **{name.lower(): value for name, value in pairs}})

        body = app(environ, start_response)
        return got["status"], got, body

    _, opened, _ = post(apps[0], initialize(elicitation={}), {})
    headers = {"mcp-session-id": opened["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    _, _, lines = post(apps[0], call("ask"), headers)
    text = b""
    for chunk in lines:
        text += chunk
        if b"elicitation/create" in text:
            break
    asked = next(event["data"] for event in events(text) if event.get("data"))
    status, _, _ = post(apps[1], {"jsonrpc": "2.0", "id": asked["id"], "result": ANSWER}, headers)
    assert status == "202 Accepted"
    assert b"accept: {'word': 'yes'}" in b"".join(lines)
    for app in apps:
        app.close()


def test_answers_cancels_and_an_end_pass_also_if_no_more_requests_may_run(store: Store) -> None:
    """Requests that run may wait for them."""

    async def work() -> None:
        with replicas(store, settings={"max_running_per_caller": 2, "ask_seconds": 60}) as (one, other):
            headers = await session(one, elicitation={})
            here = [Live(one, call("ask", id), headers) for id in (1, 2)]
            there = [Live(other, call("ask", id), headers) for id in (3, 4)]
            asked = [await question(live) for live in (*here, *there)]
            for live, message in zip(here, asked[:2], strict=True):
                reply = {"jsonrpc": "2.0", "id": message["id"], "result": ANSWER}
                assert (await speak(other, reply, headers)).status == 202
                await live.done()
            here = [Live(one, call("ask", id), headers) for id in (5, 6)]
            for live in here:
                await question(live)
            assert (await speak(one, call("add", 7, a=1, b=2), headers)).status == 429
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
            assert (await speak(one, cancel, headers)).status == 202
            await there[0].done()
            assert (await speak(one, None, headers, "DELETE")).status == 204
            for live in (*here, there[1]):
                await live.done()

    run(work())


def test_a_batch_in_a_session_that_ended_elsewhere_is_refused_as_a_whole(store: Store) -> None:
    async def work() -> None:
        with replicas(store) as (one, other):
            headers = await session(one, "2025-03-26")
            assert (await speak(one, None, headers, "DELETE")).status == 204
            other.endpoint.sessions.local._ended.clear()  # as in a replica that started later
            refused = await speak(other, [call("add", 1, a=1, b=1), call("touch", 2)], headers)
            assert refused.status == 404
            assert [(part["id"], part["error"]["code"]) for part in refused.json] == [(1, -32603), (2, -32603)]

    run(work())


def test_an_answer_reaches_another_application_of_the_same_server() -> None:
    async def work() -> None:
        server, store = make_server(), MemoryStore()
        one, other = server.asgi(store=store), server.asgi(store=store)
        for app in (one, other):
            app.endpoint.start()
        headers = await session(one, elicitation={})
        live = Live(one, call("ask"), headers)
        asked = await question(live)
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": ANSWER}
        assert (await speak(other, reply, headers)).status == 202
        await live.done()
        assert messages(live)[-1]["result"]["content"][0]["text"] == "accept: {'word': 'yes'}"
        for app in (one, other):
            app.close()

    run(work())


def test_a_handshake_that_is_too_large_is_refused_and_leaves_no_session(store: Store) -> None:
    async def work() -> None:
        large = initialize()
        large["params"]["clientInfo"]["version"] = "x" * 3_000
        with replicas(store, 1) as [one]:
            refused = await speak(one, large)
            assert (refused.status, refused.json["id"], refused.json["error"]["code"]) == (200, large["id"], -32602)
            assert "mcp-session-id" not in refused.headers
            assert (
                len(one.endpoint.sessions.local.kept)
                == len(one.endpoint.sessions.local.replica.change_listeners)
                == 0
            )

    run(work())


class Nameless:
    """A principal that is equal to nothing but itself, although it has the same fields each time."""

    def __init__(self, id: str) -> None:
        self.id = id

    def __plain__(self) -> Any:
        return {"id": self.id}


def test_a_principal_without_equality_gets_no_second_session() -> None:
    async def work() -> None:
        settings = {"principal": lambda scope: Nameless("ann"), "max_sessions": 10}
        with replicas(MemoryStore(), settings=settings) as (one, other):
            opened = await speak(one, initialize())
            headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
            statuses = [(await speak(other, request("ping"), headers)).status for _ in range(20)]
            assert statuses == [200, *[404] * 19]  # as in one process, where the log says why
            assert other.endpoint.sessions.local.kept._share.count == len(other.endpoint.sessions.local.kept) == 1

    run(work())


# Event ids ----------------------------------------------------------------------------------------


def test_what_follows_the_name_of_a_stream_is_not_written_into_the_store() -> None:
    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers = await session(one)
            cut = await Live(one, call("count", 5, True, to=2), headers).done()
            name = cut.events[-1]["id"].rpartition("-")[0]
            await speak(other, request("ping"), headers)
            await asyncio.sleep(0.1)
            keys = set(store._logs)
            for number in range(20):
                garbage = {**headers, "last-event-id": f"{name}.{number}{'x' * 6_000}-0"}
                stream = Live(other, None, garbage, "GET")
                await stream.until(lambda live: live.status)
                stream.hang_up()
                await stream.task
            await asyncio.sleep(0.1)
            assert [key for key in set(store._logs) - keys if "stream" in key] == []

    run(work())


def test_streams_count_for_the_budget_of_their_caller(monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.replicas.replica.MAX_EACH", 2_000)

    async def work() -> None:
        with replicas(MemoryStore(), 1) as [one]:
            headers = await session(one)
            statuses = []
            for _ in range(10):
                stream = Live(one, None, headers, "GET")
                await stream.until(lambda live: live.status)
                statuses.append(stream.status)
                stream.hang_up()
                await stream.task
            assert (statuses[0], statuses[-1]) == (200, 429)

    run(work())


def test_a_stream_goes_on_although_the_number_of_the_event_is_garbage() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            cut = Live(one, call("count", 5, True, to=10, seconds=0.05), headers)
            await cut.until(lambda live: messages(live))
            last = cut.events[-1]["id"]
            garbage = Live(one, None, {**headers, "last-event-id": f"{last.rpartition('-')[0]}-x"}, "GET")
            await garbage.until(lambda live: messages(live))
            assert messages(garbage)[0]["params"]["progress"] == 1
            for live in (cut, garbage):
                live.hang_up()
                await live.task
            rest = await Live(other, None, {**headers, "last-event-id": last}, "GET").done()
            assert messages(rest)[-1]["result"]["content"][0]["text"] == "counted"

    run(work())


def test_a_position_that_no_log_can_have_is_harmless() -> None:
    async def work() -> None:
        with replicas(MemoryStore(), 1) as [one]:
            headers = await session(one)
            for id in (f"g-{10**20 - 1}", f"g-{10**19 - 1}", "g-x", "-", "g-", "....-1", "a.b.c.d-1"):
                stream = Live(one, None, {**headers, "last-event-id": id}, "GET")
                await stream.until(lambda live: live.status)
                stream.hang_up()
                await stream.task
                assert stream.status == 200
            assert not one.endpoint.sessions.local.replica.health.why_down

    run(work())


def test_a_client_may_answer_as_many_questions_of_other_replicas_as_it_is_asked(monkeypatch: Any) -> None:
    monkeypatch.setattr("plainmcp.transports.http.shared.session.MAX_FORWARDED", 3)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one, elicitation={})
            for _ in range(8):
                live = Live(one, call("ask"), headers)
                reply = {"jsonrpc": "2.0", "id": (await question(live))["id"], "result": {"action": "decline"}}
                assert (await speak(other, reply, headers)).status == 202
                await live.done()
                assert "decline" in str(messages(live)[-1])
            repeated = [(await speak(other, reply, headers)).status for _ in range(5)]
            assert repeated == [202, 202, 202, 429, 429]

    run(work())


def test_an_application_without_a_lifespan_follows_the_store_before_its_first_request() -> None:
    """A GET before that would get all changes from long ago, or miss some."""

    async def work() -> None:
        store = MemoryStore()
        with replicas(store, 1) as [one]:
            headers = await session(one)
            await speak(one, SUBSCRIBE, headers)
            await speak(one, call("touch"), headers)
            late = make_server().asgi(store=store)
            stream = Live(late, None, headers, "GET")
            await stream.until(lambda live: live.status)
            assert stream.status == 200 and late.endpoint.sessions.local.replica.reader.begun.is_set()
            await speak(one, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            await asyncio.sleep(0.1)
            assert len(messages(stream)) == 1
            stream.hang_up()
            await stream.task
            late.close()

    run(work())


def test_a_get_before_the_store_was_reached_is_refused() -> None:
    class Away(MemoryStore):
        def last(self, log: str) -> int:
            raise StoreError("away")

    async def work() -> None:
        with replicas(Away(), 1) as [one]:
            headers = await session(one)
            refused = await speak(one, None, headers, "GET")
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")

    run(work())


def test_all_replicas_know_the_same_capabilities_of_a_client() -> None:
    """What is too large for the id of the session is left out everywhere."""

    async def work() -> None:
        with replicas(MemoryStore()) as apps:
            body = initialize()
            body["params"]["capabilities"] = {"experimental": {"x": "y" * 9_000}, "sampling": {}}
            opened = await speak(apps[0], body)
            headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
            for app in apps:
                assert (await speak(app, request("ping"), headers)).status == 200
                [held] = app.endpoint.sessions.local._get_all()
                assert held.connection.session.capabilities == {"sampling": {}}

    run(work())


def test_a_session_with_a_state_of_handlers_is_not_closed_for_anonymous_ones() -> None:
    async def work() -> None:
        settings = {
            "max_sessions": 4,
            "max_sessions_per_caller": 4,
            "principal": lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode() or None,
        }
        with replicas(MemoryStore(), 1, settings=settings) as [one]:
            ada = {"x-user": "ada"}
            ada["mcp-session-id"] = (await speak(one, initialize(), ada)).headers["mcp-session-id"]
            assert (await speak(one, request("ping"), ada)).status == 200
            [held] = one.endpoint.sessions.local._get_all()
            held.connection.session.state["count"] = 3
            for _ in range(8):
                anonymous = {"mcp-session-id": (await speak(one, initialize())).headers["mcp-session-id"]}
                await speak(one, request("ping"), anonymous)
            assert not held.closed
            held.connection.session.state.clear()  # then it can be opened again as it was
            for _ in range(8):
                await speak(one, initialize())
            assert (await speak(one, request("ping"), ada)).status == 200

    run(work())


# What a response waits for --------------------------------------------------------------------------


class AnyStep(Exchange, kw_only=True):
    """An exchange with one step, which is passed back what came."""

    got: list[Any]

    def send(self, value: Any) -> None:
        self.got.append(value)
        self.step, self.response = None, b"done"

    def throw(self, error: BaseException) -> None:
        self.got.append(type(error))
        self.step, self.response = None, b"refused"


class FakeWriter:
    """A writer that has written the changes when they were waited for."""

    def __init__(self, written: int) -> None:
        self.written = written

    def wait(self, number: int, seconds: float) -> None:
        self.written = number


def after_changes(got: list[Any], writer: FakeWriter) -> AfterChanges:
    step = step_for(lambda: None, do_nothing, deadline())
    local: Any = SimpleNamespace(replica=SimpleNamespace(writer=writer))
    pending: Any = SimpleNamespace(kept_values=None)
    rest = AnyStep(step=step, got=got)
    return AfterChanges(None, step, rest=rest, changes=OwnChanges(7), local=local, pending=pending)


@pytest.mark.parametrize("written", [7, 0])
def test_a_response_waits_until_the_store_has_the_changes(written: int) -> None:
    got: list[Any] = []
    writer = FakeWriter(written)
    assert run_exchange(after_changes(got, writer)) == b"done"
    assert (got, writer.written) == ([None], 7)


def test_an_error_waits_for_the_changes_too_and_a_cancel_does_not_get_lost() -> None:
    got: list[Any] = []
    writer = FakeWriter(0)
    exchange = after_changes(got, writer)
    exchange.throw(InternalError("away"))
    assert exchange.step is not None and writer.written == 0
    exchange.throw(Cancelled())  # while the store is waited for: the response is there already
    assert (exchange.step, exchange.response, got) == (None, b"refused", [InternalError])
