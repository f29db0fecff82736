"""What a store guarantees of values: they are kept, compared and set, and expire."""

import os
import time
from functools import partial

from ..interface import Store
from .run import LONG, SHORT, SLACK, STRANGE, StoreCheck, do_together, wait_until

__all__ = ["check_change", "check_contention", "check_expiry_of_values", "check_values"]


def check_values(run: StoreCheck) -> None:
    """Values are set, got and removed."""
    store, other, key = run.store, run.other, run.key("value")
    run.expect(store.get(key) is None, "get must return None for a key that has no value")
    store.delete(key)  # nothing is there, which is no error
    contents = {"b''": b"", "each of the 256 bytes": bytes(range(256)), "two MiB": os.urandom(2**21)}
    for name, value in contents.items():
        store.put(key, value, LONG)
        run.expect(store.get(key) == value, f"get must return the bytes that were put: {name} came back otherwise")
        run.expect(other.get(key) == value, f"another object for the same store must get the bytes, too: {name}")
    other.delete(key)
    run.expect(store.get(key) is None, "get must return None after delete")
    for text in STRANGE:
        store.put(run.key(text), text.encode(), LONG)
    for text in STRANGE:
        run.expect(store.get(run.key(text)) == text.encode(), f"a key may be any text: {text[:20]!r} is not kept")


def check_change(run: StoreCheck) -> None:
    """Values are compared and set."""
    store, key = run.store, run.key("changed")
    run.expect(not store.change(key, b"", b"x", LONG), "change from b'' must return False where there is no value")
    run.expect(store.get(key) is None, "change must set nothing if it returns False")
    run.expect(store.change(key, None, b"1", LONG), "change from None must return True where there is no value")
    run.expect(not store.change(key, None, b"2", LONG), "change from None must return False where there is a value")
    run.expect(not store.change(key, b"0", b"2", LONG), "change must return False if the value is another one")
    run.expect(store.get(key) == b"1", "change must set nothing if it returns False")
    run.expect(run.other.change(key, b"1", b"", LONG), "change must return True if the value is the one before")
    run.expect(store.get(key) == b"", "change must set the value if it returns True")
    run.expect(store.change(key, b"", b"3", LONG), "change from b'' must return True if the value is b''")


def check_contention(run: StoreCheck) -> None:
    """Many change a value at once."""
    views = (run.store, run.other, run.store, run.other)
    first, counter = run.key("first"), run.key("counter")
    won = do_together(*(partial(view.change, first, None, b"%d" % at, LONG) for at, view in enumerate(views)))
    run.expect(
        won.count(True) == 1, f"of {len(views)} that change a value at once, one gets True: {won.count(True)} did"
    )
    run.expect(
        won.count(True) != 1 or run.store.get(first) == b"%d" % won.index(True),
        "after many have changed a value at once, it must be the one of whom got True",
    )
    run.store.put(counter, b"0", LONG)

    def count(view: Store) -> None:
        for _ in range(20):
            while (before := view.get(counter)) is not None:
                if view.change(counter, before, b"%d" % (int(before) + 1), LONG):
                    break

    do_together(*(partial(count, view) for view in views))
    counted = run.store.get(counter)
    run.expect(
        counted == b"80", f"no change may be lost: after 80 steps from several threads the value is {counted!r}"
    )


def check_expiry_of_values(run: StoreCheck) -> None:
    """Values expire."""
    store = run.store
    names = ("put", "put again", "changed", "shortened", "kept")
    put, again, changed, shortened, kept = (run.key(f"{name} expires") for name in names)
    for key in (again, shortened):
        store.put(key, b"1", SHORT if key == again else LONG)
    began = time.monotonic()
    store.put(put, b"1", SHORT)
    store.put(again, b"2", LONG)
    store.put(kept, b"1", LONG)
    store.put(shortened, b"2", SHORT)
    store.change(changed, None, b"1", SHORT)
    there = store.get(put)
    is_early = time.monotonic() - began < SHORT
    run.expect(there == b"1" or not is_early, "a value must be there until it expires")
    until = time.monotonic() + SHORT + SLACK
    for key, how in ((put, "that was put"), (changed, "that change has set"), (shortened, "that was put again")):
        is_gone = wait_until(lambda key=key: store.get(key) is None, until)  # type: ignore[misc]
        run.expect(is_gone, f"a value {how} for {SHORT} seconds must expire: it was there {SLACK:g} second later")
    run.expect(store.get(again) == b"2", "a value that is put again must expire as the second put says")
    run.expect(store.get(kept) == b"1", "a value must not expire early")
    run.expect(store.change(put, None, b"2", LONG), "change from None must return True if the value has expired")
