"""The checks of `check_store` notice a store that does not keep a guarantee, and say which one it is."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from plainmcp.store import Entry, MemoryStore, StoreError
from plainmcp.store.guarantees import following, keeping, run, using
from plainmcp.testing import check_store

Broken = Callable[[MemoryStore], None]


def failures_of(check: Any, spoil: Broken) -> list[str]:
    """What a check says of a store in memory that was spoiled."""
    store = MemoryStore()
    spoil(store)
    one = run.StoreCheck(lambda: store)
    run.carry_out(one, check)
    return one.failures


def _lose_empty(store: MemoryStore) -> None:
    get = store.get
    store.get = lambda key: get(key) or None  # type: ignore[method-assign]


def _truncate_keys(store: MemoryStore) -> None:
    get, put = store.get, store.put
    store.get = lambda key: get(key[:80])  # type: ignore[method-assign]
    store.put = lambda key, value, seconds: put(key[:80], value, seconds)  # type: ignore[method-assign]


def _set_always(store: MemoryStore) -> None:
    def change(key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        is_same = store.get(key) == before
        store.put(key, after, seconds)
        return is_same

    store.change = change  # type: ignore[method-assign]


def _change_in_two_steps(store: MemoryStore) -> None:
    def change(key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        if store.get(key) != before:
            return False
        time.sleep(0.001)  # another thread comes in between
        store.put(key, after, seconds)
        return True

    store.change = change  # type: ignore[method-assign]


def _keep_for_ever(store: MemoryStore) -> None:
    put, append = store.put, store.append
    store.put = lambda key, value, seconds: put(key, value, 60)  # type: ignore[method-assign]
    store.append = lambda entries, most, seconds: append(entries, most, 60)  # type: ignore[method-assign]


def _expire_early(store: MemoryStore) -> None:
    put = store.put
    store.put = lambda key, value, seconds: put(key, value, min(seconds, 0.3))  # type: ignore[method-assign]


def _restart_positions(store: MemoryStore) -> None:
    append = store.append

    def append_from_one(entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        store._sweep()
        if not any(log in store._logs for log, _ in entries):
            store._position = 0
        return append(entries, most, seconds)

    store.append = append_from_one  # type: ignore[method-assign]


def _sort_logs(store: MemoryStore) -> None:
    read = store.read
    store.read = lambda after, seconds=0: read(dict(sorted(after.items())), seconds)  # type: ignore[method-assign]


def _return_all(store: MemoryStore) -> None:
    def read(after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        return [entry for log, at in after.items() for entry in store._logs.get(log, ([],))[0] if entry.position > at]

    store.read = read  # type: ignore[method-assign]


def _never_trim(store: MemoryStore) -> None:
    append = store.append
    store.append = lambda entries, most, seconds: append(entries, 10**6, seconds)  # type: ignore[method-assign]


def _trim_too_much(store: MemoryStore) -> None:
    append = store.append
    store.append = lambda entries, most, seconds: append(entries, most // 2, seconds)  # type: ignore[method-assign]


def _do_not_advance(store: MemoryStore) -> None:
    store.advance = lambda log, position, seconds: None  # type: ignore[method-assign]


def _go_back(store: MemoryStore) -> None:
    def advance(log: str, position: int, seconds: float) -> None:
        store._position = position

    store.advance = advance  # type: ignore[method-assign]


def _do_not_wait(store: MemoryStore) -> None:
    read = store.read
    store.read = lambda after, seconds=0: read(after)  # type: ignore[method-assign]


def _sleep_through(store: MemoryStore) -> None:
    read = store.read

    def read_late(after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        time.sleep(seconds)
        return read(after)

    store.read = read_late  # type: ignore[method-assign]


def _number_before_it_is_there(store: MemoryStore) -> None:
    """As a database that gives numbers in transactions which end in another order."""
    append, counted = store.append, threading.Lock()

    def append_late(entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        with counted:
            store._position += 1
            position = store._position
        time.sleep(0.002 if position % 3 else 0)
        with store._changed:
            latest, store._position = store._position, position - 1
            try:
                return append(entries, most, seconds)
            finally:
                store._position = latest

    store.append = append_late  # type: ignore[method-assign]


def _read_one_log_after_the_other(store: MemoryStore) -> None:
    read = store.read

    def read_slowly(after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        got: list[Entry] = []
        for log, position in after.items():
            got += read({log: position})
            time.sleep(0.002)
        return got

    store.read = read_slowly  # type: ignore[method-assign]


def _close_for_good(store: MemoryStore) -> None:
    def fail(key: str) -> None:
        raise StoreError("it is closed")

    def close() -> None:
        store.get = fail  # type: ignore[method-assign]

    store.close = close  # type: ignore[method-assign]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "spoil", "sentence"),
    [
        (keeping.check_values, _lose_empty, "get must return the bytes that were put: b'' came back otherwise"),
        (keeping.check_values, _truncate_keys, "a key may be any text: 'kkkkkkkkkkkkkkkkkkkk' is not kept"),
        (keeping.check_change, _set_always, "change must set nothing if it returns False"),
        (keeping.check_contention, _change_in_two_steps, "no change may be lost"),
        (keeping.check_expiry_of_values, _keep_for_ever, "a value that was put for 0.4 seconds must expire"),
        (keeping.check_expiry_of_values, _expire_early, "a value must not expire early"),
        (following.check_expiry_of_logs, _keep_for_ever, "a log must expire after 0.4 seconds without a new entry"),
        (following.check_expiry_of_logs, _restart_positions, "positions must grow also after a log has expired"),
        (following.check_logs, _sort_logs, "read must return the entries of all logs, in the order of the logs"),
        (following.check_many_logs, _return_all, "read must return the 1,000 oldest entries of a long log"),
        (following.check_length, _never_trim, "a log must not grow: it has 800 entries, and may have 100"),
        (following.check_length, _trim_too_much, "a log must keep as many entries as it may: 50 are left of 100"),
        (following.check_advance, _do_not_advance, "after advance, the next position must be greater than the one"),
        (following.check_advance, _go_back, "advance to a position that is past must have no effect"),
        (following.check_waiting, _do_not_wait, "read must wait for an entry"),
        (following.check_waiting, _sleep_through, "an entry must end the wait: it took"),
        (following.check_following, _number_before_it_is_there, "a reader that follows a log must get each entry"),
        (
            following.check_following,
            _read_one_log_after_the_other,
            "read must return an entry with those that were",
        ),
        (
            using.check_closing,
            _close_for_good,
            "A store is closed, and used again: raised StoreError: it is clo",
        ),
    ],
)
def test_a_guarantee_that_is_not_kept_is_named(check: Any, spoil: Broken, sentence: str) -> None:
    assert failures_of(check, lambda store: None) == []
    failures = failures_of(check, spoil)
    assert any(failure.startswith(sentence) for failure in failures), failures


class Unequal(MemoryStore):
    """Says that other processes see it, which is not so, and is equal to nothing."""

    is_shared = True


class Away(MemoryStore):
    """Does not notice that it cannot be reached, or fails as it likes."""

    is_away = False

    def last(self, log: str) -> int:
        if self.is_away:
            raise OSError("no route")
        return super().last(log)


@pytest.mark.slow
def test_all_failures_are_named_in_one_error() -> None:
    with pytest.raises(AssertionError) as failed:
        check_store(Unequal)
    lines = str(failed.value).split("\n")
    assert lines[0] == "this store does not keep what plainmcp.store.Store guarantees:"
    assert "- two objects for the same store must be equal: write __eq__ (and __hash__)" in lines
    assert "- a parent must see what its child has changed" in lines
    assert "- another object for the same store must get the bytes, too: two MiB" in lines


@pytest.mark.slow
def test_a_store_that_cannot_be_reached_has_to_fail_and_to_come_back() -> None:
    store = Away()

    @contextmanager
    def outage() -> Iterator[None]:
        store.is_away = True
        yield

    with pytest.raises(AssertionError) as failed:
        check_store(lambda: store, outage=outage)
    assert "- get must raise StoreError if the store cannot be reached\n" in str(failed.value)
    assert "- last must raise StoreError if the store cannot be reached: it raised OSError" in str(failed.value)


def test_a_check_that_does_not_end_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PATIENCE", 0.1)

    def check(one: Any) -> None:
        """It hangs."""
        time.sleep(2)

    assert failures_of(check, lambda store: None) == ["It hangs: did not end within 0.1 seconds"]


def test_the_checks_are_loaded_for_those_who_use_them() -> None:
    program = "import sys, plainmcp.testing; print([m for m in sys.modules if 'guarantees' in m or 'store' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")
