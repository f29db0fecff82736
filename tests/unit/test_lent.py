"""The turn to read, lent to the event loop: who reads, and who gets it back."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plainmcp.transports import run_async
from plainmcp.transports.lent import Lent
from talking import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an event loop cannot wait for pipes there")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    source, sink = os.pipe()
    yield source, sink
    os.close(source)
    os.close(sink)


def files() -> int:
    return len(os.listdir("/dev/fd"))


def taking(source: int, *, until_it_says: bytes = b"end") -> tuple[list[tuple[bytes, str]], Callable[[Lent], bool]]:
    """A `read`, and what it has read in which thread."""
    taken: list[tuple[bytes, str]] = []

    def read(lent: Lent) -> bool:
        taken.append((os.read(source, 100), threading.current_thread().name))
        return taken[-1][0] != until_it_says

    return taken, read


def lending(source: int, read: Callable[[Lent], bool]) -> tuple[threading.Thread, list[bool]]:
    """A thread that has lent the turn; and, once it has it back, whether it had to take it."""
    backs: list[bool] = []
    thread = threading.Thread(target=lambda: backs.append(Lent(source, read).wait()))
    thread.start()
    return thread, backs


def test_the_loop_reads_until_it_gives_the_turn_back(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    taken, read = taking(source)
    thread, backs = lending(source, read)
    for said in (b"one", b"two", b"end"):
        os.write(sink, said)
        until(lambda said=said: taken and taken[-1][0] == said)
    thread.join(20)
    assert backs == [False]
    assert taken == [(b"one", "plainmcp-loop"), (b"two", "plainmcp-loop"), (b"end", "plainmcp-loop")]
    os.write(sink, b"more")
    time.sleep(0.1)
    assert taken[-1][0] == b"end"  # it reads no more
    assert os.read(source, 100) == b"more"


def test_the_turn_is_taken_back_when_the_loop_does_not_come_round(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    taken, read = taking(source)
    go_on = threading.Event()

    async def hold_up() -> None:
        go_on.wait(20)

    run_async.start(hold_up)
    os.write(sink, b"unread")
    start = time.monotonic()
    try:
        assert Lent(source, read).wait() is True
        assert time.monotonic() - start < 5
    finally:
        go_on.set()
    round_again = threading.Event()
    run_async.start(lambda: asyncio.sleep(0, round_again.set()))
    assert round_again.wait(20)
    assert taken == []  # it had its chance
    assert os.read(source, 100) == b"unread"


def test_the_turn_is_not_taken_while_there_is_nothing_to_read(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    taken, read = taking(source)
    thread, backs = lending(source, read)
    held: list[float] = []

    async def hold_up() -> None:
        time.sleep(0.3)
        held.append(time.monotonic())

    run_async.start(hold_up)
    until(lambda: held)
    assert backs == []
    os.write(sink, b"end")
    thread.join(20)
    assert backs == [False]
    assert taken == [(b"end", "plainmcp-loop")]


def test_a_reader_that_fails_gives_the_turn_back(pipe: tuple[int, int], caplog: pytest.LogCaptureFixture) -> None:
    source, sink = pipe

    def read(lent: Lent) -> bool:
        raise LookupError("broken")

    os.write(sink, b"x")
    assert Lent(source, read).wait() is False
    until(lambda: "broken" in caplog.text)


def test_a_file_that_cannot_be_waited_for_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    with open(tmp_path / "file", "rb") as file:
        taken, read = taking(file.fileno(), until_it_says=b"")
        lent = Lent(file.fileno(), read)
        assert lent.wait() is False
        assert lent.refused or taken == [(b"text", "plainmcp-loop"), (b"", "plainmcp-loop")]  # as the system has it


def test_an_end_from_elsewhere_gives_the_turn_back_and_closes_what_was_opened(pipe: tuple[int, int]) -> None:
    source, sink = pipe
    taken, read = taking(source)
    run_async.start(lambda: asyncio.sleep(0))  # there is a loop
    before = files()
    for _ in range(3):
        lent = Lent(source, read)
        threading.Timer(0.1, lent.end).start()
        assert lent.wait() is False
        lent.end()  # once more does nothing
    until(lambda: files() <= before)
    os.write(sink, b"after")
    time.sleep(0.1)
    assert taken == []
