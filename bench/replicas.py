"""What several processes cost and bring: `make bench-replicas` writes bench/REPLICAS.md. Takes three minutes.

The rate of plain calls with a store and without, of two workers and of one; and how long the answer to a live
question takes that reaches another replica. The CPU time of a plain call is measured without HTTP. Needs the packages
of the tests, with their redis-server, and Linux.
"""

import http.client
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
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from mounted import initialize  # noqa: E402
from redis_server import free_port, running_redis  # noqa: E402

PROGRAM = """\
from plainmcp import Context, Server

server = Server("bench", "1.0.0", key=b"a key of the benchmark")


@server.tool
async def echo(text: str) -> str:
    return text


@server.tool
async def ask(ctx: Context) -> str:
    return (await ctx.elicit("Sure?", {"type": "object", "properties": {}})).action
"""
ROUNDS, SECONDS, CONNECTIONS, QUESTIONS = 5, 2.0, 16, 500
WIRES = ("2025-11-25", "2026-07-28")
ONE, STORE, WORKERS = "one process", "one process, store", "two workers, signed sessions"
SPARE = 0.3
"""With fewer idle cores than this, the cores are the limit."""


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """A server with these options: its port, and its process."""
    port = free_port()
    command = [sys.executable, "-m", "plainmcp", "serve", str(folder / "bench_server.py")]
    process = subprocess.Popen([*command, "--http", f"127.0.0.1:{port}", *options], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        assert b"serving MCP" in process.stderr.readline()
        time.sleep(1)
        yield port, process.pid
    finally:
        process.terminate()
        process.communicate(timeout=20)


class Rate(NamedTuple):
    """What one round has shown: calls a second, and how many cores were used meanwhile."""

    calls: float
    server: float
    busiest: float  # of the processes of the server
    load: float
    idle: float  # of the machine


def busy_seconds_of(pid: int) -> list[float]:
    """The processor time of a process and of each of its children."""
    times = []
    for one in [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split())]:
        fields = Path(f"/proc/{one}/stat").read_text("ascii").rpartition(") ")[2].split()
        times.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return times


def idle_seconds() -> float:
    """The time that the cores of this machine had nothing to do."""
    fields = Path("/proc/stat").read_text("ascii").split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def rate_of(port: int, pid: int, wire: str) -> Rate:
    """Calls a second of a server."""
    before, idle = busy_seconds_of(pid), idle_seconds()
    command = [sys.executable, str(HERE / "hammer.py"), str(port), wire, str(CONNECTIONS), str(SECONDS)]
    started = time.monotonic()
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    idle = (idle_seconds() - idle) / (time.monotonic() - started)
    lasted = SECONDS * 1.25  # it warms up for a quarter of the time
    cores = [(after - then) / lasted for after, then in zip(busy_seconds_of(pid), before, strict=True)]
    return Rate(found["answers"] / found["seconds"], sum(cores), max(cores), found["busy"], idle)


Rates = dict[tuple[str, str], list[Rate]]


def measure_rates(url: str, folder: Path) -> Rates:
    """The rates of each kind of server on each revision, taken in turns."""
    kinds = {
        ONE: (),
        STORE: ("--redis", url),
        WORKERS: ("--workers", "2"),
        "two workers, store": ("--workers", "2", "--redis", url),
    }
    rates: Rates = {}
    for _ in range(ROUNDS):
        for kind, options in kinds.items():
            with serving(folder, *options) as (port, pid):
                for wire in WIRES:
                    rates.setdefault((kind, wire), []).append(rate_of(port, pid, wire))
    return rates


def share_of(rates: Rates, kind: str, wire: str) -> float:
    """The rate of a kind of server against one process: the median of the rounds, each compared with its own."""
    pairs = zip(rates[kind, wire], rates[ONE, wire], strict=True)
    return statistics.median(rate.calls / one.calls for rate, one in pairs)


class Client:
    """A connection to one replica that stays open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

    def post(self, body: Any) -> http.client.HTTPResponse:
        """Send a message; the response has its headers, and its body is still to be read."""
        self._connection.request("POST", "/mcp", json.dumps(body), self.headers)
        return self._connection.getresponse()


def measure_questions(ports: list[int]) -> tuple[list[float], list[float]]:
    """Milliseconds from an answer to the end of the call: sent to the replica that asked, and to the other one."""
    taken: tuple[list[float], list[float]] = ([], [])
    clients = [Client(port) for port in (ports[0], *ports)]  # one asks, and the other two answer
    asking = clients[0]
    for number in range(QUESTIONS):
        if number % 50 == 0:  # a new session: one may pass on 200 answers in ten seconds
            opened = asking.post(initialize(elicitation={}))
            opened.read()
            for client in clients:
                client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
                client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).read()
        for answering, times in zip(clients[1:], taken, strict=True):
            params = {"name": "ask", "arguments": {}}
            stream = asking.post({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            lines = iter(stream.readline, b"")
            question = next(json.loads(line[6:]) for line in lines if b"elicitation/create" in line)
            reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}
            start = time.perf_counter()
            answering.post(reply).read()
            assert b"accept" in b"".join(lines)
            times.append((time.perf_counter() - start) * 1e3)
    return sorted(taken[0]), sorted(taken[1])


def describe_rates(rates: Rates) -> list[str]:
    """The part of the page about plain calls."""
    lines = [
        "# Several processes",
        "",
        f"Written by `make bench-replicas`. Python {sys.version.split()[0]}, {os.cpu_count()} cores.",
        f"An `async def` echo over HTTP with uvicorn, {CONNECTIONS} connections; medians of {ROUNDS} rounds of "
        f"{SECONDS:g} s.",
        "The load comes from the same machine.",
        "",
        "| server | revision | calls a second | against one process | cores of the server | of its busiest process "
        "| of the load generator | idle |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (kind, wire), rounds in rates.items():
        middle = Rate(*map(statistics.median, zip(*rounds, strict=True)))
        shown = " | ".join(f"{cores:.2f}" for cores in middle[1:])
        lines.append(f"| {kind} | {wire} | {middle.calls:,.0f} | {share_of(rates, kind, wire):.2f} | {shown} |")
    stored = " and ".join(f"{share_of(rates, STORE, wire):.2f}" for wire in WIRES)
    doubled = " and ".join(f"{share_of(rates, WORKERS, wire):.2f}" for wire in WIRES)
    limit = find_limit([rate for wire in WIRES for rate in rates[WORKERS, wire]])
    return [
        *lines,
        "",
        f"- Plain calls with a store: {stored} of the rate without, on {' and '.join(WIRES)}; the target is 0.9.",
        f"- Two workers against one: {doubled}. {limit}",
        *warn_of_others([rate for rounds in rates.values() for rate in rounds]),
    ]


def find_limit(rounds: list[Rate]) -> str:
    """What bounds the rate, as far as the cores show it."""
    idle = statistics.median(rate.idle for rate in rounds)
    shown = f"{idle:.2f} of {os.cpu_count()} are idle"
    if idle < SPARE:
        return f"The cores are the limit: {shown}, and the load generator takes its part of them."
    return f"The cores are not the limit: {shown}. The {CONNECTIONS} connections have one call at a time each."


def warn_of_others(rounds: list[Rate]) -> list[str]:
    """A line about other programs, if they took so much that the figures say little."""
    others = statistics.median((os.cpu_count() or 1) - rate.server - rate.load - rate.idle for rate in rounds)
    taken = f"- Other programs took {others:.1f} cores meanwhile: measure again on an idle machine."
    return [taken] if others > SPARE else []


def measure_costs(url: str) -> list[dict[str, tuple[float, float]]]:
    """What a store costs a plain call over ASGI, several times: see store_cost."""
    command = [sys.executable, str(HERE / "store_cost.py"), url]
    return [json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(ROUNDS)]


def describe_costs(costs: list[dict[str, tuple[float, float]]]) -> list[str]:
    """The part of the page about CPU time."""
    lines = [
        "",
        "CPU time of an `async def` echo over ASGI in one process, without HTTP, with a store and without in turns:",
        "",
        "| revision | without a store | with a store, against that |",
        "|---|---|---|",
    ]
    for wire in WIRES:
        without, ratio = (statistics.median(cost[wire][part] for cost in costs) for part in (0, 1))
        lines.append(f"| {wire} | {without:.1f} µs | {ratio:.2f} |")
    return [*lines, "", "The target is 1.07."]


def describe_questions(asked: tuple[list[float], list[float]]) -> list[str]:
    """The part of the page about questions."""
    lines = [
        "",
        f"A live question over HTTP, from its answer to the end of the call, {QUESTIONS} times, two processes:",
        "",
        "| the answer reaches | p50 | p99 |",
        "|---|---|---|",
    ]
    for which, taken in zip(("the same", "the other"), asked, strict=True):
        half, most = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
        lines.append(f"| {which} replica | {half:.2f} ms | {most:.2f} ms |")
    return lines


def main() -> None:
    with running_redis() as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bench_server.py").write_text(PROGRAM, "utf-8")
        rates = measure_rates(server.url, folder)
        costs = measure_costs(server.url)
        store = ("--redis", server.url)
        with serving(folder, *store) as (one, _), serving(folder, *store) as (other, _):
            asked = measure_questions([one, other])
    lines = [*describe_rates(rates), *describe_costs(costs), *describe_questions(asked)]
    text = "\n".join(lines) + "\n"
    (HERE / "REPLICAS.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
