"""What a store guarantees to processes: it can be closed, compared, and used after a fork, and it fails in time."""

import os
import select
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from ..interface import Entry, StoreError
from .run import LONG, PATIENCE, StoreCheck, do_together, wait_until

__all__ = ["Outage", "check_closing", "check_equality", "check_fork", "check_outage"]

Outage = Callable[[], AbstractContextManager[object]]

LIMIT = 2.0
"""Within how many seconds a store that cannot be reached has to fail."""


def check_closing(run: StoreCheck) -> None:
    """A store is closed, and used again."""
    store, key = run.make(), run.key("closed")
    store.close()
    store.put(key, b"1", LONG)
    store.close()
    store.close()
    run.expect(store.get(key) == b"1", "close must lose nothing, and the next use must open the store again")
    store.close()


def check_equality(run: StoreCheck) -> None:
    """Stores are equal."""
    run.expect(run.store == run.other, "two objects for the same store must be equal: write __eq__ (and __hash__)")
    run.expect(hash(run.store) == hash(run.other), "two objects for the same store must have the same hash")
    run.expect(run.store != object(), "a store must not be equal to something else")


def check_fork(run: StoreCheck) -> None:
    """A store is used on both sides of a fork."""
    store, log, key = run.store, run.key("forked log"), run.key("forked")
    store.put(key, b"parent", LONG)
    got: list[Entry] = []

    def wait() -> None:
        until = time.monotonic() + PATIENCE / 3  # the child has to connect first
        while not got and time.monotonic() < until:
            got.extend(store.read({log: 0}, 0.9))

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    time.sleep(0.1)  # it waits when the process forks

    def use_in_child() -> str:
        if store.get(key) != b"parent" or not store.change(key, b"parent", b"child", LONG):
            return "a child process must see what its parent has put before the fork"
        for _ in range(5):
            store.append([(log, b"child")], 10, LONG)
        if [entry.value for entry in store.read({log: 0}, 0.5)] != [b"child"] * 5:
            return "a child process must be able to append and to read"
        return ""

    with fork_and_do(use_in_child) as child:
        for number in range(20):  # while the child uses the store
            mine = run.key(f"parent {number}")
            store.put(mine, mine.encode(), LONG)
            run.expect(store.get(mine) == mine.encode(), "a fork must not disturb the parent: it got another value")
        problem = child()
    run.expect(not problem, problem)
    waiting.join(PATIENCE)
    if store.is_shared:
        run.expect(store.get(key) == b"child" or bool(problem), "a parent must see what its child has changed")
        run.expect(bool(got) or bool(problem), "a read that waits during a fork must go on in the parent")


@contextmanager
def fork_and_do(work: Callable[[], str]) -> Generator[Callable[[], str], None, None]:
    """A child process that does something; its result is that of the function that the block gets."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it has threads, as a server has
        process = os.fork()
    if process == 0:
        try:
            text = work()
        except BaseException as error:
            text = f"a child process must be able to use the store of its parent: {type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)  # runs nothing of the parent's
    os.close(writing)

    def get_result() -> str:
        if not select.select([reading], [], [], PATIENCE / 3)[0]:
            return f"a child process must be able to use the store: it hung for {PATIENCE / 3:g} seconds"
        return os.read(reading, 2**16).decode()

    try:
        yield get_result
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(reading)


def check_outage(run: StoreCheck, outage: Outage) -> None:
    """A store that cannot be reached fails in time."""
    store, key, log = run.store, run.key("away"), run.key("away log")
    store.put(key, b"1", LONG)
    works: dict[str, Callable[[], object]] = {
        "get": lambda: store.get(key),
        "put": lambda: store.put(key, b"2", LONG),
        "delete": lambda: store.delete(key),
        "change": lambda: store.change(key, b"1", b"2", LONG),
        "append": lambda: store.append([(log, b"1")], 10, LONG),
        "advance": lambda: store.advance(log, 1, LONG),
        "last": lambda: store.last(log),
        "read": lambda: store.read({log: 0}),
        "read, which waits,": lambda: store.read({log: 0}, 0.2),
    }

    def fail(name: str) -> None:
        began = time.monotonic()
        try:
            works[name]()
        except StoreError:
            pass
        except Exception as error:
            kind = type(error).__name__
            run.expect(False, f"{name} must raise StoreError if the store cannot be reached: it raised {kind}")
        else:
            run.expect(False, f"{name} must raise StoreError if the store cannot be reached")
        took = time.monotonic() - began
        run.expect(took < LIMIT, f"{name} must fail within a second or so if the store is away: it took {took:.1f}")

    with outage():
        do_together(*(partial(fail, name) for name in works))

    def works_again() -> bool:
        try:
            store.put(key, b"3", LONG)
            return store.get(key) == b"3"
        except StoreError:
            return False

    is_back = wait_until(works_again, time.monotonic() + PATIENCE / 3)
    run.expect(is_back, "a store that can be reached again must work, without a new object")
