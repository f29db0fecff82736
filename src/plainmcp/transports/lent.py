"""The turn to read a file, lent to the private event loop. Knows who may read, not what is read.

What the loop reads and runs itself costs no change of threads. A function that holds up the loop holds up nobody
else: the thread that lent the turn watches, and takes it back when something is there to read and nobody reads it.
"""

import asyncio
import os
import select
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from . import run_async

__all__ = ["PATIENCE", "Lent"]

PATIENCE = 0.05
"""How many seconds something may be there to read before the turn is taken back."""


class Lent:
    """One loan. `read` is called in the loop when there is something to read, and says whether it goes on reading."""

    def __init__(self, file: int, read: Callable[["Lent"], bool]) -> None:
        self._file = file
        self._read = read
        self._word, self._line = os.pipe()  # by which the loop says that it gives back the turn
        self._loop: asyncio.AbstractEventLoop | None = None
        self._own: int | None = None  # the loop's own number for the file, whatever becomes of the other
        self._reading = threading.Lock()  # kept by whoever reads, and for good by whoever takes the turn away
        self._rounds = 0
        self._over = False
        self.refused = False
        """Whether the loop cannot wait for a file of this kind."""

    def wait(self) -> bool:
        """Lend the turn until it is back; says whether it had to be taken."""
        word, either = select.poll(), select.poll()
        word.register(self._word, select.POLLIN)
        either.register(self._word, select.POLLIN)
        either.register(self._file, select.POLLIN)
        run_async.start(self._begin)
        try:
            while True:
                rounds = self._rounds
                either.poll()
                if word.poll(PATIENCE * 1000):
                    return False
                # Nobody has read since before there was something; who has begun to may still do so.
                if self._rounds == rounds and self._reading.acquire(blocking=False):
                    self.end()
                    return True
        finally:
            os.close(self._word)

    def end(self) -> None:
        """Let the loop know, from any thread, that it is over."""
        self._over = True
        if self._loop is not None:
            run_async.soon(self._loop, self._leave)

    # In the loop ----------------------------------------------------------------------------------

    def task(self, work: Coroutine[Any, Any, None]) -> object:
        """Begin a task, for whoever reads; it lives as long as somebody holds on to it."""
        assert self._loop is not None
        return self._loop.create_task(work)

    async def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            if not self._over:
                self._own = os.dup(self._file)
                self._loop.add_reader(self._own, self._round)
                return
        except Exception:  # what can be waited for, and how it is told, differs from loop to loop
            self.refused = True
        self._leave()

    def _round(self) -> None:
        if not self._reading.acquire(blocking=False):
            return  # it was taken away, and somebody will say so
        self._rounds += 1
        goes_on = False
        try:
            goes_on = self._read(self)
        finally:
            if goes_on:
                self._reading.release()
            else:
                self._leave()

    def _leave(self) -> None:
        """Let go of what is the loop's, once."""
        line, self._line = self._line, -1
        if line == -1:
            return
        if self._own is not None:
            if self._loop is not None and not self.refused:
                self._loop.remove_reader(self._own)
            os.close(self._own)
        with suppress(OSError):  # the thread may have taken the turn back
            os.write(line, b".")  # said, not only hung up: a child of this process may hold the other end of the line
        os.close(line)
