"""Every measurement of the benchmark as rows: which systems take turns at what. Knows the ways, not how they go."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import node
from rounds import Sample, Worker, turns
from systems import SYSTEMS
from ways import http, memory, start, stdio
from workload import CASES, ECHOES, HANDSHAKE, LATEST

__all__ = ["WAYS", "Pace", "Row"]

IN_PROCESS = ("plainmcp", "mcp-serializer", "floor")
UNKNOWN_TO_SERIALIZER = {"dataclass", "table of dataclasses", "echo of 300 characters"}
NEED_CONTEXT = {"echo with a Context", "progress"}
OWN = {"integer"}
"""Cases that only plainmcp is measured with."""
OVER_HTTP = {"blocking", "ping"}
"""Cases that are only measured over HTTP."""
LOAD_UNITS = {"rate": "µs", "cpu": "µs of CPU", "p50": "ms", "p99": "ms", "busy": "of the generator"}
"""What is kept of a load, and its units."""


@dataclass(frozen=True)
class Pace:
    """How long a measurement may take."""

    rounds: int
    slice: float  # seconds
    starts: int
    http_rounds: int
    http_seconds: float


@dataclass
class Row:
    """One line of a table: a sample for every system."""

    way: str
    what: str
    unit: str
    samples: dict[str, Sample] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        return asdict(self)


Show = Callable[[Row], None]


def _workers(stack: ExitStack, names: tuple[str, ...]) -> dict[str, Worker]:
    workers = {name: Worker(name) for name in names}
    for worker in workers.values():
        stack.callback(worker.close)
    return workers


def handle(pace: Pace, show: Show) -> None:
    """`handle()`, with `def` handlers, against the floor and mcp-serializer."""
    with ExitStack() as stack:
        workers = _workers(stack, IN_PROCESS)
        for name in (name for name in CASES if name not in NEED_CONTEXT | OWN | OVER_HTTP):
            able = {
                one: of for one, of in workers.items() if one != "mcp-serializer" or name not in UNKNOWN_TO_SERIALIZER
            }
            timed = {one: of.timed("handle", name, kind="def") for one, of in able.items()}
            show(Row("handle", name, "µs", turns(timed, pace.rounds, pace.slice)))
            if name.startswith("table"):
                timed = {
                    one: workers[one].timed("handle", name, kind="def", policy="fastmcp")
                    for one in ("plainmcp", "floor")
                }
                show(Row("handle", f"{name}, compact", "µs", turns(timed, pace.rounds, pace.slice)))
        contestants = {
            "plainmcp": workers["plainmcp"].timed("handle", "list of 1,000", kind="def"),
            "echo": workers["plainmcp"].timed("handle", "echo", kind="def"),
            "copy": workers["floor"].timed("copy", "list of 1,000", kind="def"),
        }
        show(Row("handle", "list of 1,000, and copying it", "µs", turns(contestants, pace.rounds, pace.slice)))
        among = {
            f"{count:,} tools": workers["plainmcp"].timed("handle", "echo", kind="def", tools=count)
            for count in (10, 10_000)
        }
        show(Row("handle", "echo among tools", "µs", turns(among, pace.rounds, pace.slice)))


def asgi(pace: Pace, show: Show) -> None:
    """The ASGI application called in process, on both wires; `async def` handlers, and `def` in threads."""
    with ExitStack() as stack:
        workers = _workers(stack, SYSTEMS)
        every = [
            *product(["async"], (name for name in CASES if name not in OWN | OVER_HTTP)),
            *product(["def"], ["echo", "model"]),
        ]
        for (kind, name), wire in product(every, (HANDSHAKE, LATEST)):
            timed = {one: of.timed("asgi", name, kind=kind, wire=wire) for one, of in workers.items()}
            show(Row(f"asgi {kind} {wire}", name, "µs", turns(timed, pace.rounds, pace.slice)))
        for wire in (HANDSHAKE, LATEST):
            ours = workers["plainmcp"]
            timed = {
                "without a Context": ours.timed("asgi", "echo", wire=wire),
                "with a Context": ours.timed("asgi", "echo with a Context", wire=wire),
            }
            show(Row("context", wire, "µs", turns(timed, pace.rounds, pace.slice)))
            timed = {
                "not checked": ours.timed("asgi", "integer", wire=wire, unchecked=True),
                "checked": ours.timed("asgi", "integer", wire=wire),
            }
            show(Row("checked", wire, "µs", turns(timed, pace.rounds, pace.slice)))
            observers = (None, "observer", "access log", "OpenTelemetry")
            timed = {how or "nothing": ours.timed("asgi", "echo", wire=wire, observe=how) for how in observers}
            show(Row("observed", wire, "µs", turns(timed, pace.rounds, pace.slice)))
            checks = (None, "a key", "a token")
            timed = {how or "open": ours.timed("asgi", "echo", wire=wire, auth=how) for how in checks}
            show(Row("protected", wire, "µs", turns(timed, pace.rounds, pace.slice)))


def over_http(pace: Pace, show: Show) -> None:
    """One process under load: the installed command beside uvicorn by hand, Node and Go; the floor is bare ASGI."""
    rows: dict[tuple[str, str, str], Row] = {}

    def keep(system: str, wire: str, what: str, found: dict[str, Any], units: Iterable[str] = LOAD_UNITS) -> None:
        for name in units:
            row = rows.setdefault(
                (name, wire, what), Row(f"http {name} {wire}".replace("rate ", ""), what, LOAD_UNITS[name])
            )
            row.samples.setdefault(system, Sample()).append(found[name])

    with ExitStack() as stack:
        served = {}
        for name in (*SYSTEMS, http.BY_HAND, node.TYPESCRIPT, node.GO, "floor"):
            try:
                served[name] = http.Served(name, stack)
            except node.Missing as reason:
                print(f"  {name} is left out: {reason}", flush=True)
        answers_ping = {name: one for name, one in served.items() if name in ("plainmcp", node.GO)}
        served.pop(node.GO, None)  # it has no echo
        ways = list(product(ECHOES, (HANDSHAKE, LATEST), (16, 200)))
        for _ in range(pace.http_rounds):  # a minute in which the machine is slow falls on all of them
            for (case, wire, connections), (name, one) in product(ways, served.items()):
                found = http.hammered(one, wire, connections, pace.http_seconds, case)
                keep(name, wire, f"{case}, {connections} connections", found)
            for name, one in answers_ping.items():
                keep(
                    name,
                    HANDSHAKE,
                    "ping, 16 connections",
                    http.hammered(one, HANDSHAKE, 16, pace.http_seconds, "ping"),
                )
            for name in SYSTEMS:
                found = http.hammered(served[name], HANDSHAKE, http.BLOCKING, pace.http_seconds, "blocking")
                keep(name, HANDSHAKE, f"{http.BLOCKING} blocking calls", found, ("rate",))
                found = http.hammered_beside(served[name], HANDSHAKE, 16, pace.http_seconds)
                keep(name, HANDSHAKE, "echo beside 16 blocking calls", found, ("p50", "p99"))
    for row in rows.values():
        show(row)


def over_stdio(pace: Pace, show: Show) -> None:
    """A real pipe."""
    for kind in ("async", "def"):
        with ExitStack() as stack:
            pipes = {name: stdio.serving(name, kind) for name in SYSTEMS}
            for pipe in pipes.values():
                stack.callback(pipe.close)
            for name, way in (("one by one", stdio.sequential), (f"{stdio.WINDOW} at once", stdio.pipelined)):
                timed = {one: way(pipe) for one, pipe in pipes.items()}
                show(Row(f"stdio {kind}", f"echo, {name}", "µs", turns(timed, pace.rounds, pace.slice)))


def starting(pace: Pace, show: Show) -> None:
    """Processes from nothing; the first of each only warms the disk."""
    measures: list[tuple[str, str, Callable[[str], float], float]] = [
        ("import, user time", "ms", start.imported, 1e3),
        ("start to first answer", "ms", start.answered, 1e3),
        ("resident after start", "MiB", start.resident, 1),
    ]
    for name, unit, measure, scale in measures:
        samples = {system: Sample() for system in SYSTEMS}
        for number in range(pace.starts + 1):
            for system, sample in samples.items():
                found = measure(system) * scale
                sample.extend([found] if number else [])
        show(Row("start", name, unit, samples))
    for package in start.FILES:
        peer = "fastmcp" if package == "FastMCP" else "mcp"
        times, processor = ({"plainmcp": Sample(), peer: Sample()} for _ in range(2))
        for number in range(pace.starts + 1):
            for system in times:
                took = start.answered_unchanged(package, system == "plainmcp")
                times[system].extend([took.seconds * 1e3] if number else [])
                processor[system].extend([took.cpu * 1e3] if number else [])
        show(Row("start", f"a file for {package} to its first answer", "ms", times))
        show(Row("start", f"a file for {package} to its first answer, CPU", "ms", processor))


def held(pace: Pace, show: Show) -> None:
    """Memory."""
    tools = {system: Sample([memory.measured(system, "tools")]) for system in SYSTEMS}
    show(Row("memory", "1,000 registered tools", "MiB", tools))
    for kind in ("text", "image", "table"):
        copies = {system: Sample([memory.measured(system, "copies", "asgi", kind)]) for system in SYSTEMS}
        copies["handle()"] = Sample([memory.measured("plainmcp", "copies", "handle", kind)])
        show(Row("memory", f"50 MiB of {kind}", "copies", copies))
    for what in ("sessions", "streams"):
        idle = {system: Sample([memory.measured(system, what)]) for system in SYSTEMS}
        show(Row("memory", f"an idle {what[:-1]}", "KiB", idle))
    kept = Sample([memory.measured("plainmcp", "retained")])
    show(Row("memory", "100,000 calls of handle()", "bytes kept", {"plainmcp": kept}))
    took = {system: Sample([memory.measured(system, "registering")]) for system in SYSTEMS}
    show(Row("memory", "registering 1,000 tools", "s", took))


def values(pace: Pace, show: Show) -> None:
    """A table of 1,000 rows to the bytes of a result, in this process."""
    from ways import values as shapes  # loads plainmcp and pydantic, which the other ways keep out of this process

    for setting in shapes.settings():
        way = "values compact" if setting.comparable else "values"
        show(Row(way, setting.name, "µs", turns(setting.contestants(), pace.rounds, pace.slice)))
        show(Row("values memory", setting.name, "of the result", {"plainmcp": Sample([setting.memory()])}))


def growth(pace: Pace, show: Show) -> None:
    """Cost against size: rows of a table, registered tools, requests served."""
    with ExitStack() as stack:
        workers = _workers(stack, SYSTEMS)
        rounds = max(3, pace.rounds // 3)
        for size in (10, 30, 100, 300, 1_000, 3_000, 10_000):
            timed = {
                one: of.timed("asgi", "table of dataclasses", wire=LATEST, rows=size) for one, of in workers.items()
            }
            show(Row("growth rows", str(size), "µs", turns(timed, rounds, pace.slice)))
    with ExitStack() as stack:
        workers = _workers(stack, SYSTEMS)
        for size in (10, 100, 1_000, 10_000):
            able = {one: of for one, of in workers.items() if one == "plainmcp" or size <= 1_000}
            timed = {one: of.timed("asgi", "echo", wire=LATEST, tools=size) for one, of in able.items()}
            show(Row("growth tools", str(size), "µs", turns(timed, rounds, pace.slice)))
    with ExitStack() as stack:
        workers = _workers(stack, SYSTEMS)
        ask = {one: of.timed("asgi", "echo", wire=HANDSHAKE) for one, of in workers.items()}
        bulk = {"plainmcp": 10_000, "mcp": 2_000, "fastmcp": 2_000}
        for one in ask:
            ask[one](500)
        for number in range(1, 11):
            for one, timed_one in ask.items():
                took = timed_one(bulk[one]) / bulk[one] * 1e6
                row = Row(f"growth served {one}", str(number * bulk[one]), "µs", {one: Sample([took])})
                row.samples["MiB"] = Sample([workers[one].resident()])
                show(row)


WAYS: dict[str, Callable[[Pace, Show], None]] = {
    "handle": handle,
    "asgi": asgi,
    "http": over_http,
    "stdio": over_stdio,
    "start": starting,
    "memory": held,
    "values": values,
    "growth": growth,
}
