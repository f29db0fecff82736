"""Open streams of shared sessions: which replica sends an update, and that none is lost."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mounted import Live, initialize, session, speak
from plainmcp.replicas import heartbeat, keys, replica, writer
from plainmcp.replicas.entries import Handover, Holder, Left
from plainmcp.replicas.reader import StoreReader
from plainmcp.store import MemoryStore, Store
from plainmcp.transports.http.shared.session import SharedSession
from plainmcp.transports.http.shared.standing_streams import MAX_REPLAY, StandingStreams
from replicas import call, messages, replicas, request, wait_until


def run(work: Any) -> None:
    asyncio.run(work)


def session_at(app: Any) -> SharedSession:
    """The one session, as a replica has it."""
    [found] = app.endpoint.sessions.local._by_name.values()
    return found


@pytest.fixture
def patient(monkeypatch: Any) -> None:
    """Replicas that wait for one another, also on a busy machine: one that does not may send a message twice."""
    monkeypatch.setattr(replica, "ACK_SECONDS", 10)


def test_a_replica_takes_over_the_stream_of_one_that_is_dead(monkeypatch: Any) -> None:
    monkeypatch.setattr(heartbeat, "ALIVE", 0.3)
    monkeypatch.setattr(writer, "BEAT", 0.1)

    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            headers = await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            await asyncio.sleep(0.1)
            replica, [held] = one.endpoint.sessions.local.replica, one.endpoint.sessions.local._by_name.values()
            replica.append(replica.keys.broadcasts, Holder(held.name, "dead", "a stream", 1))
            await wait_until(lambda: held.standing_streams.muted_by == "dead")
            await speak(other, call("touch"), headers)
            await stream.until(lambda live: messages(live))
            assert len(messages(stream)) == 1 and held.standing_streams.muted_by is None
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
            kept = [(log, value) for log, value in entries if not (self.is_slow and b"holder" in value)]
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
            [held] = other.endpoint.sessions.local._by_name.values()
            await speak(other, call("touch"), headers)
            await former.until(lambda live: messages(live))
            logs = [app.endpoint.sessions.local.replica.reader.change_log for app in (one, other)]
            await wait_until(lambda: logs[0].position == logs[1].position)  # or it comes on both streams
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
            held = [next(iter(app.endpoint.sessions.local._by_name.values())) for app in (one, other)]
            streams = [Live(app, None, headers, "GET") for app in (one, other)]
            await wait_until(lambda: all(one.standing for one in held))
            await wait_until(lambda: sorted(one.standing_streams.muted_by is None for one in held) == [False, True])
            await speak(one, call("touch"), headers)
            await wait_until(lambda: any(messages(live) for live in streams))
            await asyncio.sleep(0.1)
            assert sum(len(messages(live)) for live in streams) == 1
            for live in streams:
                live.hang_up()
                await live.task

    run(work())


def test_streams_that_come_and_go_do_not_push_out_the_changes_that_others_missed(monkeypatch: Any) -> None:
    monkeypatch.setattr(keys, "MAX_CHANGES", 20)

    async def work() -> None:
        store = MemoryStore()
        with replicas(store) as (one, other):
            headers, others = await session(one), await session(one)
            await speak(one, request("resources/subscribe", uri="memo://one"), headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            last = stream.events[-1]["id"]
            stream.hang_up()
            await stream.task
            for _ in range(5):
                await speak(one, call("touch"), headers)
            for _ in range(30):
                short = Live(one, None, others, "GET")
                await short.until(lambda live: live.status)
                short.hang_up()
                await short.task
            with replicas(store, 1) as [third]:  # which knows only what the store has
                for app in (other, third):
                    rest = Live(app, None, {**headers, "last-event-id": last}, "GET")
                    await rest.until(lambda live: len(messages(live)) == 5)
                    rest.hang_up()
                    await rest.task

    run(work())


def test_the_notification_that_a_client_is_ready_may_reach_another_replica() -> None:
    async def work() -> None:
        with replicas(MemoryStore()) as (one, other):
            opened = await speak(one, initialize())
            headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
            await speak(other, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
            stream = Live(one, None, headers, "GET")
            await stream.until(lambda live: live.status)
            for number, app in enumerate((one, other)):
                await speak(app, call("grow", name=f"fresh{number}"), headers)
                await stream.until(lambda live, count=number + 1: len(messages(live)) == count)
            assert {message["method"] for message in messages(stream)} == {"notifications/tools/list_changed"}
            stream.hang_up()
            await stream.task

    run(work())


def test_a_replica_that_does_not_follow_yet_sends_the_client_away(monkeypatch: Any) -> None:
    """It would not know what the client has missed, and the client would not ask again."""
    begin, may_begin = StoreReader._begin, threading.Event()

    def begin_late(reader: StoreReader) -> None:
        may_begin.wait(10)
        begin(reader)

    monkeypatch.setattr(StoreReader, "_begin", begin_late)
    with replicas(MemoryStore(), 1) as [one]:
        session = one.endpoint.sessions.local.make(None, None)
        streams = [session.make_standing_stream(1) for _ in range(2)]
        opened = session.standing_streams
        opened.open(streams[0], 1, True)
        asyncio.run(wait_until(lambda: streams[0].finished))
        may_begin.set()
        opened.open(streams[1], 1, True)
        asyncio.run(wait_until(lambda: session.standing == streams[1:]))
        assert not streams[1].finished


@pytest.mark.slow
def test_one_caller_that_opens_many_streams_does_not_keep_another_one_waiting() -> None:
    """With positions from long ago, and without reading what it asked for."""

    async def work() -> None:
        settings = {"principal": lambda scope: dict(scope["headers"]).get(b"x-user", b"").decode()}
        with replicas(MemoryStore(), settings=settings) as (one, other):
            for _ in range(10_000):
                one.server.resource_updated("memo://one")
            log = other.endpoint.sessions.local.replica.reader.change_log
            await wait_until(lambda: len(log.find_after(0)) == 10_000)
            eve, ada = [{"x-user": name, **await opened(one, name)} for name in ("eve", "ada")]
            await speak(other, request("resources/subscribe", uri="memo://one"), eve)
            await speak(other, request("resources/subscribe", uri="memo://two"), ada)
            first = Live(other, None, eve, "GET")
            await first.until(lambda stream: stream.body)
            long_ago = {**eve, "last-event-id": first.events[0]["id"].rpartition("-")[0] + "-1"}
            first.hang_up()
            await first.task
            for _ in range(1_000):
                live = Live(other, None, long_ago, "GET")
                await live.until(lambda stream: stream.status)
                live.hang_up()
                await live.task
            stream = Live(other, None, ada, "GET")
            await stream.until(lambda live: live.status)
            started = time.monotonic()
            await speak(one, call("touch", uri="memo://two"), ada)
            await stream.until(lambda live: messages(live))
            assert time.monotonic() - started < 2
            stream.hang_up()
            await stream.task
            # And what one client gets is bounded.
            live = Live(other, None, long_ago, "GET")
            await live.until(lambda stream: len(messages(stream)) >= MAX_REPLAY)
            await asyncio.sleep(0.3)
            assert len(messages(live)) == MAX_REPLAY
            live.hang_up()
            await live.task

    async def opened(app: Any, name: str) -> dict[str, str]:
        answer = await speak(app, initialize(), {"x-user": name})
        return {"mcp-session-id": answer.headers["mcp-session-id"]}

    run(work())


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("where", [0, 1])
def test_an_update_goes_out_on_one_stream_also_while_another_one_is_opened(store: Store, where: int) -> None:
    """R2511-HTTP-22: the new one may be at the same replica, or at the other one."""

    async def work() -> None:
        with replicas(store) as apps:
            headers = await session(apps[0])
            await speak(apps[0], request("resources/subscribe", uri="memo://one"), headers)
            for number in range(10):
                streams = []
                for app in (apps[0], apps[where]):
                    streams.append(Live(app, None, headers, "GET"))
                    await streams[-1].until(lambda live: live.status)
                    await speak(apps[number % 2], call("touch"), headers)
                await wait_until(lambda streams=streams: sum(len(messages(live)) for live in streams) >= 2)
                await asyncio.sleep(0.05)
                assert sum(len(messages(live)) for live in streams) == 2
                for live in streams:
                    live.hang_up()
                    await live.task
                # A replica that is behind would begin a new stream with what came on one that is gone.
                await wait_until(lambda number=number: all(newest_at(app) == 2 * number + 2 for app in apps))

    run(work())


def newest_at(app: Any) -> int:
    """How many changes a replica has read."""
    return len(app.endpoint.sessions.local.replica.reader.change_log.find_after(0))


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("where", [0, 1])
def test_a_stream_that_is_resumed_does_not_repeat_what_came_on_another_one(where: int) -> None:
    """R2511-HTTP-25: and no two streams have events with the same id."""

    async def work() -> None:
        with replicas(MemoryStore()) as apps:
            headers = await session(apps[0])
            await speak(apps[0], request("resources/subscribe", uri="memo://one"), headers)
            older = Live(apps[0], None, headers, "GET")
            await wait_until(lambda: len(session_at(apps[0]).standing) == 1)
            newer = Live(apps[1], None, headers, "GET")
            await wait_until(
                lambda: session_at(apps[0]).standing_streams.muted_by and len(session_at(apps[1]).standing) == 1
            )
            for _ in range(3):
                await speak(apps[0], call("touch"), headers)
            await newer.until(lambda stream: len(messages(stream)) == 3)
            assert not messages(older)
            last = older.events[-1]["id"]
            older.hang_up()
            await older.task
            again = Live(apps[where], None, {**headers, "last-event-id": last}, "GET")
            await again.until(lambda stream: stream.status)
            await asyncio.sleep(0.3)
            assert not messages(again)
            await speak(apps[0], call("touch"), headers)
            await wait_until(lambda: len(messages(again)) + len(messages(newer)) == 4)
            ids = [event["id"] for live in (older, newer, again) for event in live.events if event.get("data")]
            assert len(ids) == len(set(ids))
            for live in (newer, again):
                live.hang_up()
                await live.task

    run(work())


# One session ---------------------------------------------------------------------------------------


class Here:
    """Threads that do the work at once."""

    def submit(self, work: Any, caller: Any) -> None:
        work()


@contextmanager
def one_session() -> Iterator[tuple[SharedSession, StandingStreams]]:
    """A session, and its streams, which are opened in this thread."""
    with replicas(MemoryStore(), 1) as [one]:
        session: SharedSession = one.endpoint.sessions.local.make(None, None)
        session.standing_streams._threads = Here()  # type: ignore[assignment]
        yield session, session.standing_streams


def of_another(session: SharedSession, stream: str, number: int) -> Holder:
    return Holder(session.name, "another replica", stream, number)


def test_a_stream_that_nobody_reads_gets_no_messages(patient: None) -> None:
    with one_session() as (session, streams):
        streams.send(b"nobody hears it")
        stream = session.make_standing_stream(5)
        streams.open(stream, 5, is_new=False)
        assert session.busy
        streams.send(b"heard")
        streams.receive_holder(of_another(session, "a stream", 1))
        assert streams.muted_by == "another replica"
        streams.send(b"heard elsewhere")
        streams.receive_left(Left(session.name, "another replica", 1, 5))
        streams.send(b"heard again")
        session.leave_stream(stream)
        streams.send(b"heard later")
        heard = [message for _, message in stream.take_after(0)[0]]
        assert heard == [b"heard", b"heard again"] and not session.busy


def test_a_stream_whose_client_left_before_it_was_added_is_not_added(patient: None) -> None:
    with one_session() as (session, streams):
        stream = session.make_standing_stream()
        session.leave_stream(stream)
        streams.open(stream, 0, is_new=True)
        assert session.standing == [] and not session.busy
        other = session.streams.open(b"1")
        session.leave_stream(other)  # a stream for a response can be resumed
        assert not other.finished


def test_a_stream_of_a_session_that_has_ended_meanwhile_ends(patient: None) -> None:
    with one_session() as (session, streams):
        stream = session.make_standing_stream()
        session.close()
        streams.open(stream, 0, is_new=True)
        assert stream.finished and session.standing == []


def test_a_stream_takes_over_from_another_one_but_not_from_an_older_part_of_itself(
    patient: None, monkeypatch: Any
) -> None:
    with one_session() as (session, streams):
        log, begun, handed_over = streams._replica.reader.change_log, [], []  # type: ignore[var-annotated]
        monkeypatch.setattr(streams._replica, "notify", lambda replica, entry: handed_over.append((replica, entry)))
        end = StandingStreams._end_claim

        def note_start(self: StandingStreams, stream: Any, position: int | None) -> bool:
            begun.append(self._find_start())
            return end(self, stream, position)

        monkeypatch.setattr(StandingStreams, "_end_claim", note_start)
        first = session.make_standing_stream(5)
        log.position = 7
        streams.open(first, 5, is_new=False)
        again = session.make_standing_stream(6, first.name)  # its client has come back
        log.position = 8
        streams.open(again, 6, is_new=False)
        second = session.make_standing_stream(6)
        assert second.name != first.name
        log.position = 9
        streams.open(second, 6, is_new=False)
        assert begun == [5, 6, 9]
        log.position = 10
        streams.receive_holder(of_another(session, second.name, 1))
        assert not handed_over and streams.muted_by == "another replica"
        streams.read_here()
        assert session.standing[-1] is second and streams.muted_by is None
        log.position = 11
        streams.receive_holder(of_another(session, "another stream", 2))
        assert handed_over == [("another replica", Handover(session.name, 11, True))]


def test_a_stream_that_was_left_is_not_taken_for_a_later_one(patient: None) -> None:
    """A replica writes at once that it opens one, and later that one was left: the two may change places."""
    with one_session() as (session, streams):
        streams.open(session.make_standing_stream(), 0, is_new=True)
        streams.receive_holder(of_another(session, "its first", 1))
        streams.receive_holder(of_another(session, "its second", 2))
        streams.receive_left(Left(session.name, "another replica", 1, 5))
        streams.receive_left(Left(session.name, "a third replica", 2, 5))
        assert streams.muted_by == "another replica"
        streams.receive_left(Left(session.name, "another replica", 2, 5))
        assert streams.muted_by is None
