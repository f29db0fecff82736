"""One run of the checks of a store: two views of it, keys of its own, and the failures that were noted."""

import threading
import time
from collections.abc import Callable
from secrets import token_hex
from typing import Any

from ..interface import Store

__all__ = [
    "LONG",
    "PATIENCE",
    "SHORT",
    "SLACK",
    "STRANGE",
    "Make",
    "StoreCheck",
    "carry_out",
    "do_together",
    "wait_until",
]

Make = Callable[[], Store]

LONG = 60.0
"""For how many seconds what must not expire is kept."""
SHORT = 0.4
"""After how many seconds what is to expire does."""
SLACK = 1.0
"""How many seconds later it may happen."""
PATIENCE = 30.0
"""How many seconds a check may take, before it counts as one that never ends."""

STRANGE = (
    "", "a b", "ключ", "🙂", "new\nline", "nul\0", "%41", "it's \"quoted\"", "*?[a-z]", "back\\slash", "}{",
    "k" * 1_000, "k" * 1_001,
)  # fmt: skip
"""Keys that a store may take for something else."""


class StoreCheck:
    """One store that is checked: two views of it, keys for this run, and what was not as it has to be."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.store = make()
        self.other = make() if self.store.is_shared else self.store
        self.tag = f"check-{token_hex(6)}"
        self.failures: list[str] = []

    def key(self, name: str) -> str:
        """A key of this run."""
        return f"{{{self.tag}}}:{name}"

    def expect(self, is_kept: bool, sentence: str) -> None:
        """Note a guarantee that is not kept."""
        if not is_kept and sentence not in self.failures:
            self.failures.append(sentence)


def carry_out(run: StoreCheck, *checks: Callable[[StoreCheck], None]) -> None:
    """Do checks at the same time; what they raise is a failure, too."""

    def carry_out(check: Callable[[StoreCheck], None], name: str) -> None:
        try:
            check(run)
        except Exception as error:
            run.expect(False, f"{name}: raised {type(error).__name__}: {error}")

    threads: dict[str, threading.Thread] = {}
    for check in checks:
        name = str(getattr(check, "func", check).__doc__).rstrip(".")
        threads[name] = threading.Thread(target=carry_out, args=(check, name), daemon=True)
        threads[name].start()
    until = time.monotonic() + PATIENCE
    for name, thread in threads.items():
        thread.join(max(0.0, until - time.monotonic()))
        run.expect(not thread.is_alive(), f"{name}: did not end within {PATIENCE:g} seconds")


def do_together(*works: Callable[[], object]) -> list[Any]:
    """Do something in a thread each; returns what they return, and raises what one of them raises."""
    results: list[Any] = [None] * len(works)
    errors: list[BaseException] = []

    def do(number: int) -> None:
        try:
            results[number] = works[number]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=do, args=(number,), daemon=True) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    if errors:
        raise errors[0]
    return results


def wait_until(condition: Callable[[], bool], until: float) -> bool:
    """Whether a condition holds at some time before `until`."""
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
