"""What a process reads from the logs: from where, in which order, and after the store has lost them."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.replicas import change_log
from plainmcp.replicas import reader as store_reader
from plainmcp.replicas.change_log import Change
from plainmcp.replicas.entries import Ack, Event, LogEntry, SessionEnd, Wake
from plainmcp.replicas.health import StoreHealth
from plainmcp.replicas.keys import StoreKeys
from plainmcp.replicas.reader import StoreReader
from plainmcp.store import MemoryStore, StoreError


class Watched(MemoryStore):
    is_failing = False

    def read(self, after: Any, seconds: float = 0) -> Any:
        if self.is_failing:
            raise StoreError("away")
        return super().read(after, min(seconds, 0.05))


class World:
    """A reader, its store, and what it has received."""

    def __init__(self) -> None:
        self.store = Watched()
        self.keys = StoreKeys(Server("s", "1", key=b"k" * 16))
        self.received: list[Any] = []
        self.returns: list[list[Any]] = []  # what it had received, each time that the store worked again
        self.health = StoreHealth(lambda: self.returns.append(list(self.received)))
        self.reader = StoreReader(
            self.store, self.health, self.keys, "inbox", self.receive, self.receive_change, self.tick
        )
        self.ticks = self.changes = 0
        self.ending = threading.Event()

    def receive(self, entry: LogEntry) -> None:
        self.received.append(entry)

    def receive_change(self, change: Change) -> None:
        self.received.append(change.uri)

    def tick(self) -> None:
        self.ticks += 1

    def add(self, log: str, content: Any) -> int:
        [position] = self.store.append([(log, self.keys.sign(log, content))], 10_000, 60)
        return position

    def change(self, uri: str) -> int:
        self.changes += 1
        return self.add(self.keys.changes, ("resources/updated", uri, "replica", self.changes, False))

    def start(self) -> None:
        threading.Thread(target=self.reader.run, args=(self.ending,), daemon=True).start()
        assert self.reader.begun.wait(5)

    def until(self, condition: Any) -> None:
        until = time.monotonic() + 5
        while not condition():
            assert time.monotonic() < until, self.received
            time.sleep(0.005)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(store_reader, "PAUSE", 0.01)
    monkeypatch.setattr(store_reader, "TICK", 0.01)
    made = World()
    yield made
    made.ending.set()


def test_it_begins_after_the_newest_entries_and_remembers_the_changes(world: World) -> None:
    world.add(world.keys.broadcasts, SessionEnd("old"))
    for number in range(2_500):  # several reads
        last = world.change(f"a:{number}")
    world.start()
    assert world.reader.change_log.position == last
    assert [change.uri for change in world.reader.change_log.find_after(0)] == [
        f"a:{number}" for number in range(2_500)
    ]
    world.add(world.keys.broadcasts, SessionEnd("new"))
    world.change("a:new")
    world.add("inbox", Ack(1, "replica"))
    world.until(lambda: len(world.received) == 3)
    assert sorted(world.received, key=str) == [Ack(1, "replica"), SessionEnd("new"), "a:new"]
    assert world.reader.change_log.find_after(0)[-1].uri == "a:new"
    world.until(lambda: world.ticks)


def test_broadcasts_are_received_before_the_changes_after_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_reader, "MAX_READ", 3)
    monkeypatch.setattr("plainmcp.store.memory.MAX_READ", 3)
    world.start()
    with world.store._changed:  # the reader sees them all at once
        for number in range(10):
            world.add(world.keys.broadcasts, SessionEnd(str(number)))
        world.change("a:b")
    world.until(lambda: "a:b" in world.received)
    assert world.received == [*[SessionEnd(str(number)) for number in range(10)], "a:b"]


def test_a_log_is_followed_from_its_beginning_until_it_is_not(world: World) -> None:
    world.start()
    world.add("stream", Event(1, b"message", False))
    heard: list[Any] = []
    world.reader.follow("stream", heard.append)
    world.add("inbox", Wake())
    world.until(lambda: heard == [Event(1, b"message", False)])
    world.reader.unfollow("stream")
    world.until(lambda: world.received)
    world.add("stream", Event(2, b"message", False))
    world.add("inbox", Wake())
    world.until(lambda: len(world.received) == 2)
    assert heard == [Event(1, b"message", False)]


def test_logs_that_the_store_has_lost_are_followed_all_the_same(world: World) -> None:
    world.start()
    for number in range(5):
        world.change(f"a:{number}")
        world.add("inbox", Ack(number, "old"))
    world.until(lambda: len(world.received) == 10)
    world.store.is_failing = True
    world.until(lambda: world.reader._health.why_down)
    world.received.clear()
    world.store._logs.clear()
    world.store._position = 0  # and its clock goes after those of before
    world.store.is_failing = False
    world.until(lambda: not world.reader._health.why_down)
    world.change("a:new")
    world.add("inbox", Ack(9, "new"))
    world.until(lambda: len(world.received) == 2)
    assert sorted(world.received, key=str) == [Ack(9, "new"), "a:new"]


def test_a_change_that_was_written_twice_is_received_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store whose response got lost has the entry, and the writer writes it again."""
    monkeypatch.setattr(change_log, "MAX_CHANGES", 4)
    world.change("a:before")
    world.changes = 0
    world.change("a:before")  # also one from before it began
    world.start()
    assert [change.uri for change in world.reader.change_log.find_after(0)] == ["a:before"]
    for uri in ("a:1", "a:2"):
        world.change(uri)
    world.changes = 1
    for uri in ("a:1", "a:2", "a:3", "a:4"):
        world.change(uri)
    world.add(world.keys.changes, ("resources/updated", "a:1", "another replica", 2, False))
    world.until(lambda: len(world.received) == 5)
    assert world.received == ["a:1", "a:2", "a:3", "a:4", "a:1"]
    assert [change.uri for change in world.reader.change_log.find_after(0)] == ["a:2", "a:3", "a:4", "a:1"]


def test_a_process_that_was_paused_counts_as_one_that_may_have_missed_something(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_reader, "LAG", 0.3)
    world.start()
    world.until(lambda: world.ticks > 10)
    assert not world.returns
    with world.store._changed:  # no read comes to an end
        world.add(world.keys.broadcasts, SessionEnd("one"))
        time.sleep(0.4)
    world.until(lambda: world.returns)
    assert world.returns == [[SessionEnd("one")]] and not world.health.why_down


def test_one_can_wait_for_a_broadcast(world: World) -> None:
    world.start()
    world.reader.wait_for(world.add(world.keys.broadcasts, SessionEnd("one")), 5)
    assert world.received == [SessionEnd("one")]
    started = time.monotonic()
    world.reader.wait_for(10**12, 0.05)
    assert time.monotonic() - started < 2


def test_an_entry_that_cannot_be_received_ends_nothing(world: World) -> None:
    world.start()
    for content in (
        [],
        ["a", "b", "c", "d"],
        ["a", "b", "c", 1, False, "of a newer version"],
        ["a", 1, "c", 1, False],
    ):
        world.add(world.keys.changes, content)  # of another version of this package
    for content in ([], ["Unknown", "a"], ["SessionEnd"], ["SessionEnd", 1], "SessionEnd", {}):
        world.add(world.keys.broadcasts, content)
    world.store.append([(world.keys.changes, b"forged"), (world.keys.broadcasts, b"forged")], 10, 60)
    world.change("a:b")
    world.until(lambda: world.received == ["a:b"])


def test_a_log_that_is_followed_again_during_a_read_is_read_from_its_beginning(world: World) -> None:
    """The entries of that read belong to who followed it before."""
    before: list[Any] = []
    after: list[Any] = []
    read, log = world.store.read, world.keys.streams + "session:stream"

    def read_and_follow(positions: Any, seconds: float = 0) -> Any:
        entries = read(positions, seconds)
        if len(before) == 3 and any(entry.log == log for entry in entries) and not after:
            world.reader.follow(log, lambda entry: after.append(entry.number))
            world.store.read = read  # type: ignore[method-assign]
        return entries

    world.store.read = read_and_follow  # type: ignore[method-assign]
    world.start()
    world.reader.follow(log, lambda entry: before.append(entry.number))
    for number in range(3):
        world.add(log, Event(number, b"", False))
    world.until(lambda: len(before) == 3)
    world.add(log, Event(3, b"", False))
    world.until(lambda: len(after) == 4)
    assert (before, after) == ([0, 1, 2], [0, 1, 2, 3])
