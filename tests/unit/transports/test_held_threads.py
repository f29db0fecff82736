"""What the log says of work that waits because threads are held (P34)."""

import asyncio
import logging
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mounted import Live, modern
from plainmcp import Server
from plainmcp.limits.shares import AtAddress
from plainmcp.transports import held_threads
from plainmcp.transports.threads import Threads
from talking import until


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_threads, "LATE", 0.1)


@pytest.fixture
def go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of waiting work, with the numbers of lines and seconds left out."""
    said = [record.getMessage() for record in caplog.records if "has waited" in record.getMessage()]
    return [re.sub(r":\d+", ":N", re.sub(r"waited \d+ s", "waited N s", line)) for line in said]


def make_server(go: threading.Event, **options: Any) -> Server:
    server = Server("s", **options)

    @server.tool
    def stuck() -> str:
        go.wait(20)
        return "at last"

    @server.resource("file://slow")
    def slow() -> str:
        go.wait(20)
        return "at last"

    @server.tool
    def plain() -> str:
        return "done"

    return server


def ask(app: Any, method: str, params: Any, address: str = "192.0.2.7") -> Live:
    body, headers = modern(method, **params)
    return Live(app, body, headers, address=address)


STUCK = ("tools/call", {"name": "stuck", "arguments": {}})
PLAIN = ("tools/call", {"name": "plain", "arguments": {}})
SLOW = ("resources/read", {"uri": "file://slow"})


def test_a_plain_tool_that_waits_for_the_threads_of_its_address_is_in_the_log_once(
    go: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    """P34"""

    async def serve() -> None:
        app = make_server(go, threads=4).asgi()
        first = [ask(app, *STUCK), ask(app, *STUCK), ask(app, *SLOW)]
        await asyncio.sleep(0.05)
        waiting = [ask(app, *PLAIN), ask(app, *PLAIN)]
        await asyncio.to_thread(until, lambda: lines(caplog))
        other = ask(app, *PLAIN, address="192.0.2.8")
        await other.until(lambda one: one.over)
        await asyncio.sleep(0.3)
        go.set()
        for live in (*first, *waiting):
            await live.until(lambda one: one.over)

    asyncio.run(serve())
    assert lines(caplog) == [
        "a request has waited N s: all 3 of 4 threads that anonymous callers at 192.0.2.7 may now use together are "
        "held, by stuck at test_held_threads.py:N (2), file://slow at test_held_threads.py:N (1). "
        "Server(threads=…) changes their number. With timeout=, a feature gives up its thread."
    ]
    assert [record.levelno for record in caplog.records if "has waited" in record.getMessage()] == [logging.WARNING]


@pytest.mark.parametrize(
    ("callers", "waiting", "text"),
    [
        (["a", "a", "b", "b"], "c", "all 4 threads are held, by {4}. Server(threads=…)"),
        (["a", "a"], "a", "all 2 threads that one caller may use are held, by {2}. Server(threads_per_caller=…)"),
        (
            [AtAddress("192.0.2.1", key) for key in (1, 2, 3)],
            AtAddress("192.0.2.1", 4),
            "all 3 of 4 threads that anonymous callers at 192.0.2.1 may now use together are held, by {3}. "
            "Server(threads=…)",
        ),
    ],
)
def test_the_limit_that_lets_it_wait_is_named(
    go: threading.Event, caplog: pytest.LogCaptureFixture, callers: list[Any], waiting: Any, text: str
) -> None:
    threads = Threads(4, most_each=2, has_options=True)

    def work() -> None:
        go.wait(20)

    for caller in callers:
        threads.submit(work, caller)
    threads.submit(work, waiting)
    until(lambda: lines(caplog))
    [line] = lines(caplog)
    end = " changes their number. With timeout=, a feature gives up its thread."
    expected = re.sub(r"\{(\d)\}", r"work at test_held_threads.py:N (\1)", text)
    assert line == f"a request has waited N s: {expected}{end}"


def test_threads_without_an_option_name_none(go: threading.Event, caplog: pytest.LogCaptureFixture) -> None:
    threads = Threads(1)
    for _ in range(2):
        threads.submit(lambda: go.wait(20))
    until(lambda: lines(caplog))
    assert "Server(" not in lines(caplog)[0]


def test_work_that_waits_only_for_a_moment_is_not_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_threads, "LATE", 0.3)
    threads, done = Threads(1), threading.Semaphore(0)
    for _ in range(20):
        threads.submit(lambda: (threading.Event().wait(0.02), done.release()))
        threads.submit(done.release)
        for _ in range(2):
            assert done.acquire(timeout=20)
    assert lines(caplog) == []
    before = threading.active_count()
    until(lambda: threading.active_count() < before)  # it does not look for ever


def test_it_speaks_again_after_a_while(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_threads, "QUIET", 0.2)
    go, threads = threading.Event(), Threads(1)
    try:
        threads.submit(lambda: go.wait(20))
        until(lambda: (threads.submit(lambda: None), len(lines(caplog)) == 2)[1])
    finally:
        go.set()
