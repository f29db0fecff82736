"""What a system holds on to: for registered tools, for a large result on its way, for calls that are over.

Each is measured in a process of its own: `python -m ways.memory SYSTEM WHAT [ARGUMENTS]` prints a number.
"""

import gc
import os
import subprocess
import sys
import time
import tracemalloc
from typing import Any

import systems
from payloads import NOTE, rows
from rounds import environment, resident
from workload import HANDSHAKE, LATEST, Case, request

__all__ = ["LARGE", "measured"]

LARGE = 50 * 2**20
"""How many bytes the large result has on the wire."""


def measured(system: str, what: str, *arguments: str) -> float:
    """The number such a process prints."""
    command = [sys.executable, "-m", "ways.memory", system, what, *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment())
    return float(run.stdout)


def tools(system: str, count: str = "1000") -> float:
    """MiB that so many registered tools hold, once they have been listed; the first tool is not counted."""
    from ways.asgi import Client

    built = systems.empty(system)
    systems.many(built.tool, 1)
    client = Client(systems.app(system, built.server), LATEST)
    listing = Case("list", "tools/list", {}, lambda result: len(result["tools"]) > 0)
    client.checked(system, listing)
    gc.collect()
    before = resident(os.getpid())
    systems.many(built.tool, int(count), 1)
    client.timed(listing, 1)
    gc.collect()
    return resident(os.getpid()) - before


def sessions(system: str, count: str = "1000") -> float:
    """KiB that an open session holds while nothing is asked."""
    return _idle(system, int(count), with_stream=False)


def streams(system: str, count: str = "500") -> float:
    """KiB that an open session holds with a stream for later messages."""
    return _idle(system, int(count), with_stream=True)


def _idle(system: str, count: int, *, with_stream: bool) -> float:
    from ways.asgi import Client

    client = Client(systems.app(system, systems.build(system)), HANDSHAKE)
    client.enter(20, with_stream=with_stream)
    gc.collect()
    before = resident(os.getpid())
    client.enter(count, with_stream=with_stream)
    gc.collect()
    return (resident(os.getpid()) - before) * 1024 / count


def copies(system: str, way: str, kind: str) -> float:
    """The most memory held while a large result is made and sent, in sizes of that result.

    The text and the picture that the handler makes count too; the objects of the table are there before.
    """
    size = LARGE // 64
    _, weight = _peak(system, way, kind, size)  # first a small one, to see what a result weighs on the wire
    most, weight = _peak(system, way, kind, round(size * LARGE / weight))
    assert abs(weight / LARGE - 1) < 0.1, f"the result has {weight:,} bytes"
    return most / weight


def _peak(system: str, way: str, kind: str, size: int) -> tuple[int, int]:
    from ways.asgi import Client

    built = systems.empty(system)
    picture: Any = built.image
    records = [
        {"id": row.id, "name": row.name, "email": row.email} for row in rows(size // 50 if kind == "table" else 0)
    ]

    async def text() -> str:
        return "x" * size

    async def table() -> list[dict[str, Any]]:
        return records

    async def image() -> picture:
        return picture(data=bytes(size), format="png")

    large = {"text": text, "table": table, "image": image}[kind]
    built.tool("large", large)
    asked = Case("large", "tools/call", {"name": "large", "arguments": {}}, bool)
    if way == "handle":
        body = request(asked, LATEST)
        tracemalloc.start()
        answer = built.server.handle(body)
        weight = len(answer)
    else:
        client = Client(systems.app(system, built.server), LATEST)
        tracemalloc.start()
        weight = client.weighed(asked)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most, weight


def retained(system: str, calls: str = "100000") -> float:
    """Bytes that are still there after so many calls of handle()."""
    server = systems.build(system, "def")
    body = request(Case("echo", "tools/call", {"name": "echo", "arguments": {"text": NOTE}}, bool), None)
    tracemalloc.start()
    for _ in range(1_000):
        server.handle(body)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(int(calls)):
        server.handle(body)
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before


def registering(system: str, count: str = "1000") -> float:
    """Seconds until so many tools are registered, after a first."""
    built = systems.empty(system)
    systems.many(built.tool, 1)
    start = time.perf_counter()
    systems.many(built.tool, int(count), 1)
    return time.perf_counter() - start


if __name__ == "__main__":
    measures = {one.__name__: one for one in (tools, sessions, streams, registering, copies, retained)}
    print(measures[sys.argv[2]](sys.argv[1], *sys.argv[3:]))
