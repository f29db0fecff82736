"""Threads for plain functions: callers take turns, and what waits or was given up is in nobody's way."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mounted import Live, modern
from plainmcp import Server
from plainmcp.limits.shares import caller_of
from plainmcp.protocol.files import Directory
from plainmcp.transports.threads import MAX_WAKING, Inbox, Threads, threads_of, without_slot

SECONDS = 10


def until(is_true: Callable[[], object]) -> None:
    ends = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < ends
        time.sleep(0.005)


class Works:
    """Functions that note when they run, and end when they are let go."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.done: list[str] = []
        self.go = threading.Event()

    def make(self, name: str) -> Callable[[], None]:
        def work() -> None:
            self.running.append(name)
            self.go.wait(SECONDS)
            self.done.append(name)

        return work


@pytest.mark.parametrize("most_each", [2, None])
def test_one_caller_does_not_get_all_threads(most_each: int | None) -> None:
    threads, works = Threads(3, most_each=most_each), Works()
    for number in range(5):
        threads.submit(works.make(f"a{number}"), "ann")
    threads.submit(works.make("b0"), "bob")
    until(lambda: len(works.running) == 3)
    time.sleep(0.05)
    assert sorted(works.running) == ["a0", "a1", "b0"]
    works.go.set()
    until(lambda: len(works.done) == 6)


def test_anonymous_callers_at_one_address_do_not_get_all_threads() -> None:
    """Below, at and above their limit, which is three quarters."""
    threads, works = Threads(4, most_each=2), Works()
    for number in range(4):
        threads.submit(works.make(f"s{number}"), caller_of(None, b"%d" % number, "192.0.2.1"))
    until(lambda: len(works.running) == 3)
    time.sleep(0.05)
    assert sorted(works.running) == ["s0", "s1", "s2"]
    threads.submit(works.make("other"), caller_of(None, None, "192.0.2.2"))
    until(lambda: works.running[-1] == "other")
    works.go.set()
    until(lambda: len(works.done) == 5)
    until(lambda: not threads._turns.held)


def test_one_caller_does_not_get_all_threads_that_read_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One caller's reads that are stuck, as on a drive that does not answer, leave threads for the others."""
    for name in ("stuck", "good"):
        (tmp_path / name).write_text(name)
    server, works = Server("files", "1"), Works()
    server.add_directory("memo://", tmp_path)
    read = Directory.read

    def read_or_wait(self: Directory, relative: str, uri: str | None = None) -> object:
        if relative == "stuck":
            works.make(relative)()
        return read(self, relative, uri)

    monkeypatch.setattr(Directory, "read", read_or_wait)
    app = server.asgi(principal=lambda scope: dict(scope["headers"]).get(b"x-user"))

    async def run() -> bytes:
        def begin(user: str, name: str) -> Live:
            body, headers = modern("resources/read", uri=f"memo://{name}")
            return Live(app, body, headers | {"x-user": user})

        stuck = [begin("eve", "stuck") for _ in range(20)]
        await asyncio.sleep(0.3)
        assert len(works.running) == 6
        good = await begin("ann", "good").done()
        works.go.set()
        for one in stuck:
            assert (await one.done()).status == 200
        return good.body

    assert b'"text":"good"' in asyncio.run(run())


def test_callers_take_turns() -> None:
    threads, works = Threads(1), Works()
    threads.submit(works.make("first"), "ann")
    until(lambda: works.running)
    for number in range(3):
        threads.submit(works.make(f"a{number}"), "ann")
    threads.submit(works.make("b0"), "bob")
    threads.submit(works.make("c0"), "eve")
    works.go.set()
    until(lambda: len(works.done) == 6)
    assert works.done == ["first", "a0", "b0", "c0", "a1", "a2"]


def test_no_caller_in_particular_may_use_all_threads() -> None:
    threads, works = Threads(3, most_each=1), Works()
    for number in range(3):
        threads.submit(works.make(str(number)))
    until(lambda: len(works.running) == 3)
    works.go.set()
    until(lambda: len(works.done) == 3)


def test_a_thread_that_waits_for_its_client_lets_others_run() -> None:
    threads, answered, done = Threads(1), threading.Event(), list[str]()

    def ask() -> None:
        with without_slot():
            answered.wait(SECONDS)
        done.append("asked")

    threads.submit(ask)
    threads.submit(lambda: done.append("other"))
    until(lambda: done == ["other"])
    assert threads.released == 1
    answered.set()
    until(lambda: done == ["other", "asked"])
    until(lambda: threads.released == 0)
    threads.submit(lambda: done.append("last"))
    until(lambda: len(done) == 3)


def test_without_a_thread_of_ours_there_is_nothing_to_let_go() -> None:
    with without_slot():
        pass


def test_work_that_was_given_up_makes_way_for_other_work(caplog: pytest.LogCaptureFixture) -> None:
    threads, works, done = Threads(1), Works(), list[str]()
    job = threads.submit(works.make("stuck"), "ann")
    until(lambda: works.running)
    threads.submit(lambda: done.append("other"), "ann")
    assert job is not None
    job.give_up()
    until(lambda: done == ["other"])
    assert "still runs after its request was given up" in caplog.text and threads.released == 1
    job.give_up()
    assert threads.released == 1
    works.go.set()
    until(lambda: threads.released == 0)
    job.give_up()  # it has ended
    assert threads.released == 0
    threads.submit(lambda: done.append("last"), "ann")
    until(lambda: len(done) == 2)


def test_work_that_was_given_up_while_it_waited_counts_once() -> None:
    threads, answered, go, done = Threads(1), threading.Event(), threading.Event(), list[str]()

    def ask() -> None:
        with without_slot():
            answered.wait(SECONDS)
        go.wait(SECONDS)

    job = threads.submit(ask)
    until(lambda: threads.released == 1)
    assert job is not None
    job.give_up()
    answered.set()
    time.sleep(0.05)
    threads.submit(lambda: done.append("other"))
    until(lambda: done == ["other"])  # although it runs on
    go.set()
    until(lambda: threads.released == 0)


def test_work_that_was_given_up_before_a_thread_was_free_is_forgotten() -> None:
    threads, works, done = Threads(1), Works(), list[str]()
    threads.submit(works.make("stuck"), "ann")
    until(lambda: works.running)
    jobs = [threads.submit(lambda name=name: done.append(name), "ann") for name in "abc"]
    jobs[1].give_up()
    assert len(list(threads._turns.first_jobs())) == 1 and threads.find_oldest() == ("ann", jobs[0].since)
    jobs[0].give_up()
    jobs[2].give_up()
    jobs[2].give_up()
    assert threads.find_oldest() is None and threads.released == 0
    works.go.set()
    threads.submit(lambda: done.append("last"), "ann")
    until(lambda: done == ["last"])


@pytest.mark.parametrize(("most", "runs"), [(0, False), (1, True)])
def test_only_so_many_may_be_released(most: int, runs: bool) -> None:
    threads, works, done = Threads(1, most_released=most), Works(), list[str]()
    job = threads.submit(works.make("stuck"))
    until(lambda: works.running)
    threads.submit(lambda: done.append("other"))
    assert job is not None
    job.give_up()
    time.sleep(0.1)
    assert (done == ["other"]) is runs
    works.go.set()
    until(lambda: done == ["other"])


def test_work_that_waits_when_no_thread_can_start_runs_later(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, works, done = Threads(1), Works(), list[str]()
    job = threads.submit(works.make("stuck"))
    until(lambda: works.running)
    threads.submit(lambda: done.append("other"))

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    assert job is not None
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        job.give_up()
    assert done == []
    works.go.set()
    until(lambda: done == ["other"])


def test_work_that_comes_when_no_thread_can_start_waits_for_one_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, works, done = Threads(2), Works(), list[str]()
    threads.submit(works.make("first"))
    until(lambda: works.running)

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        threads.submit(lambda: done.append("second"))
    works.go.set()
    until(lambda: done == ["second"])


def test_functions_that_block_get_all_threads_although_few_are_woken_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the first four threads were given a job before one began; then these wake the others."""
    begin, threads, works = threading.Event(), Threads(88), Works()
    serve, given = Threads._serve, list[object]()

    def serve_later(self: Threads, inbox: Inbox) -> None:
        given.append(inbox)
        begin.wait(SECONDS)
        serve(self, inbox)

    monkeypatch.setattr(Threads, "_serve", serve_later)
    for number in range(100):
        threads.submit(works.make(str(number)))
    time.sleep(0.1)
    assert len(given) == MAX_WAKING
    begin.set()
    until(lambda: len(works.running) == 88)
    works.go.set()
    until(lambda: len(works.done) == 100)
    until(lambda: threads._turns.count == 0 and len(threads._idle) == 88)


def test_a_thread_that_ends_its_work_takes_the_next_without_waking_another() -> None:
    """A busy machine may stop the threads between two jobs, and then more are woken: so it is tried a few times."""

    def count_threads() -> int:
        threads, used = Threads(88), set[int]()
        for _ in range(1_000):
            threads.submit(lambda: used.add(threading.get_ident()))
        until(lambda: threads._turns.count == 0)
        return len(used)

    assert any(count_threads() < 44 for _ in range(5))


def test_a_server_has_the_limits_of_its_options() -> None:
    server = Server("s")
    assert (server.threads, server.threads_per_caller, server.max_waiting_threads) == (88, None, 256)
    threads = threads_of(Server("s", threads=2, threads_per_caller=1, max_waiting_threads=0))
    assert (threads._most, threads._most_each, threads._most_released) == (2, 1, 0)
    assert threads.files is not threads and threads.files.files is threads.files
