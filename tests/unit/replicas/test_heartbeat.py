"""The heartbeats of replicas."""

import logging

import pytest

from plainmcp import Server
from plainmcp.replicas import health as store_health
from plainmcp.replicas.health import StoreHealth
from plainmcp.replicas.heartbeat import Heartbeat
from plainmcp.replicas.keys import StoreKeys
from plainmcp.store import MemoryStore, StoreError


class Clock:
    """The time of the store and of the process."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(store_health, "monotonic", clock)
    return clock


def keys_of(key: bytes = b"a key for all replicas, 32 bytes") -> StoreKeys:
    return StoreKeys(Server("test", key=key))


class Replica:
    """The heartbeat of a replica, and what it knows of the store."""

    def __init__(self, clock: Clock, store: MemoryStore, name: str, keys: StoreKeys | None = None) -> None:
        self.clock, self.store = clock, store
        self.health = StoreHealth(lambda: None)
        self.heartbeat = Heartbeat(keys or keys_of(), name, self.health)

    def beat(self) -> None:
        self.heartbeat.beat(self.store)

    def find_dead(self, *names: str, after: float = 0) -> set[str]:
        """Those who are dead after some seconds in which the store works."""
        self.clock.now += after
        self.health.recover("reading")
        return self.heartbeat.find_dead(set(names), self.store)


def test_a_replica_is_dead_when_its_heartbeat_has_expired_or_ended(clock: Clock) -> None:
    store = MemoryStore(clock)
    one, two = (Replica(clock, store, name) for name in ("one", "two"))
    one.beat()
    assert two.find_dead("one", "three", after=3) == set()
    one.beat()
    assert two.find_dead("one", "three", after=2) == {"three"}
    assert two.find_dead("one", after=1) == set()
    assert two.find_dead("one", after=1) == {"one"}
    one.heartbeat.start()
    one.beat()
    assert two.find_dead("one") == set()
    one.heartbeat.end(store)
    assert two.find_dead("one") == {"one"}


def test_a_replica_is_not_dead_because_the_store_lost_its_heartbeat(clock: Clock) -> None:
    store = MemoryStore(clock)
    one, two = (Replica(clock, store, name) for name in ("one", "two"))
    one.beat()
    assert two.find_dead("one", after=3) == set()
    two.health.fail("reading", StoreError("away"))
    store.delete(keys_of().heartbeat_of("one"))
    assert two.find_dead("one", after=3) == set()
    assert two.find_dead("one", after=3) == set()
    one.heartbeat.start()
    one.beat()
    assert two.find_dead("one", after=3) == set()


def test_a_store_that_fails_again_and_again_does_not_keep_the_dead_alive(clock: Clock) -> None:
    two = Replica(clock, MemoryStore(clock), "two")
    dead = []
    for _ in range(6):
        two.health.fail("reading", StoreError("away"))
        two.find_dead("one", after=5)
        dead.append(two.find_dead("one", after=1.5))
    assert dead == [set(), set(), {"one"}, {"one"}, {"one"}, {"one"}]


def test_a_silence_of_long_ago_does_not_count(clock: Clock) -> None:
    store = MemoryStore(clock)
    one, two = (Replica(clock, store, name) for name in ("one", "two"))
    two.health.fail("reading", StoreError("away"))
    assert two.find_dead("one") == two.find_dead("one", after=1) == set()
    for _ in range(5):  # nobody asks, and it is alive
        one.heartbeat.start()
        one.beat()
        two.find_dead(after=1)
    two.health.fail("reading", StoreError("away"))
    one.heartbeat.end(store)
    two.find_dead(after=1)
    assert two.find_dead("one", after=1) == set()
    assert len(two.heartbeat._silent) == 1


def test_a_store_that_has_lost_the_own_heartbeat_says_nothing_about_others(clock: Clock) -> None:
    store = MemoryStore(clock)
    one, two = (Replica(clock, store, name) for name in ("one", "two"))
    for replica in (one, two):
        replica.beat()
    clock.now += 3
    for replica in (one, two):
        replica.beat()
    assert two.find_dead("one", after=2) == set()
    store._values.clear()
    with pytest.raises(StoreError, match="what was in it is gone"):
        two.find_dead("one")


def test_a_heartbeat_of_another_key_does_not_count(clock: Clock) -> None:
    store = MemoryStore(clock)
    two = Replica(clock, store, "two")
    clock.now += 5
    Replica(clock, store, "one", keys_of(b"a key of someone else, 32 bytes.")).beat()
    assert two.find_dead("one") == {"one"}


def test_a_heartbeat_that_is_gone_means_that_the_store_has_lost_more(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []
    one = Replica(clock, MemoryStore(clock), "one")
    one.health._come_back = lambda: calls.append("back")

    def beat_after(seconds: float) -> tuple[int, int]:
        clock.now += seconds
        caplog.clear()
        one.beat()
        one.health.recover("writing")
        assert not one.health.why_down  # it works
        return sum("what was in it is gone, or this process was paused" in text for text in caplog.messages), len(
            calls
        )

    with caplog.at_level(logging.WARNING):
        assert beat_after(0) == (0, 0)
        assert beat_after(10) == (1, 1)
        assert beat_after(1) == (0, 1)
        one.heartbeat.start()
        assert beat_after(10) == (0, 1)
