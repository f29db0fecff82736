"""The server for one client on standard input and output, in the event loop of a program.

All functions run in this loop, plain ones in the threads of the server. The process belongs to the program: a signal
ends the server, and is then sent again.
"""

import asyncio
import signal
import threading
from contextlib import suppress
from functools import partial
from typing import Any

from ..protocol.core import Core
from .process_end import limit_exit
from .run_async import call_soon
from .stdio import CLOSE, SOON, StdioPipes, StdioServer, guard_stdio, handle_signals

__all__ = ["run_async"]


async def run_async(core: Core, *, streams: StdioPipes | None = None, **options: Any) -> None:
    """Serve one client until it disconnects, a signal comes or the task is cancelled; takes the options of `run`."""
    if streams is None:
        with guard_stdio() as streams:
            return await run_async(core, streams=streams, **options)
    server = StdioServer(core, streams, owns_process=False, **options)
    for life in core.lives():
        await life.start_async()
    try:
        with handle_signals(server.stop, server.deadline.hurry) as signals:
            await _serve(server)
    finally:
        for life in core.lives():
            await life.close_async()
        server.deadline.cancel()
        limit_exit(server.deadline, owns_process=False)
    for number in dict.fromkeys(signals):
        signal.raise_signal(number)
    return None


async def _serve(server: StdioServer) -> None:
    """Serve until the end; requests that still run then have some seconds to finish."""
    loop, stopped, ended = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    tasks: set[Any] = set()  # a loop alone does not keep its tasks alive

    def create_task(job: Any) -> None:
        task = loop.create_task(server.run_async(job))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def end() -> None:
        server.end()
        call_soon(loop, ended.set)

    server.submit = lambda job, is_async: call_soon(loop, partial(create_task, job))
    server.wake = partial(call_soon, loop, stopped.set)
    server.start_reading()
    try:
        await stopped.wait()
    finally:
        server.stop()
        server.deadline.start()
        threading.Thread(target=end, name="plainmcp-end", daemon=True).start()
        while not ended.is_set() and (seconds := server.deadline.seconds_until(CLOSE)):
            with suppress(TimeoutError):  # in pieces, as in stdio
                await asyncio.wait_for(ended.wait(), min(seconds, SOON))
