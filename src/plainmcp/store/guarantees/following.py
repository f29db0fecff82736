"""What a store guarantees of logs: their positions, their length, and that those who follow them miss nothing."""

import os
import threading
import time
from functools import partial

from ..interface import MAX_READ, Entry, Store
from .run import LONG, SHORT, SLACK, STRANGE, StoreCheck, do_together, wait_until

__all__ = [
    "check_advance", "check_expiry_of_logs", "check_following", "check_length", "check_logs", "check_many_logs",
    "check_waiting",
]  # fmt: skip


def check_logs(run: StoreCheck) -> None:
    """Logs are appended to and read."""
    store, other = run.store, run.other
    one, two, none = run.key("one"), run.key("two"), run.key("none")
    run.expect(store.last(one) == 0, "last must return 0 for a log without entries")
    run.expect(store.read({one: 0}) == [], "read must return nothing for a log without entries")
    first, second, third = store.append([(one, b"a"), (two, bytes(range(256))), (one, b"")], 100, LONG)
    run.expect(0 < first < third, "the positions of a log must be more than 0, and grow")
    run.expect(0 < second < 2**63 and third < 2**63, "positions must be less than 2**63")
    run.expect((other.last(one), other.last(two)) == (third, second), "last must return the newest position of a log")
    expected = [Entry(two, second, bytes(range(256))), Entry(one, first, b"a"), Entry(one, third, b"")]
    run.expect(
        other.read({two: 0, none: 0, one: 0}) == expected,
        "read must return the entries of all logs, in the order of the logs in `after`, and the oldest first",
    )
    run.expect(
        store.read({one: first, two: second}) == [Entry(one, third, b"")],
        "read must return what comes after the position of each log, and nothing else",
    )
    large = os.urandom(2**21)
    [position] = store.append([(two, large)], 100, LONG)
    run.expect(
        store.read({two: second}) == [Entry(two, position, large)], "an entry of two MiB must come back as it was"
    )
    names = [run.key(f"{text} as a log") for text in STRANGE]
    store.append([(name, name.encode()) for name in names], 100, LONG)
    got = {entry.log: entry.value for entry in store.read(dict.fromkeys(names, 0))}
    run.expect(got == {name: name.encode() for name in names}, "the name of a log may be any text")


def check_many_logs(run: StoreCheck) -> None:
    """Many logs are read at once, and much of one."""
    store, logs = run.store, [run.key(f"log {number}") for number in range(300)]
    store.append([(log, log.encode()) for log in logs[::2]], 100, LONG)
    got = [(entry.log, entry.value) for entry in store.read(dict.fromkeys(logs, 0))]
    run.expect(got == [(log, log.encode()) for log in logs[::2]], "one read must return the entries of 300 logs")

    full, next_to = run.key("full"), run.key("next to full")
    positions = store.append([(full, b"%d" % number) for number in range(MAX_READ + 5)], 2 * MAX_READ, LONG)
    store.append([(next_to, b"here")], 10, LONG)
    entries = store.read({full: 0, next_to: 0})
    got_positions = [entry.position for entry in entries if entry.log == full]
    run.expect(
        got_positions == positions[:MAX_READ], f"read must return the {MAX_READ:,} oldest entries of a long log"
    )
    run.expect(entries[-1:] != [] and entries[-1].log == next_to, "a long log must not keep read from the other logs")
    rest = [entry.position for entry in store.read({full: positions[MAX_READ - 1]}, 1)]
    run.expect(rest == positions[MAX_READ:], "the next read must return what the last one left, without a wait")


def check_length(run: StoreCheck) -> None:
    """Logs have a greatest length."""
    store, log, most = run.store, run.key("long"), 100
    positions = [at for _ in range(8) for at in store.append([(log, b"x")] * 100, most, LONG)]
    kept = [entry.position for entry in store.read({log: 0})]
    run.expect(kept == positions[-len(kept) :], "a log must keep its newest entries")
    run.expect(len(kept) >= most, f"a log must keep as many entries as it may: {len(kept)} are left of {most}")
    run.expect(len(kept) <= 4 * most, f"a log must not grow: it has {len(kept)} entries, and may have {most}")


def check_expiry_of_logs(run: StoreCheck) -> None:
    """Logs expire."""
    store, short, renewed = run.store, run.key("short"), run.key("renewed")
    store.append([(renewed, b"1")], 100, SHORT)
    began = time.monotonic()
    store.append([(renewed, b"2")], 100, LONG)
    is_early = time.monotonic() - began < SHORT / 2
    [before] = store.append([(short, b"1")], 100, SHORT)
    is_gone = wait_until(lambda: store.last(short) == 0, time.monotonic() + SHORT + SLACK)
    run.expect(is_gone, f"a log must expire after {SHORT} seconds without a new entry: it was there a second later")
    run.expect(not is_gone or store.read({short: 0}) == [], "read must return nothing of a log that has expired")
    kept = [entry.value for entry in store.read({renewed: 0})]
    run.expect(kept == [b"1", b"2"] or not is_early, "a new entry must keep the whole log from expiring")
    [after] = store.append([(short, b"2")], 100, LONG)
    run.expect(
        after > before, "positions must grow also after a log has expired: those who follow it would miss them"
    )
    run.expect(
        store.read({short: 0}) == [Entry(short, after, b"2")], "a log must begin without what it had when it expired"
    )


def check_advance(run: StoreCheck) -> None:
    """Positions are advanced."""
    store, log, empty = run.store, run.key("advanced"), run.key("advanced, and empty")
    [before] = store.append([(log, b"1")], 100, LONG)
    far = before + 10**15
    store.advance(log, far, LONG)
    run.expect(
        [entry.value for entry in store.read({log: 0})] == [b"1"], "advance must leave the entries as they are"
    )
    [after] = store.append([(log, b"2")], 100, LONG)
    run.expect(after > far, "after advance, the next position must be greater than the one that it was given")
    store.advance(log, before, LONG)
    run.expect(
        store.append([(log, b"3")], 100, LONG)[0] > after, "advance to a position that is past must have no effect"
    )
    store.advance(empty, after, LONG)
    run.expect((store.last(empty), store.read({empty: 0})) == (0, []), "advance must not append an entry")
    run.expect(store.append([(empty, b"1")], 100, LONG)[0] > after, "advance must work for a log without entries")


# Readers ------------------------------------------------------------------------------------------


def check_waiting(run: StoreCheck) -> None:
    """Reads wait."""
    log, quiet = run.key("awaited"), run.key("quiet")
    began = time.monotonic()
    run.expect(run.store.read({quiet: 0}) == [], "read must return nothing if there is nothing")
    at_once = time.monotonic() - began
    run.store.read({quiet: 0}, 0.3)
    waited = time.monotonic() - began - at_once
    run.expect(waited >= 0.25, f"read must wait for an entry: 0.3 seconds, and it was {waited:.2f}")
    run.expect(
        waited < 0.3 + SLACK, f"read must end when its time is over: after 0.3 seconds, and it was {waited:.2f}"
    )
    ended: list[float] = []

    def wait(view: Store) -> list[Entry]:
        got = view.read({quiet: 0, log: 0}, 0.9)
        ended.append(time.monotonic())
        return got

    def write() -> float:
        time.sleep(0.3)
        run.other.append([(log, b"now")], 10, LONG)
        return time.monotonic()

    *got, written = do_together(*(partial(wait, view) for view in (run.store, run.other, run.store)), write)
    is_complete = all([entry.value for entry in entries] == [b"now"] for entries in got)
    run.expect(
        is_complete, "each read that waits must return an entry that is appended meanwhile, by whatever object"
    )
    run.expect(
        max(ended) < written + 0.5, f"an entry must end the wait: it took {max(ended) - written:.2f} seconds more"
    )


def check_following(run: StoreCheck) -> None:
    """Readers follow logs to which many append."""
    first, second = run.key("followed first"), run.key("followed second")
    views, each = (run.store, run.other, run.store, run.other), 40
    is_written = threading.Event()

    def write(view: Store, name: int) -> list[int]:
        positions: list[int] = []
        for number in range(each):
            positions += view.append([(first, b"%d %d" % (name, number))], 10_000, LONG)
            view.append([(second, b"%d %d" % (name, number))], 10_000, LONG)
        return positions

    def write_all() -> list[int]:
        try:
            lists = do_together(*(partial(write, view, name) for name, view in enumerate(views)))
            return [position for positions in lists for position in positions]
        finally:
            is_written.set()

    def follow(view: Store) -> tuple[list[int], set[bytes]]:
        positions, seen, early = [0], set[bytes](), set[bytes]()
        after = {first: 0, second: 0}
        while True:
            is_last = is_written.is_set()
            entries = view.read(after, 0.2)
            for log, position, value in entries:
                after[log] = position
                if log == first:
                    positions.append(position)
                    seen.add(value)
                elif value not in seen:
                    early.add(value)
            if is_last and not entries:
                return positions[1:], early

    (written, *followed) = do_together(write_all, partial(follow, run.store), partial(follow, run.other))
    for positions, early in followed:
        run.expect(
            positions == sorted(set(written)) and len(written) == len(set(written)),
            "a reader that follows a log must get each entry once, in the order of positions, while many append: "
            f"it got {len(positions)} of {len(written)}",
        )
        run.expect(
            not early, "read must return an entry with those that were appended before it to the logs named first"
        )
