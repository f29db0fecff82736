"""What waits to be written: its order, its groups, its limits, and a store that fails."""

import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.replicas import writer as store_writer
from plainmcp.replicas.health import StoreHealth
from plainmcp.replicas.keys import StoreKeys
from plainmcp.replicas.writer import StoreWriter
from plainmcp.store import MemoryStore, Store, StoreError


class Noting(MemoryStore):
    is_failing = False

    def __init__(self) -> None:
        super().__init__()
        self.done: list[Any] = []

    def append(self, entries: Any, most: int, seconds: float) -> list[int]:
        if self.is_failing:
            raise StoreError("away")
        self.done.append((list(entries), most, seconds))
        return super().append(entries, most, seconds)


@pytest.fixture
def store() -> Noting:
    return Noting()


@pytest.fixture
def ending() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def writer(store: Noting, monkeypatch: pytest.MonkeyPatch) -> StoreWriter:
    monkeypatch.setattr(store_writer, "PAUSE", 0.01)
    keys = StoreKeys(Server("s", "1", key=b"k" * 16))
    return StoreWriter(store, StoreHealth(lambda: None), keys, lambda store: None)


def start(writer: StoreWriter, ending: threading.Event) -> None:
    threading.Thread(target=writer.run, args=(ending,), daemon=True).start()


def test_entries_are_written_in_groups_and_broadcasts_before_changes(
    store: Noting, writer: StoreWriter, ending: threading.Event
) -> None:
    keys = writer._keys
    writer.append(keys.changes, b"c1")
    writer.append(keys.streams + "a:1", b"s1")
    writer.append(keys.broadcasts, b"n1")
    writer.append(keys.changes, b"c2")
    start(writer, ending)
    writer.finish(5)
    assert store.done == [
        ([(keys.broadcasts, b"n1")], 10_000, 600.0),
        ([(keys.changes, b"c1"), (keys.changes, b"c2")], 10_000, 3600.0),
        ([(keys.streams + "a:1", b"s1")], 1_000, 600.0),
    ]


def test_one_can_wait_for_a_change(store: Noting, writer: StoreWriter, ending: threading.Event) -> None:
    writer.append("stream", b"s1")
    number = writer.append(writer._keys.changes, b"c1")
    assert writer.written < number
    start(writer, ending)
    writer.wait(number, 5)
    assert writer.written == number and store.last(writer._keys.changes)


def test_other_work_is_done_in_its_order(store: Noting, writer: StoreWriter, ending: threading.Event) -> None:
    done: list[Any] = []

    def work(number: int) -> Any:
        return lambda store: done.append(number)

    for number in range(3):
        writer.later(work(number))
    start(writer, ending)
    writer.finish(5)
    assert done == [0, 1, 2]


def test_work_that_fails_by_itself_ends_nothing(store: Noting, writer: StoreWriter, ending: threading.Event) -> None:
    def fail(store: Store) -> None:
        raise KeyError("x")

    writer.later(fail)
    start(writer, ending)
    writer.finish(5)
    writer.append("log", b"1")
    writer.finish(5)
    assert store.done


def test_nobody_waits_for_a_store_that_fails(store: Noting, writer: StoreWriter, ending: threading.Event) -> None:
    store.is_failing = True
    number = writer.append(writer._keys.changes, b"c1")
    start(writer, ending)
    started = time.monotonic()
    writer.wait(number, 30)
    writer.finish(30)
    assert time.monotonic() - started < 5 and writer.written < number
    store.is_failing = False
    while writer.written < number:  # and it is written when the store works again
        assert time.monotonic() - started < 10
        time.sleep(0.01)


def test_too_many_entries_push_out_the_oldest_of_their_kind(
    writer: StoreWriter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_writer, "MAX_QUEUE", 3)
    numbers = [writer.append(writer._keys.changes, b"x") for _ in range(5)]
    assert [entry.number for entry in writer._changes] == numbers[2:]
    assert writer.written == numbers[1]  # those who wait for it go on
    for number in range(5):
        writer.append("log", b"%d" % number)
        writer.later(lambda store, number=number: number)
    assert [entry.value for entry in writer._others] == [b"2", b"3", b"4"]
    assert [work(MemoryStore()) for work in writer._work] == [2, 3, 4]
    monkeypatch.setattr(store_writer, "MAX_QUEUE_BYTES", 10)
    writer.append("log", b"x" * 10)
    assert [entry.value for entry in writer._others] == [b"x" * 10]
    assert [entry.number for entry in writer._changes] == numbers[2:]
    assert sum("is lost" in record.message for record in caplog.records) == 1  # not for each


def test_what_waits_too_long_is_dropped_but_not_changes(
    store: Noting, writer: StoreWriter, ending: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_writer, "MAX_AGE", 0.05)
    store.is_failing = True
    writer.append("log", b"x")
    number = writer.append(writer._keys.changes, b"y")
    start(writer, ending)
    until = time.monotonic() + 5
    while writer._others and time.monotonic() < until:
        time.sleep(0.01)
    assert not writer._others and writer._changes and writer.written < number
    store.is_failing = False
    while writer.written < number and time.monotonic() < until:
        time.sleep(0.01)
    assert [entries for entries, _, _ in store.done] == [[(writer._keys.changes, b"y")]]


def test_much_work_does_not_keep_entries_and_heartbeats_waiting(
    store: Noting, writer: StoreWriter, ending: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_writer, "BEAT", 0.05)
    beats: list[float] = []
    writer._beat = lambda store: beats.append(time.monotonic())
    for _ in range(400):
        writer.later(lambda store: time.sleep(0.002))
    start(writer, ending)
    time.sleep(0.1)
    started = time.monotonic()
    writer.wait(writer.append(writer._keys.changes, b"x"), 5)
    assert time.monotonic() - started < 0.4 and writer._work
    writer.finish(10)
    assert not writer._work
    assert max(after - before for before, after in pairwise(beats)) < 0.5
