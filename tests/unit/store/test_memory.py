"""The store in memory keeps what every store guarantees, and forgets what has expired."""

import pytest

from plainmcp.store import Entry, MemoryStore
from plainmcp.testing import check_store


@pytest.mark.slow
def test_it_keeps_what_every_store_guarantees() -> None:
    check_store(MemoryStore)


def test_what_has_expired_takes_no_memory() -> None:
    now = 0.0
    store = MemoryStore(lambda: now)
    for number in range(100):
        store.put(f"key {number}", b"1", 10)
        store.append([(f"log {number}", b"1")], 10, 10)
    now = 11.0
    assert store.get("key 1") is None
    assert not store._values and not store._logs


def test_positions_go_on_in_a_log_that_has_expired() -> None:
    now = 0.0
    store = MemoryStore(lambda: now)
    [before] = store.append([("log", b"1")], 10, 10)
    now = 11.0
    [after] = store.append([("log", b"2")], 10, 10)
    assert after > before and store.read({"log": 0}) == [Entry("log", after, b"2")]
