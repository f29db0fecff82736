"""One client on standard input and output: its lines are read, its requests run and its responses written.

One thread reads: what has its response at once is answered there, plain functions run in threads and `async def`
functions in the background loop, so that a slow call never keeps a cancel from being read. Only messages reach
standard output: while we serve, print() and the output of child processes go to standard error.
"""

import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from types import FrameType
from typing import Any, NamedTuple

from ..errors import InternalError, InvalidRequest
from ..protocol.core import Core
from ..protocol.exchange import Exchange, Listen
from ..protocol.failures import error_response, internal_error
from .connection import Connection
from .invoke import Process
from .lines import MAX_LINE, Lines
from .link import RequestLink
from .shutdown import GRACE, LAST, SHUTTING_DOWN, check_grace, end_with_main_thread
from .threads import Threads

__all__ = ["StdioPipes", "StdioServer", "guard_stdio", "run"]

MAX_RUNNING = 1000
"""How many requests of one client may run at a time."""
SECONDS_TO_ROOM = 0.5
"""How long one more request waits for another to be answered, before it is refused."""

_log = logging.getLogger("plainmcp")


class StdioPipes(NamedTuple):
    """Where messages come from and go to: `read` gives some bytes, or none at the end; `write` takes a whole line."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


def run(core: Core, *, streams: StdioPipes | None = None, **options: Any) -> None:
    """Serve one client until it hangs up or a signal ends us; on standard input and output, unless told otherwise.

    Takes max_line, how many bytes a message may have, and grace, within how many seconds it ends: what still runs
    shortly before that is given up, and answered with an error.
    """
    if streams is None:
        with guard_stdio() as streams:
            return run(core, streams=streams, **options)
    server = StdioServer(core, streams, **options)
    with _signals(server.stop):
        server.serve()


class _Job:
    """One request that runs: its exchange, its link, and whether its response is written."""

    __slots__ = ("exchange", "is_answered", "link")

    def __init__(self, exchange: Exchange, link: RequestLink) -> None:
        self.exchange = exchange
        self.link = link
        self.is_answered = False


class StdioServer:
    """One client: it is served until it hangs up or we stop."""

    def __init__(self, core: Core, pipes: StdioPipes, *, max_line: int = MAX_LINE, grace: float = GRACE) -> None:
        self._max_line = max_line
        self._grace = check_grace(grace)
        self._lines = Lines(pipes.read, max_line)
        self._put = pipes.write
        self._threads = Threads(core.threads)
        self._connection = Connection(core, self._write)
        self._process = Process.current
        self._ends: SimpleQueue[None] = SimpleQueue()  # may be put to in a signal handler, unlike an Event
        self._stopped = False
        self._writing = threading.Lock()
        self._is_closed = False  # the client no longer reads what we write
        self._changed = threading.Condition()  # of what follows
        self._jobs: set[_Job] = set()
        self._is_stuck = False  # no request was answered while we waited for room

    def serve(self) -> None:
        """Serve until the end; what still runs then has some seconds to be answered."""
        threading.Thread(target=self._read, name="plainmcp-stdio", daemon=True).start()
        self._ends.get()
        ending = threading.Thread(target=self._end, name="plainmcp-end", daemon=True)
        ending.start()
        ending.join(self._grace)  # a client that does not read can hold up a write for ever
        if self._jobs:
            end_with_main_thread()

    def stop(self) -> None:
        """Read no further."""
        self._stopped = True
        self._ends.put(None)

    def _end(self) -> None:
        """Bring everything to its end: what is not answered in time is answered with an error, and may clean up."""
        self._connection.hang_up()
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or not self._jobs, self._grace - LAST)
            left = [job for job in self._jobs if not job.link.cancelled]
        self._connection.give_up(SHUTTING_DOWN)
        for job in left:
            self._write(job.link.refuse(SHUTTING_DOWN), job)
        if left:
            _log.warning("requests that still ran at the end, and were given up: %d", len(left))
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs, LAST * 0.8)
        self._connection.close()
        with self._writing:
            self._is_closed = True
        self._threads.close()

    # Reading --------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            for line in self._lines:
                if self._stopped:
                    return
                self._receive(line)
        except (OSError, ValueError):  # the pipe broke, or was closed: an end like any other
            pass
        self.stop()

    def _receive(self, line: bytes | None) -> None:
        link = RequestLink(self._connection)
        try:
            exchange = self._connection.start(line, link) if line is not None else self._refuse_line()
        except Exception:
            _log.exception("a message could not be taken in")
            error = InternalError("this message could not be taken in")
            exchange = Exchange(error_response(error, self._connection.revision))
        if exchange.step is None or isinstance(exchange.step, Listen):
            self._write(self._connection.finish(exchange))
        elif not self._has_room():
            self._write(exchange.fail(InternalError("too many requests are under way; try again later")))
        else:
            self._start(_Job(exchange, link), exchange.step.feature.is_async)

    def _refuse_line(self) -> Exchange:
        error = InvalidRequest(f"a message has at most {self._max_line} bytes")
        return Exchange(error_response(error, self._connection.revision))

    def _has_room(self) -> bool:
        """Whether one more may run; a client that is merely fast is read more slowly, a stuck one is not."""
        with self._changed:
            if len(self._jobs) >= MAX_RUNNING and not self._is_stuck:
                self._is_stuck = not self._changed.wait_for(lambda: len(self._jobs) < MAX_RUNNING, SECONDS_TO_ROOM)
            return len(self._jobs) < MAX_RUNNING

    # Running --------------------------------------------------------------------------------------

    def _start(self, job: _Job, is_async: bool) -> None:
        with self._changed:
            self._jobs.add(job)
        if is_async:
            from . import background_loop  # an event loop is loaded for those who need one

            background_loop.start_task(partial(self._run_async, job))
        else:
            self._threads.submit(partial(copy_context().run, self._run, job))

    def _run(self, job: _Job) -> None:
        try:
            response = self._connection.finish(job.exchange)
        except BaseException as error:
            response = self._refuse(job, error)
        self._finish(job, response)

    async def _run_async(self, job: _Job) -> None:
        try:
            response = await self._connection.finish_async(job.exchange)
        except BaseException as error:
            response = self._refuse(job, error)
        self._finish(job, response)

    def _refuse(self, job: _Job, error: BaseException) -> bytes | None:
        """The response to a request that failed in an unexpected way."""
        return None if job.link.cancelled else job.link.refuse(internal_error(error, "The request"))

    def _finish(self, job: _Job, response: bytes | None) -> None:
        try:
            self._write(response, job)
        finally:
            with self._changed:
                self._jobs.discard(job)
                self._is_stuck = False
                if self._stopped or len(self._jobs) >= MAX_RUNNING - 1:  # otherwise nothing waits
                    self._changed.notify_all()

    def _write(self, message: bytes | None, job: _Job | None = None) -> None:
        """Write a message as one line. Inside a JSON text there is no line end; between its parts there may be one.

        Of several responses to one request only the first is written: one that was given up may still come to an end.
        """
        if message is None or Process.current is not self._process:  # a child of ours writes nothing
            return
        line = message.replace(b"\n", b" ") + b"\n"
        with self._writing:
            if self._is_closed or (job is not None and job.is_answered):
                return
            if job is not None:
                job.is_answered = True
            try:
                self._put(line)
            except (OSError, ValueError):
                self._is_closed = True
        if self._is_closed:
            self.stop()
            with self._changed:
                self._changed.notify_all()


@contextmanager
def _signals(stop: Callable[[], None]) -> Generator[None, None, None]:
    """Let SIGTERM and SIGINT stop us; a second one does at once what it always did, and so does one to a child."""
    kept: dict[int, Any] = {}
    ours = os.getpid()

    def handle_signal(number: int, frame: FrameType | None) -> None:
        signal.signal(number, kept.pop(number, signal.SIG_DFL))
        if os.getpid() == ours:
            stop()
        else:
            os.kill(os.getpid(), number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            kept[number] = signal.signal(number, handle_signal)
    try:
        yield
    finally:
        for caught_number, handler in kept.items():
            signal.signal(caught_number, handler)


# Standard input and output ------------------------------------------------------------------------


@contextmanager
def guard_stdio() -> Generator[StdioPipes, None, None]:
    """Keep standard input and output for messages: other readers find the end, other writers reach standard error."""
    source, sink = os.dup(0), os.dup(1)  # not inherited by child processes
    kept = sys.stdout
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no stderr
            os.dup2(nowhere, 1)
        os.close(nowhere)
        _flush(kept)  # what was printed before us is no message either
        sys.stdout = sys.stderr
        yield StdioPipes(partial(_read, source), partial(_write, sink))
    finally:
        sys.stdout = kept
        _flush(kept)
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.close(source)
        os.close(sink)


def _flush(stream: Any) -> None:
    with suppress(Exception):
        stream.flush()


def _read(file: int, size: int) -> bytes:
    while True:
        try:
            return os.read(file, size)
        except BlockingIOError:  # a parent that does not block shares its pipe's manners with us
            select.select([file], [], [])


def _write(file: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        try:
            left = left[os.write(file, left) :]
        except BlockingIOError:
            select.select([], [file], [])
