"""One client on standard input and output. Knows files and signals; see turns for what is done with the lines.

Only messages reach standard output: while we serve, print() and the output of child processes go to standard error.
"""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

from ..protocol.core import Core
from .turns import Streams, Turns

__all__ = ["guarded", "run"]


def run(core: Core, *, streams: Streams | None = None, **options: Any) -> None:
    """Serve one client until it hangs up or a signal ends us; on standard input and output, unless told otherwise.

    Takes max_line, how many bytes a message may have, and grace, within how many seconds it ends: what still runs
    shortly before that is given up, and answered with an error.
    """
    if streams is None:
        with guarded() as streams:
            return run(core, streams=streams, **options)
    turns = Turns(core, streams, **options)
    with _signals(turns.stop):
        turns.serve()


@contextmanager
def _signals(stop: Callable[[], None]) -> Generator[None, None, None]:
    """Let SIGTERM and SIGINT stop us; a second one does at once what it always did, and so does one to a child."""
    kept: dict[int, Any] = {}
    ours = os.getpid()

    def caught(number: int, frame: FrameType | None) -> None:
        signal.signal(number, kept.pop(number, signal.SIG_DFL))
        if os.getpid() == ours:
            stop()
        else:
            os.kill(os.getpid(), number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            kept[number] = signal.signal(number, caught)
    try:
        yield
    finally:
        for caught_number, handler in kept.items():
            signal.signal(caught_number, handler)


# Standard input and output ------------------------------------------------------------------------


@contextmanager
def guarded() -> Generator[Streams, None, None]:
    """Keep standard input and output for messages: who else reads meets an end, who else writes meets stderr."""
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
        yield Streams(partial(_read, source), partial(_write, sink), None if sys.platform == "win32" else source)
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
