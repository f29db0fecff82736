"""What several processes cost and bring: `make bench-replicas` writes bench/REPLICAS.md. Takes a minute or two.

The rate of plain calls with a store and without, of two workers and of one; and how long the answer to a live
question takes that reaches another replica. Needs the packages of the tests, with their redis-server.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from mounted import Live, session, speak  # noqa: E402
from plainmcp.redis import RedisStore  # noqa: E402
from redis_server import free_port, running_redis  # noqa: E402
from replicas import call, question, replicas  # noqa: E402

PROGRAM = """\
from plainmcp import Server

server = Server("bench", "1.0.0", key=b"a key of the benchmark")


@server.tool
async def echo(text: str) -> str:
    return text
"""
ROUNDS, SECONDS, CONNECTIONS, QUESTIONS = 5, 2.0, 16, 500
WIRES = ("2025-11-25", "2026-07-28")


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[int]:
    """A server with these options, at a port."""
    port = free_port()
    command = [sys.executable, "-m", "plainmcp", "serve", str(folder / "bench_server.py")]
    process = subprocess.Popen([*command, "--http", f"127.0.0.1:{port}", *options], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        assert b"serving MCP" in process.stderr.readline()
        time.sleep(1)
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=20)


def rate_of(port: int, wire: str) -> tuple[float, float]:
    """Calls a second, and which part of the time the load generator was busy."""
    command = [sys.executable, str(HERE / "hammer.py"), str(port), wire, str(CONNECTIONS), str(SECONDS)]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return found["answers"] / found["seconds"], found["busy"]


def measure_rates(url: str) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The rates of each kind of server on each revision, taken in turns."""
    kinds = {
        "one process": (),
        "one process, store": ("--redis", url),
        "two workers, signed sessions": ("--workers", "2"),
        "two workers, store": ("--workers", "2", "--redis", url),
    }
    rates: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bench_server.py").write_text(PROGRAM, "utf-8")
        for _ in range(ROUNDS):
            for kind, options in kinds.items():
                with serving(folder, *options) as port:
                    for wire in WIRES:
                        rates.setdefault((kind, wire), []).append(rate_of(port, wire))
    return rates


async def measure_questions(url: str, is_other: bool) -> list[float]:
    """Milliseconds from when an answer is sent, to this replica or the other one, to the end of the call."""
    taken = []
    with replicas(RedisStore(url)) as (one, other):
        headers = await session(one, elicitation={})
        for number in range(QUESTIONS):
            live = Live(one, call("ask", number), headers)
            asked = await question(live)
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {}}}
            start = time.perf_counter()
            await asyncio.gather(speak(other if is_other else one, reply, headers), live.task)
            taken.append((time.perf_counter() - start) * 1e3)
            if len(taken) % 150 == 0:
                await asyncio.sleep(10)  # one session may pass on 200 answers in ten seconds
    return sorted(taken)


def main() -> None:
    with running_redis() as server:
        rates = measure_rates(server.url)
        asked = {is_other: asyncio.run(measure_questions(server.url, is_other)) for is_other in (False, True)}
    best: dict[Any, tuple[float, float]] = {key: statistics.median_low(pairs) for key, pairs in rates.items()}
    lines = [
        "# Several processes",
        "",
        f"Written by `make bench-replicas`. Python {sys.version.split()[0]}, {os.cpu_count()} cores.",
        f"An `async def` echo over HTTP with uvicorn, {CONNECTIONS} connections; medians of {ROUNDS} rounds.",
        "The load comes from the same machine: with two cores, two workers have what the generator leaves.",
        "",
        "| server | revision | calls a second | against one process | load generator busy |",
        "|---|---|---|---|---|",
    ]
    for (kind, wire), (rate, busy) in best.items():
        lines.append(f"| {kind} | {wire} | {rate:,.0f} | {rate / best['one process', wire][0]:.2f} | {busy:.0%} |")
    lines += [
        "",
        f"A live question, from its answer to the end of the call, {QUESTIONS} times, without HTTP:",
        "",
        "| the answer reaches | p50 | p99 |",
        "|---|---|---|",
    ]
    for is_other, taken in asked.items():
        half, most = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
        lines.append(f"| {'the other' if is_other else 'the same'} replica | {half:.2f} ms | {most:.2f} ms |")
    text = "\n".join(lines) + "\n"
    (HERE / "REPLICAS.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
