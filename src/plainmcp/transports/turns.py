"""Threads that take turns at reading one client's lines. Knows lines and threads, not messages nor files.

Whoever reads a request that needs user code leaves the turn to another and runs it itself: so a quick call never
waits for a thread, and a slow one never keeps a cancel from being read. `async def` functions run in an event loop:
from the first of them on the turn is lent to that loop, as long as it comes round to reading (see lent).
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InternalError, InvalidRequest
from ..protocol.core import Core
from .connection import Connection, Work
from .invoke import Process, given_up, unexpected
from .lines import MAX_LINE, Lines
from .shutdown import GRACE, LAST, SHUTTING_DOWN, check_grace, end_with_main_thread

if TYPE_CHECKING:
    from .lent import Lent

__all__ = ["Streams", "Turns"]

MAX_RUNNING = 1000
"""How many requests of one client may be under way."""
SECONDS_TO_ROOM = 0.5
"""How long one more waits for another to be answered, before it is refused."""

_log = logging.getLogger("plainmcp")

_TURN = Work()
"""Stands among the requests to run: the turn to read."""
_tasks: dict[Work, object] = {}  # a loop alone does not keep its tasks alive


class Streams(NamedTuple):
    """Where messages come from and go to: `read` gives some bytes, or none at the end; `write` takes a whole line."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]
    file: int | None = None
    """What `read` reads, if an event loop may wait for it."""


class Turns:
    """One client: its lines are read, its requests run and answered, until it hangs up or we stop."""

    def __init__(self, core: Core, streams: Streams, *, max_line: int = MAX_LINE, grace: float = GRACE) -> None:
        self._max_line = max_line
        self._grace = check_grace(grace)
        self._most = core.threads + 1  # one of them reads
        self._lines = Lines(streams.read, max_line)
        self._file = streams.file
        self._put = streams.write
        self._writing = threading.Lock()
        self._gone = False  # nobody reads what we write
        self._process = Process.current
        self._ends: SimpleQueue[None] = SimpleQueue()  # may be put to in a signal handler, unlike an Event
        self._stopped = False
        self._lent: Lent | None = None  # to the loop, the last time
        self._late = False  # the loop did not come round to reading, nor to anything since
        self._lock = threading.RLock()  # of what follows
        self._change = threading.Condition(self._lock)
        self._threads = 0
        self._free = 0  # threads that wait for something to do, or are on their way to it
        self._bells: list[threading.Lock] = []  # of those that wait
        self._todo: deque[Work] = deque()  # requests to run, and the turn to read
        self._unanswered: set[Work] = set()
        self._stuck = False  # none was answered while we waited for room
        self._connection = Connection(core, self._write)

    def serve(self) -> None:
        """Serve until the end; what still runs then has some seconds to be answered."""
        with self._lock:
            self._has_hands()
            self._offer(_TURN)
        self._ends.get()
        ending = threading.Thread(target=self._end, name="plainmcp-end", daemon=True)
        ending.start()
        ending.join(self._grace)  # a client that does not read can hold up whoever writes for ever
        if self._unanswered:
            end_with_main_thread()

    def _end(self) -> None:
        """Bring everything to its end: what is not answered in time is told so, and may clean up."""
        self._connection.hang_up()
        with self._lock:
            self._change.wait_for(lambda: self._gone or not self._unanswered, self._grace - LAST)
            left = [(work, work.call) for work in self._unanswered if work.call and not work.call.cancelled]
        self._connection.give_up(SHUTTING_DOWN)
        for work, call in left:
            self._write(call.refusal(SHUTTING_DOWN), work)
        if left:
            _log.warning("requests that still ran at the end, and were given up: %d", len(left))
        with self._lock:
            self._change.wait_for(lambda: not self._unanswered, LAST * 0.8)
        self._connection.close()
        with self._writing:
            self._gone = True  # whoever still runs has nobody to tell
        with self._lock:
            for bell in self._bells:
                bell.release()  # those who wait for work may go
            self._bells.clear()
        if self._lent is not None:
            self._lent.end()  # it may outlive us, and our files

    def stop(self) -> None:
        """Read no further."""
        self._stopped = True
        self._ends.put(None)

    # Threads --------------------------------------------------------------------------------------

    def _has_hands(self) -> bool:
        """Whether a thread comes at once for one thing more to do: one that is free, or a new one."""
        if len(self._todo) < self._free:
            return True
        if self._threads == self._most:
            return False
        threading.Thread(target=self._work, name=f"plainmcp-stdio-{self._threads + 1}", daemon=True).start()
        self._threads += 1  # not if it could not start
        self._free += 1
        return True

    def _offer(self, work: Work) -> None:
        """Leave a request, or the turn, to whoever comes first; that may be one who just became free."""
        self._todo.append(work)
        if self._bells:
            self._bells.pop().release()

    def _work(self) -> None:
        """What one thread does: whatever there is to do, and else wait until its bell rings."""
        bell = threading.Lock()
        bell.acquire()
        answered: Work | None = None
        while True:
            with self._lock:
                if answered is not None:
                    self._free += 1
                    self._answered(answered)
                    answered = None
                work = self._todo.popleft() if self._todo else None
                if work is None and self._stopped:  # nothing more will come
                    self._free -= 1
                    self._threads -= 1
                    return
                if work is None:
                    self._bells.append(bell)
                else:
                    self._free -= 1
            if work is None:
                bell.acquire()
                continue
            if work is _TURN:
                work = self._read()
                if work is None:
                    return
            self._finish(work)
            answered = work

    # Reading --------------------------------------------------------------------------------------

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
                if self._stopped:  # while the turn was lent
                    return None
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
        with self._lock:
            full = not self._has_room()
            if not full:
                self._unanswered.add(work)
                if not work.step.feature.is_async:
                    ours = self._has_hands()
                    self._offer(_TURN if ours else work)
                    return ours
        if full:
            assert work.steps is not None
            self._write(given_up(work.steps, InternalError("too many requests are under way; try again later")))
        else:
            from . import run_async  # an event loop is loaded for those who need one

            run_async.start(partial(self._finish_async, work))
            self._lend()
        return False

    def _has_room(self) -> bool:
        """Whether one more may be under way; a client that is merely fast is read more slowly, a stuck one is not."""
        if len(self._unanswered) >= MAX_RUNNING and not self._stuck:
            self._stuck = not self._change.wait_for(lambda: len(self._unanswered) < MAX_RUNNING, SECONDS_TO_ROOM)
        return len(self._unanswered) < MAX_RUNNING

    def _lend(self) -> None:
        """Let the loop read, if it can; the turn is this thread's again when this returns."""
        if self._file is None or self._late or self._lines.waiting:
            return
        from .lent import Lent  # loaded with the event loop

        try:
            self._lent = Lent(self._file, self._read_in_loop)
        except OSError:  # no more files may be open: it goes without
            return
        self._late = self._lent.wait()
        if self._lent.refused:
            self._file = None

    def _read_in_loop(self, lent: "Lent") -> bool:
        """Take in what is there to read; False when somebody else has to go on, at the end or for want of room."""
        try:
            goes_on = self._lines.fill()
        except (OSError, ValueError):
            return False
        while self._lines.waiting:
            if self._stopped or len(self._unanswered) >= MAX_RUNNING:
                return False
            work = self._started(next(self._lines))
            if work.steps is None:
                self._write(work.answer)
                continue
            with self._lock:
                self._unanswered.add(work)
                if not work.step.feature.is_async:
                    self._has_hands()
                    self._offer(work)
            if work.step.feature.is_async:
                _tasks[work] = lent.task(self._finish_async(work))
        return goes_on

    # Answering ------------------------------------------------------------------------------------

    def _finish(self, work: Work) -> None:
        try:
            answer = self._connection.finish(work)
        except BaseException as error:
            answer = self._unexpected(work, error)
        self._write(answer, work)

    async def _finish_async(self, work: Work) -> None:
        self._late = False
        try:
            answer = await self._connection.finish_async(work)
        except BaseException as error:
            answer = self._unexpected(work, error)
        try:
            self._write(answer, work)
        finally:
            _tasks.pop(work, None)
            with self._lock:
                self._answered(work)

    def _unexpected(self, work: Work, error: BaseException) -> bytes | None:
        """The answer of a request that failed in a way nobody thought of."""
        assert work.call is not None
        return None if work.call.cancelled else work.call.refusal(unexpected(error))

    def _answered(self, work: Work) -> None:
        self._unanswered.discard(work)
        self._stuck = False
        if self._stopped or len(self._unanswered) >= MAX_RUNNING - 1:  # seldom does anybody wait
            self._change.notify_all()

    def _write(self, message: bytes | None, work: Work | None = None) -> None:
        """Write a message in one piece; between the parts of JSON a line may end, inside of them it cannot.

        Of the answers of one request only the first is written: one that was given up may still come to its own.
        """
        if message is None or Process.current is not self._process:  # a child of ours has nobody to tell
            return
        line = message.replace(b"\n", b" ") + b"\n"
        with self._writing:
            if self._gone or (work is not None and work.is_answered):
                return
            if work is not None:
                work.is_answered = True
            try:
                self._put(line)
            except (OSError, ValueError):
                self._gone = True
        if self._gone:
            self.stop()
            with self._lock:
                self._change.notify_all()
