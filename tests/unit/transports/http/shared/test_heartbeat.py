"""The heartbeats of replicas."""

import pytest

from plainmcp import Server
from plainmcp.store import MemoryStore, StoreError
from plainmcp.transports.http.shared import heartbeat as module
from plainmcp.transports.http.shared.heartbeat import Heartbeat
from plainmcp.transports.http.shared.store_health import StoreHealth
from plainmcp.transports.http.shared.store_keys import StoreKeys


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def keys_of(key: bytes = b"a key for all replicas, 32 bytes") -> StoreKeys:
    return StoreKeys(Server("test", key=key))


def make(name: str, keys: StoreKeys | None = None) -> Heartbeat:
    return Heartbeat(keys or keys_of(), name, StoreHealth(lambda: None))


def test_a_replica_is_dead_when_its_heartbeat_has_expired_or_ended() -> None:
    clock = Clock()
    store, one, two = MemoryStore(clock), make("one"), make("two")
    one.beat(store)
    two.beat(store)
    assert one.find_dead({"one", "two", "three"}, store) == {"three"}
    two.end(store)
    assert one.find_dead({"one", "two"}, store) == {"two"}
    clock.now += 3
    one.beat(store)
    clock.now += 3
    assert one.find_dead({"one"}, store) == set()
    clock.now += 2
    assert two.find_dead({"one"}, store) == {"one"}


def test_a_heartbeat_of_another_key_does_not_count() -> None:
    store = MemoryStore()
    make("one", keys_of(b"a key of someone else, 32 bytes.")).beat(store)
    assert make("two").find_dead({"one"}, store) == {"one"}


def test_a_heartbeat_that_is_gone_means_that_the_store_has_lost_more() -> None:
    clock = Clock()
    store, one = MemoryStore(clock), make("one")
    one.beat(store)
    clock.now += 10
    with pytest.raises(StoreError, match="what was in it is gone, or this process was paused"):
        one.beat(store)
    one.beat(store)  # it is said once
    clock.now += 10
    one.start()
    one.beat(store)


def test_nobody_is_called_dead_before_the_store_has_worked_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    one = make("one")
    assert not one.can_tell()
    monkeypatch.setattr(module, "ALIVE", -1.0)
    assert one.can_tell()
