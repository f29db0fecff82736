"""The floors of speed that every change must hold, and whether they hold in the rows of one run. Measures nothing."""

from collections.abc import Callable, Iterator
from itertools import product
from operator import sub
from statistics import median
from typing import NamedTuple

from measures import Row
from node import GO, TYPESCRIPT
from rounds import Sample
from ways.http import BLOCKING, BY_HAND
from workload import BLOCKED, ECHOES, HANDSHAKE, LATEST

__all__ = ["Found", "Verdict", "verdicts"]

Found = Callable[[str, str], dict[str, Sample]]
"""The samples of a row, by its way and what it measures."""
WIRES = (HANDSHAKE, LATEST)


class Verdict(NamedTuple):
    """One target."""

    way: str
    target: str
    measured: str
    holds: bool | None
    """None where it was not measured."""


def verdicts(rows: list[Row]) -> list[Verdict]:
    """Every target, in the order of the ways."""
    found = {(row.way, row.what): row.samples for row in rows}

    def of(way: str, what: str) -> dict[str, Sample]:
        return found[way, what]

    parts = (_asgi(of), _http(of), _handle(of), _stdio(of), _start(of), _memory(of), _growth(rows, of))
    return [verdict for part in parts for verdict in part]


def _at_most(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    measured = ", ".join(f"{name} {value:.2f}".strip() for name, value in ratios.items())
    return Verdict(way, target, measured, all(value <= limit for value in ratios.values()))


def _at_least(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    measured = ", ".join(f"{name} {value:.{1 if limit > 1 else 2}f}".strip() for name, value in ratios.items())
    return Verdict(way, target, measured, all(value >= limit for value in ratios.values()))


def _asgi(of: Found) -> Iterator[Verdict]:
    way = "ASGI in process"
    each: list[tuple[str, float, str]] = [
        ("echo", 25, HANDSHAKE),
        ("echo", 17, LATEST),
        ("model", 20, HANDSHAKE),
        ("model", 14, LATEST),
    ]
    for name, limit, wire in each:
        samples = of(f"asgi async {wire}", name)
        ratio = {"": samples["mcp"].over(samples["plainmcp"])}
        yield _at_least(way, f"{name} on {wire}: at least {limit:g} times the rate of mcp", limit, ratio)
    both: list[tuple[str, float, dict[str, str]]] = [
        ("1,000-row table", 3, {"models": "table of models", "dataclasses": "table of dataclasses"}),
        ("image", 2.5, {"": "image"}),
    ]
    for name, limit, cases in both:
        ratios = {}
        for (kind, case), wire in product(cases.items(), WIRES):
            samples = of(f"asgi async {wire}", case)
            ratios[f"{kind} {wire}".strip()] = samples["mcp"].over(samples["plainmcp"])
        yield _at_least(way, f"{name}: at least {limit:g} times the rate of mcp", limit, ratios)
    contexts = {wire: of("context", wire) for wire in WIRES}
    ratios = {wire: one["with a Context"].over(one["without a Context"]) for wire, one in contexts.items()}
    target = "an `async def` tool with a Context that sends nothing: at most 3 times the cost of one without"
    yield _at_most(way, target, 3, ratios)
    scalars = {wire: of("checked", wire) for wire in WIRES}
    ratios = {wire: one["checked"].over(one["not checked"]) for wire, one in scalars.items()}
    yield _at_most(way, "a declared `-> int`, checked: at most 1.02 times the cost of one that is not", 1.02, ratios)
    protected = {wire: of("protected", wire) for wire in WIRES}
    costs = {wire: median(map(sub, one["a token"], one["open"])) for wire, one in protected.items()}
    yield _at_most(way, "a token that is known already: at most 5 µs", 5, costs)


def _http(of: Found) -> Iterator[Verdict]:
    way = "HTTP, one worker"

    def ratios(other: str, kind: str, wires: tuple[str, ...] = WIRES) -> dict[str, float]:
        """What the other system takes in times of plainmcp, by revision, message and connections."""
        found = {}
        for wire, case, connections in product(wires, ECHOES, (16, 200)):
            samples = of(f"http {kind}{wire}", f"{case}, {connections} connections")
            if other in samples:
                words = [wire] * (len(wires) > 1) + ["short" if case == "echo" else "300", f"with {connections}"]
                found[" ".join(words)] = samples[other].over(samples["plainmcp"])
        return found

    yield _at_least(way, "at least 0.6 of a bare ASGI application's rate", 0.6, ratios("floor", ""))
    target = "a bare ASGI application's CPU time a request: at least 0.58 of plainmcp's"
    yield _at_least(way, target, 0.58, ratios("floor", "cpu "))
    target = "`plainmcp serve`: at least 0.95 of the rate of uvicorn started by hand"
    yield _at_least(way, target, 0.95, ratios(BY_HAND, ""))
    for (wire, limit), kind in product(((LATEST, 6), (HANDSHAKE, 3)), ("", "cpu ")):
        much = f"{limit} times the rate of" if kind == "" else f"{limit} times less CPU a request than"
        target = f"at least {much} the {TYPESCRIPT}'s leanest server, on {wire}"
        yield _if_measured(way, target, limit, ratios(TYPESCRIPT, kind, (wire,)))
    pings = of(f"http cpu {HANDSHAKE}", "ping, 16 connections")
    ratio = {"": pings[GO].over(pings["plainmcp"])} if GO in pings else {}
    yield _if_measured(way, f"ping: at least 4 times less CPU than a server on the {GO}", 4, ratio)
    blocked = of(f"http {HANDSHAKE}", f"{BLOCKING} blocking calls")["plainmcp"]
    target = f"{BLOCKING} blocking calls of one caller: at least 0.9 of the ideal rate"
    yield _at_least(way, target, 0.9, {"": BLOCKED * 1e6 / BLOCKING / blocked.middle})


def _if_measured(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    """A target compared with a system that may be missing."""
    if not ratios:
        return Verdict(way, target, "Node or its packages were missing", None)
    return _at_least(way, target, limit, ratios)


def _handle(of: Found) -> Iterator[Verdict]:
    def floors(what: str) -> float:
        samples = of("handle", what)
        return samples["plainmcp"].over(samples["floor"])

    way = "handle()"
    yield _at_most(way, "echo: at most 6 floors", 6, {"": floors("echo")})
    models = {"dataclass": floors("dataclass"), "pydantic": floors("model")}
    yield _at_most(way, "five-field model: at most 8 floors", 8, models)


def _stdio(of: Found) -> Iterator[Verdict]:
    for name, limit in (("one by one", 5), ("64 at once", 15)):
        ratios = {}
        for kind in ("async", "def"):
            samples = of(f"stdio {kind}", f"echo, {name}")
            ratios[kind.replace("async", "async def")] = samples["mcp"].over(samples["plainmcp"])
        yield _at_least("stdio", f"echo, {name}: at least {limit} times the rate of mcp", limit, ratios)


def _start(of: Found) -> Iterator[Verdict]:
    limits = {
        "import, user time": (8, "1/8"),
        "start to first answer": (5, "1/5"),
        "resident after start": (2, "1/2"),
    }
    for name, (times, share) in limits.items():
        samples = of("start", name)
        ratio = samples["plainmcp"].over(samples["mcp"])
        measured = f"1/{1 / ratio:.1f}"
        yield Verdict("start", f"{name}: at most {share} of mcp's", measured, ratio <= 1 / times)
    for package, peer in (("mcp 1", "mcp"), ("mcp 2", "mcp"), ("FastMCP", "fastmcp")):
        name = f"a file for {package} to its first answer, CPU"
        samples = of("start", name)
        ratio = samples["plainmcp"].over(samples[peer])
        target = f"a file for {package}, unchanged, to its first answer: at most 1/2 of {package}'s CPU time"
        yield Verdict("start", target, f"1/{1 / ratio:.1f}", ratio <= 1 / 2)


def _memory(of: Found) -> Iterator[Verdict]:
    for what, times in (("session", 10), ("stream", 3)):
        samples = of("memory", f"an idle {what}")
        ratio = samples["plainmcp"].over(samples["mcp"])
        yield Verdict(
            "memory", f"an idle {what}: at most 1/{times} of mcp's", f"1/{1 / ratio:.1f}", ratio <= 1 / times
        )


def _growth(rows: list[Row], of: Found) -> Iterator[Verdict]:
    way = "growth"
    cost = {rows: of("growth rows", str(rows))["plainmcp"].middle for rows in (300, 1_000, 3_000, 10_000)}
    middling, large = cost[3_000] / cost[300], cost[10_000] / cost[1_000]
    measured = f"3,000 cost {middling:.1f} times 300, 10,000 cost {large:.1f} times 1,000"
    yield Verdict(way, "linear in rows", measured, middling <= 12 and large <= 20)
    few, many = (of("growth tools", size)["plainmcp"] for size in ("10", "10000"))
    times = many.middle / few.middle
    yield Verdict(way, "constant in registered tools", f"10,000 cost {times:.2f} times 10", times <= 1.15)
    served = [row.samples for row in rows if row.way == "growth served plainmcp"]
    cost_then = Sample(one["plainmcp"].middle for one in served)
    half = len(cost_then) // 2
    early, late = Sample(cost_then[:half]), Sample(cost_then[half:])
    dearer, grown = late.middle / early.middle, served[-1]["MiB"].middle - served[0]["MiB"].middle
    measured = f"the later half costs {dearer:.2f} times the earlier, {grown:+.1f} MiB"
    yield Verdict(way, "flat in requests served", measured, dearer <= 1.15 and grown <= 1)
