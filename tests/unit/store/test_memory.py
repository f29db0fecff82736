"""The stores do the same: values that expire, compare-and-set, and logs that are read and waited for."""

import threading
import time
from typing import Any

from plainmcp.store import Entry, Store


def test_a_value_is_there_until_it_expires(store: Store) -> None:
    assert store.get("a") is None
    store.put("a", b"1", 0.1)
    store.put("b", b"2", 60)
    assert (store.get("a"), store.get("b")) == (b"1", b"2")
    time.sleep(0.15)
    assert (store.get("a"), store.get("b")) == (None, b"2")
    store.delete("b")
    store.delete("nothing")
    assert store.get("b") is None


def test_a_value_changes_only_from_what_it_was(store: Store) -> None:
    assert store.change("a", None, b"1", 60)
    assert not store.change("a", None, b"2", 60)
    assert not store.change("a", b"0", b"2", 60)
    assert store.change("a", b"1", b"2", 60)
    assert store.get("a") == b"2"


def test_of_many_who_change_a_value_at_once_each_step_is_taken_once(store: Store) -> None:
    store.put("n", b"0", 60)

    def count() -> None:
        for _ in range(20):
            while True:
                before = store.get("n")
                assert before is not None
                if store.change("n", before, b"%d" % (int(before) + 1), 60):
                    break

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get("n") == b"80"


def test_logs_are_read_after_a_position(store: Store) -> None:
    assert store.last("one") == 0
    first, second, other = store.append([("one", b"a"), ("one", b"b"), ("two", b"c")], 100, 60)
    assert 0 < first < second
    assert (store.last("one"), store.last("two")) == (second, other)
    assert store.read({"one": 0}) == [Entry("one", first, b"a"), Entry("one", second, b"b")]
    assert store.read({"one": first, "two": 0, "three": 0}) == [Entry("one", second, b"b"), Entry("two", other, b"c")]
    assert store.read({"one": second}) == []


def test_a_log_expires_after_its_last_entry(store: Store) -> None:
    store.append([("short", b"a")], 100, 0.1)
    time.sleep(0.15)
    assert (store.read({"short": 0}), store.last("short")) == ([], 0)


def test_a_log_keeps_about_as_many_entries_as_it_may(store: Store) -> None:
    for _ in range(10):
        store.append([("long", b"x")] * 100, 200, 60)
    kept = store.read({"long": 0})
    assert 200 <= len(kept) <= 400 and kept[-1].position == store.last("long")


def test_a_reader_waits_for_the_next_entry(store: Store) -> None:
    started = time.monotonic()
    assert store.read({"quiet": 0}, 0.2) == []
    assert 0.15 < time.monotonic() - started < 2
    found: list[Any] = []
    reader = threading.Thread(target=lambda: found.extend(store.read({"quiet": 0, "other": 0}, 5)))
    reader.start()
    time.sleep(0.1)
    store.append([("quiet", b"now")], 10, 60)
    reader.join(3)
    assert [(entry.log, entry.value) for entry in found] == [("quiet", b"now")]


def test_the_positions_of_a_log_go_on_after_a_loss(store: Store) -> None:
    """Also if the clock of the store was set back meanwhile."""
    [before] = store.append([("one", b"a")], 100, 60)
    store.advance("one", before + 10**15, 60)
    assert [entry.value for entry in store.read({"one": 0})] == [b"a"]
    [after] = store.append([("one", b"b")], 100, 60)
    assert after > before + 10**15
    store.advance("one", before, 60)  # it is beyond that already
    assert store.read({"one": before}) == [Entry("one", after, b"b")]
    store.advance("empty", after, 60)
    assert store.read({"empty": 0}) == [] and store.append([("empty", b"c")], 100, 60)[0] > after
