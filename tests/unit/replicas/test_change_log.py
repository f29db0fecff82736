"""The last changes of all replicas, as one process has read them."""

from typing import Any

import pytest

from plainmcp import Server
from plainmcp.replicas import change_log
from plainmcp.replicas.change_log import Change, ChangeLog
from plainmcp.replicas.keys import StoreKeys
from plainmcp.store import Entry

KEYS = StoreKeys(Server("library", "1", key=b"the key of all replicas"))


def entry_of(position: int, *content: Any) -> Entry:
    return Entry(KEYS.changes, position, KEYS.sign(KEYS.changes, content))


def test_changes_after_a_position_come_in_their_order() -> None:
    log = ChangeLog(KEYS)
    changes = [log.add(entry_of(10 * number, "updated", f"a:{number}", "one", number, False)) for number in (1, 2, 3)]
    assert changes[0] == Change(10, "updated", "a:1", "one", 1, False)
    assert log.find_after(0) == changes
    assert log.find_after(10) == log.find_after(19) == changes[1:]
    assert log.find_after(30) == []


def test_a_change_that_was_written_twice_is_there_once() -> None:
    log = ChangeLog(KEYS)
    first = log.add(entry_of(1, "updated", "a:b", "one", 1, False))
    assert log.add(entry_of(2, "updated", "a:b", "one", 1, True)) is None
    assert log.find_after(0) == [first]
    assert log.add(entry_of(3, "updated", "a:b", "other", 1, False))  # the number is that of another replica


def test_what_cannot_be_read_is_passed_over() -> None:
    log = ChangeLog(KEYS)
    assert log.add(Entry(KEYS.changes, 7, b"forged")) is None
    assert log.add(entry_of(8, "of another version")) is None
    assert (log.find_after(0), log.position) == ([], 8)


def test_the_oldest_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "MAX_CHANGES", 2)
    log = ChangeLog(KEYS)
    for number in (1, 2, 3):
        log.add(entry_of(number, "updated", f"a:{number}", "one", number, False))
    assert [change.uri for change in log.find_after(0)] == ["a:2", "a:3"]


def test_the_greatest_position_is_known_also_if_the_store_has_lost_it() -> None:
    log = ChangeLog(KEYS)
    log.add(entry_of(9, "updated", "a:b", "one", 1, False))
    log.add(entry_of(3, "updated", "a:b", "one", 2, False))
    assert (log.position, log.newest) == (3, 9)


def test_a_change_is_written_as_it_is_read() -> None:
    change = Change(7, "resources/updated", "a:b", "replica", 3, True)
    assert ChangeLog(KEYS).add(Entry(KEYS.changes, 7, KEYS.sign(KEYS.changes, change.content))) == change
