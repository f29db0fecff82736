"""Says in the log that work waits because threads are held: by which functions, and which option has the limit.

It looks only while work waits for a thread, and finds the functions in the frames of the threads: a call that need
not wait pays nothing for it.
"""

import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from os.path import basename
from types import FrameType
from typing import NamedTuple, Protocol

from .invoke import invoke

__all__ = ["HeldLimit", "HeldThreads"]

LATE = 5.0
"""After how many seconds without a thread something is logged."""
QUIET = 60.0
"""For how many seconds nothing more is logged after that."""
MOST = 5
"""How many functions are named."""

_log = logging.getLogger("plainmcp")


class HeldLimit(NamedTuple):
    """The limit that work waits for."""

    text: str
    """Which threads these are."""
    option: str | None
    """The option of a server with their number."""
    includes: Callable[[Hashable], bool]
    """Whether a caller may hold some of them."""


class Owner(Protocol):
    """The owner of threads, and of the work that waits for them."""

    def find_oldest(self) -> tuple[Hashable, float] | None:
        """The caller of the work that has waited longest, and the time since when; None if none waits."""
        ...

    def find_held_limit(self, caller: Hashable) -> HeldLimit:
        """The limit that lets the work of a caller wait."""
        ...


class HeldThreads:
    """Watches the work that waits for the threads of one owner."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._is_watching = False
        self._quiet_until = 0.0

    def begin(self, seconds: float | None = None) -> None:
        """Look after some seconds whether work still waits; called when it begins to."""
        if not self._is_watching and time.monotonic() >= self._quiet_until:
            timer = threading.Timer(LATE if seconds is None else seconds, self._look)
            timer.daemon = True
            with suppress(RuntimeError):  # no thread can start now
                timer.start()
                self._is_watching = True

    def _look(self) -> None:
        self._is_watching = False  # before it looks: work that comes meanwhile begins again
        oldest = self._owner.find_oldest()
        if oldest is None:
            return
        caller, since = oldest
        seconds = time.monotonic() - since
        if seconds < LATE:
            return self.begin(LATE - seconds)
        self._quiet_until = time.monotonic() + QUIET
        limit = self._owner.find_held_limit(caller)
        holders = Counter(name for name, holder in self._running_functions() if limit.includes(holder))
        names = ", ".join(f"{name} ({count})" for name, count in holders.most_common(MOST))
        advice = "" if limit.option is None else f" Server({limit.option}=…) changes their number."
        text = "a request has waited %d s: %s are held, by %s.%s With timeout=, a feature gives up its thread."
        _log.warning(text, seconds, limit.text, names or "others", advice)

    def _running_functions(self) -> Iterator[tuple[str, Hashable]]:
        """The functions that run in the threads and where they are, with the caller of each."""
        for frame in sys._current_frames().values():
            function, inner = "", frame
            current: FrameType | None = frame
            while current is not None:
                if current.f_code is invoke.__code__:
                    function = _describe(current.f_locals["step"].feature.key, inner)
                elif current.f_code.co_name == "_run" and current.f_locals.get("self") is self._owner:
                    yield function or _describe(inner.f_code.co_name, inner), current.f_locals["job"].caller
                inner, current = current, current.f_back


def _describe(name: str, frame: FrameType) -> str:
    return f"{name} at {basename(frame.f_code.co_filename)}:{frame.f_lineno}"
