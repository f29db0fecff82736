"""The server for one client on standard input and output.

One thread reads the lines and answers requests that run no function. Plain functions run in other threads, and
`async def` functions in the background loop, so that a slow call never delays a cancel. Only messages reach standard
output: meanwhile print() and the output of child processes go to standard error.
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
from ..protocol.exchange import Detach, Exchange, Listen
from ..protocol.failures import error_response, internal_error, log_exception
from .connection import Connection
from .deadline import LAST
from .invoke import PROCESS
from .lines import MAX_LINE, Lines
from .link import RequestLink
from .process_end import limit_exit
from .shutdown import SHUTTING_DOWN, STDIO_GRACE, make_deadline
from .threads import make_threads

__all__ = ["StdioPipes", "StdioServer", "guard_stdio", "handle_signals", "run"]

MAX_RUNNING = 1000
"""How many requests of one client may run at the same time."""
MAX_WAIT = 0.5
"""How long a request over this limit waits for another one to end, before it is refused."""
CLEANING = LAST / 3
"""How many seconds a function has to clean up after its request was given up."""
CLOSE = LAST - CLEANING - 0.05
"""How many seconds before its deadline the server has ended, so that its lifespan can end."""
SOON = 0.05
"""After how many seconds it looks again whether the deadline has come nearer."""

_log = logging.getLogger("plainmcp")


class StdioPipes(NamedTuple):
    """Input and output of the server: `read` returns some bytes, or none at the end; `write` takes a whole line."""

    read: Callable[[int], bytes]
    write: Callable[[bytes], object]


def run(core: Core, *, streams: StdioPipes | None = None, **options: Any) -> None:
    """Serve one client until it disconnects or a signal ends the process; by default on standard input and output.

    Takes max_line, the largest number of bytes of a message; grace, the number of seconds for a shutdown; and
    principal, who the client is. Requests that still run shortly before its end are cancelled, and answered with an
    error.
    """
    if streams is None:
        with guard_stdio() as streams:
            return run(core, streams=streams, **options)
    is_main = threading.current_thread() is threading.main_thread()
    server = StdioServer(core, streams, owns_process=is_main, **options)
    for life in core.lives():
        life.start()
    try:
        with handle_signals(server.stop, server.deadline.hurry):
            try:
                server.serve()
            finally:
                for life in core.lives():
                    life.close()
    finally:
        server.deadline.cancel()
        limit_exit(server.deadline)


class _Job:
    """One request that runs: its exchange, its link, and whether its response is written."""

    __slots__ = ("exchange", "is_answered", "link")

    def __init__(self, exchange: Exchange, link: RequestLink) -> None:
        self.exchange = exchange
        self.link = link
        self.is_answered = False


class StdioServer:
    """The server for one client, until the client disconnects or the server stops."""

    def __init__(
        self,
        core: Core,
        pipes: StdioPipes,
        *,
        owns_process: bool = False,
        max_line: int = MAX_LINE,
        grace: float = STDIO_GRACE,
        principal: Any = None,
    ) -> None:
        self._max_line = max_line
        self.deadline = make_deadline(grace, owns_process=owns_process)
        self.deadline.give_up = self._give_up
        self._lines = Lines(pipes.read, max_line)
        self._put = pipes.write
        self._threads = make_threads(core)
        self._connection = Connection(core, self._write, transport="pipe", principal=principal)
        self._connection.begin_session()
        self._process = PROCESS.current
        self._ends: SimpleQueue[None] = SimpleQueue()  # unlike an Event, a signal handler may use it
        self._stopped = False
        self.wake: Callable[[], object] = _do_nothing
        """Called when it stops, perhaps in a signal handler."""
        self.submit: Callable[[_Job, bool], object] = self._submit_job
        """Runs a job whose function is async or not: see stdio_async."""
        self._writing = threading.Lock()
        self._is_closed = False  # the client does not read any more
        self._changed = threading.Condition()  # for the attributes below
        self._jobs: set[_Job] = set()
        self._is_stuck = False  # no request ended while a new one waited
        self._is_late = False  # requests that still run are to be given up

    def serve(self) -> None:
        """Serve until the end; requests that still run then have some seconds to finish."""
        self.start_reading()
        self._ends.get()
        self.deadline.start()
        ending = threading.Thread(target=self.end, name="plainmcp-end", daemon=True)
        ending.start()
        while ending.is_alive() and (seconds := self.deadline.seconds_until(CLOSE)):
            ending.join(min(seconds, SOON))  # in pieces: a second Ctrl-C brings the deadline nearer

    def stop(self) -> None:
        """Stop reading, and start the shutdown; may be called in a signal handler."""
        self._stopped = True
        self._ends.put(None)
        self.wake()

    def _give_up(self) -> None:
        with self._changed:
            self._is_late = True
            self._changed.notify_all()

    def end(self) -> None:
        """Shut down, and wait for it: requests that do not finish in time are refused and cancelled."""
        self._connection.hang_up()
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._is_late or not self._jobs)
            left = [job for job in self._jobs if not job.link.cancelled]
        self._connection.give_up(SHUTTING_DOWN)
        for job in left:
            self._write(job.link.refuse(SHUTTING_DOWN), job)
        if left:
            _log.warning("requests that still ran at the end, and were given up: %d", len(left))
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs, CLEANING)
        self._connection.close()
        with self._writing:
            self._is_closed = True
        self._threads.close()

    # Reading --------------------------------------------------------------------------------------

    def start_reading(self) -> None:
        """Read the messages in a thread."""
        threading.Thread(target=self._read, name="plainmcp-stdio", daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._lines:
                if self._stopped:
                    return
                self._receive(line)
        except (OSError, ValueError):  # the pipe is broken or closed: the client has disconnected
            pass
        self.stop()

    def _receive(self, line: bytes | None) -> None:
        link = RequestLink(self._connection)
        try:
            exchange = self._connection.start(line, link) if line is not None else self._refuse_line()
        except BaseException as problem:
            log_exception(problem, "a message could not be taken in")
            error = InternalError("this message could not be taken in")
            exchange = Exchange(error_response(error, self._connection.revision))
        step = exchange.step
        if step is None or isinstance(step, Listen):
            self._write(self._connection.finish(exchange))
        elif not self._wait_for_capacity():
            self._write(exchange.fail(InternalError("too many requests are under way; try again later")))
        else:
            self._start(_Job(exchange, link), isinstance(step, Detach) or step.feature.is_async)

    def _refuse_line(self) -> Exchange:
        return self._connection.refuse(InvalidRequest(f"a message has at most {self._max_line} bytes"))

    def _wait_for_capacity(self) -> bool:
        """Whether one more request may run. A fast client waits a little here; if no request ends, it is refused."""
        with self._changed:
            if len(self._jobs) >= MAX_RUNNING and not self._is_stuck:
                self._is_stuck = not self._changed.wait_for(lambda: len(self._jobs) < MAX_RUNNING, MAX_WAIT)
            return len(self._jobs) < MAX_RUNNING

    # Running --------------------------------------------------------------------------------------

    def _start(self, job: _Job, is_async: bool) -> None:
        with self._changed:
            self._jobs.add(job)
        self.submit(job, is_async)

    def _submit_job(self, job: _Job, is_async: bool) -> None:
        if is_async:
            from . import background_loop  # loads asyncio only when it is needed

            background_loop.create_task(partial(self.run_async, job))
        else:
            self._threads.submit(partial(copy_context().run, partial(self._run, job)))

    def _run(self, job: _Job) -> None:
        try:
            response = self._connection.finish(job.exchange)
        except BaseException as error:
            response = self._refuse(job, error)
        self._finish(job, response)

    async def run_async(self, job: _Job) -> None:
        """Run a job in an event loop, and write its response."""
        try:
            response = await self._connection.finish_async(job.exchange)
        except BaseException as error:
            response = self._refuse(job, error)
        self._finish(job, response)

    def _refuse(self, job: _Job, error: BaseException) -> bytes | None:
        """The response to a request that failed in an unexpected way."""
        problem = internal_error(error, "The request", self._connection.core.mask_errors)
        return None if job.link.cancelled else job.link.refuse(problem)

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
        """Write a message as one line. Line ends can only be between the tokens of the JSON, so they become blanks.

        Only the first response to a request is written: a request that was given up may still end with another one.
        """
        if message is None or PROCESS.current is not self._process:  # a child process writes nothing
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


def _do_nothing() -> None:
    """Wake nothing."""


@contextmanager
def handle_signals(stop: Callable[[], None], hurry: Callable[[], None]) -> Generator[list[int], None, None]:
    """Stop on SIGTERM and SIGINT, and hurry on a second Ctrl-C. A signal to a child process has its former effect.

    The list has the signals that came.
    """
    handlers: dict[int, Any] = {}
    signals: list[int] = []
    process = os.getpid()

    def handle_signal(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:
            signal.signal(number, handlers.pop(number, signal.SIG_DFL))
            os.kill(os.getpid(), number)
        elif signals and number == signal.SIGINT:
            hurry()
        else:
            signals.append(number)
            stop()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            handlers[number] = signal.signal(number, handle_signal)
    try:
        yield signals
    finally:
        for caught_number, handler in handlers.items():
            signal.signal(caught_number, handler)


# Standard input and output ------------------------------------------------------------------------


@contextmanager
def guard_stdio() -> Generator[StdioPipes, None, None]:
    """Reserve standard input and output for messages.

    Other code that reads standard input gets the end of file; what other code writes goes to standard error.
    """
    source, sink = os.dup(0), os.dup(1)  # not inherited by child processes
    stdout = sys.stdout
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no stderr
            os.dup2(null, 1)
        os.close(null)
        _flush(stdout)  # text that was printed before is no message either
        sys.stdout = sys.stderr
        yield StdioPipes(partial(_read, source), partial(_write, sink))
    finally:
        sys.stdout = stdout
        _flush(stdout)
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
        except BlockingIOError:  # the parent process made the pipe non-blocking
            select.select([file], [], [])


def _write(file: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[os.write(file, rest) :]
        except BlockingIOError:
            select.select([], [file], [])
