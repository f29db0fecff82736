"""Threads that take turns at reading one client's lines. Knows lines and threads, not messages nor files.

Whoever reads a request that needs user code leaves the turn to another and runs it itself: so a quick call never
waits for a thread, and a slow one never keeps a cancel from being read.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from ..errors import InternalError, InvalidRequest
from ..server import Core
from .calling import given_up
from .connection import Connection, Work
from .lines import MAX_LINE, Lines

__all__ = ["Streams", "Turns"]

MAX_RUNNING = 1000
"""How many requests of one client may be under way."""
SECONDS_TO_ROOM = 0.5
"""How long one more waits for another to be answered, before it is refused."""

_log = logging.getLogger("plainmcp")


class Streams(NamedTuple):
    """Where messages come from and go to: `read` gives some bytes, or none at the end; `write` takes a whole line."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


class Turns:
    """One client: its lines are read, its requests run and answered, until it hangs up or we stop."""

    def __init__(self, core: Core, streams: Streams, *, max_line: int = MAX_LINE, grace: float = 2) -> None:
        self._max_line = max_line
        self._grace = grace
        self._most = core.threads + 1  # one of them reads
        self._lines = Lines(streams.read, max_line)
        self._put = streams.write
        self._writing = threading.Lock()
        self._gone = False  # nobody reads what we write
        self._ends: SimpleQueue[None] = SimpleQueue()  # may be put to in a signal handler, unlike an Event
        self._stopped = False
        self._turn = threading.Lock()  # to read
        self._change = threading.Condition()  # of what follows
        self._threads = 0
        self._idle = 0  # threads that wait for their turn
        self._waiting: deque[Work] = deque()
        self._unanswered = 0
        self._stuck = False  # none was answered while we waited for room
        self._connection = Connection(core, self._write)

    def serve(self) -> None:
        """Serve until the end; what still runs then has some seconds to be answered."""
        with self._change:
            self._hire()
        self._ends.get()
        self._connection.hang_up()
        with self._change:
            self._change.wait_for(lambda: self._gone or not self._unanswered, self._grace)
        self._connection.cancel()
        self._connection.close()
        with self._writing:
            self._gone = True  # whoever still runs has nobody to tell

    def stop(self) -> None:
        """Read no further."""
        self._stopped = True
        self._ends.put(None)

    # Reading --------------------------------------------------------------------------------------

    def _hire(self) -> None:
        self._threads += 1
        threading.Thread(target=self._work, name=f"plainmcp-stdio-{self._threads}", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._change:
                work = self._waiting.popleft() if self._waiting else None
                self._idle += work is None
            if work is None:
                with self._turn:
                    with self._change:
                        self._idle -= 1
                    work = self._read()
            if work is None:
                return
            self._finish(work)

    def _read(self) -> Work | None:
        """Answer what can be answered at once, up to a request that is for this thread to run; None at the end."""
        try:
            for line in self._lines:
                if self._stopped:
                    return None
                work = self._started(line)
                if work.steps is None:
                    self._write(work.answer)
                elif self._is_ours(work):
                    return work
        except (OSError, ValueError):  # it broke, or was closed: an end like any other
            pass
        self.stop()
        return None

    def _started(self, line: bytes | None) -> Work:
        if line is None:
            return Work(self._connection.refused(InvalidRequest(f"a message has at most {self._max_line} bytes")))
        try:
            return self._connection.start(line)
        except Exception:
            _log.exception("a message could not be taken in")
            return Work(self._connection.refused(InternalError("this message could not be taken in")))

    def _is_ours(self, work: Work) -> bool:
        """Whether this thread may run a request, because another will read on; otherwise it is seen to."""
        with self._change:
            full = not self._has_room()
            if not full:
                self._unanswered += 1
                if not work.step.is_async:
                    if self._idle:
                        return True
                    if self._threads < self._most:
                        self._hire()
                        return True
                    self._waiting.append(work)
        if full:
            assert work.steps is not None
            self._write(given_up(work.steps, InternalError("too many requests are under way; try again later")))
        elif work.step.is_async:
            self._finish_in_loop(work)
        return False

    def _has_room(self) -> bool:
        """Whether one more may be under way; a client that is merely fast is read more slowly, a stuck one is not."""
        if self._unanswered >= MAX_RUNNING and not self._stuck:
            self._stuck = not self._change.wait_for(lambda: self._unanswered < MAX_RUNNING, SECONDS_TO_ROOM)
        return self._unanswered < MAX_RUNNING

    # Answering ------------------------------------------------------------------------------------

    def _finish(self, work: Work) -> None:
        try:
            self._write(self._connection.finish(work))
        except BaseException:
            _log.exception("a request could not be answered")
        finally:
            self._answered()

    def _finish_in_loop(self, work: Work) -> None:
        from . import looped  # an event loop is loaded for those who need one

        async def finish() -> None:
            try:
                self._write(await self._connection.finish_async(work))
            except BaseException:
                _log.exception("a request could not be answered")
            finally:
                self._answered()

        looped.start(finish)

    def _answered(self) -> None:
        with self._change:
            self._unanswered -= 1
            self._stuck = False
            self._change.notify_all()  # seldom does anybody wait

    def _write(self, message: bytes | None) -> None:
        """Write a message in one piece; between the parts of JSON a line may end, inside of them it cannot."""
        if message is None:
            return
        line = message.replace(b"\n", b" ") + b"\n"
        with self._writing:
            if self._gone:
                return
            try:
                self._put(line)
            except (OSError, ValueError):
                self._gone = True
        if self._gone:
            self.stop()
            with self._change:
                self._change.notify_all()
