"""The two read workloads of TM Dev Lab's public benchmark, on this machine: `make bench-public` writes PUBLIC.md.

public.py           five minutes
public.py --quick   one short round; prints the table and writes nothing

Every tool reads from a Redis and from an HTTP service, both on loopback. What is the same as in the public benchmark
and what is not is in METHOD.md. Needs Linux.
"""

import json
import subprocess
import sys
from contextlib import ExitStack
from importlib.metadata import version

import node
import report
from measures import Pace
from public_tools import CALLS, fill_redis
from rounds import HERE, Sample, environment
from systems import SYSTEMS
from tables import figure, table
from ways.http import Served

sys.path.insert(0, str(HERE.parent / "tests"))

from redis_server import running_redis

__all__: list[str] = []

CLIENTS, TARGET = 50, 5
FULL = Pace(rounds=0, slice=0, starts=0, http_rounds=9, http_seconds=3)
QUICK = Pace(rounds=0, slice=0, starts=0, http_rounds=1, http_seconds=0.6)
UNITS = ("rate", "cpu", "p50", "p99", "busy")
Samples = dict[str, dict[str, Sample]]
"""What was measured with one tool, by system and unit."""


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    pace = QUICK if quick else FULL
    about = report.about("make bench-public", pace)
    found = measure(pace)
    lines = [line for tool, samples in found.items() for line in describe(tool, samples)]
    print("\n".join(lines))
    if not quick:
        clients = ", ".join(f"{name} {version(name)}" for name in ("httpx", "redis"))
        head = f"{about['machine']}; {about['system']}.  \n{about['versions']}, {clients}.  \n"
        how = (
            f"Written by `make bench-public`: {pace.http_rounds} rounds of {pace.http_seconds:g} s, {CLIENTS} "
            f"clients, one process of each server. The machine's load average before it was {about['load']}. "
            "[What it does](METHOD.md#the-public-benchmark)."
        )
        page = "\n\n".join(["# The public benchmark", head + how, *lines])
        (HERE / "PUBLIC.md").write_text(page + "\n", "utf-8")


def measure(pace: Pace) -> dict[str, Samples]:
    """Every server with both tools, in turns."""
    found: dict[str, Samples] = {tool: {} for tool in CALLS}
    with ExitStack() as stack:
        store = stack.enter_context(running_redis())
        fill_redis(store.url)
        upstream = Served("upstream", stack, _command)
        variables = {"BENCH_REDIS": store.url, "BENCH_UPSTREAM": f"http://127.0.0.1:{upstream.port}"}
        served = {}
        for name in (*SYSTEMS, node.TYPESCRIPT, "floor"):
            try:
                served[name] = Served(name, stack, _command, **variables)
            except node.Missing as reason:
                print(f"{name} is left out: {reason}", flush=True)
        for _ in range(pace.http_rounds):
            for tool, samples in found.items():
                for name, one in served.items():
                    said = visit(one, pace.http_seconds, tool)
                    for unit in UNITS:
                        samples.setdefault(name, {}).setdefault(unit, Sample()).append(said[unit])
    return found


def visit(served: Served, seconds: float, tool: str) -> dict[str, float]:
    """What the load generator saw; a visit and its CPU time are in microseconds."""
    asked = [served.port, CLIENTS, seconds, tool, served.pid]
    command = [sys.executable, str(HERE / "visits.py"), *map(str, asked)]
    run = subprocess.run(command, stdout=subprocess.PIPE, env=environment())
    if run.returncode:
        raise SystemExit(f"{served.system} was not measured with {tool}")
    said: dict[str, float] = json.loads(run.stdout)
    rate, cpu = (said[name] / said["answers"] * 1e6 for name in ("seconds", "cpu"))
    return {**said, "rate": rate, "cpu": cpu}


def _command(system: str, port: int) -> list[str]:
    program = str(HERE / "public_server.py")
    if system == node.TYPESCRIPT:
        return node.serve_command(port, "public")
    if system == "plainmcp":
        return [sys.executable, "-m", "plainmcp", "serve", program, "--http", f"127.0.0.1:{port}"]
    return [sys.executable, program, system, str(port)]


def describe(tool: str, samples: Samples) -> list[str]:
    """The part of the page about one tool."""
    ours, lines = samples["plainmcp"], []
    for name, units in samples.items():
        rate, cpu = (units[unit].over(ours[unit]) for unit in ("rate", "cpu"))
        shown = [f"{1e6 / units['rate'].middle:,.0f}", f"{1 / rate:.2f}", figure(units["cpu"].middle), f"{cpu:.1f}"]
        times = [figure(units["p50"].middle), figure(units["p99"].middle), f"{units['busy'].middle:.0%}"]
        lines.append([name.replace("floor", "the tools alone"), *shown, *times])
    heads = ["", "calls/s", "of plainmcp", "CPU µs", "times plainmcp", "p50 ms", "p99 ms", "generator busy"]
    times_faster = samples["fastmcp"]["rate"].over(ours["rate"])
    verdict = "it holds" if times_faster >= TARGET else "**it does not hold**"
    target = f"At least {TARGET} times the rate of FastMCP: {times_faster:.1f}, {verdict}."
    cpu = {name: units["cpu"].middle for name, units in samples.items()}
    added = {name: cpu[name] - cpu["floor"] for name in ("plainmcp", "mcp", "fastmcp")}
    limit = samples["fastmcp"]["rate"].over(samples["floor"]["rate"])
    beyond = (
        f"The tools alone have {limit:.1f} times the rate of FastMCP. Beside the tools, a visit takes "
        + ", ".join(f"{figure(value)} µs of CPU with {name}" for name, value in added.items())
        + "."
    )
    return [f"## {tool}", table(heads, lines), target, beyond]


if __name__ == "__main__":
    main()
