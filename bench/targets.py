"""The floors of speed that every change must hold, and whether they hold in the rows of one run. Measures nothing."""

from collections.abc import Callable, Iterator
from itertools import product
from operator import sub
from statistics import median
from typing import NamedTuple

from measures import Row
from node import TYPESCRIPT
from rounds import Sample
from workload import HANDSHAKE, LATEST

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

    parts = (_asgi(of), _http(of), _handle(of), _stdio(of), _start(of), _growth(rows, of))
    return [verdict for part in parts for verdict in part]


def _at_most(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    measured = ", ".join(f"{name} {value:.2f}".strip() for name, value in ratios.items())
    return Verdict(way, target, measured, all(value <= limit for value in ratios.values()))


def _at_least(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    measured = ", ".join(f"{name} {value:.{1 if limit > 1 else 2}f}".strip() for name, value in ratios.items())
    return Verdict(way, target, measured, all(value >= limit for value in ratios.values()))


def _asgi(of: Found) -> Iterator[Verdict]:
    way = "ASGI in process"
    limits: list[tuple[str, float, dict[str, str]]] = [
        ("echo", 25, {"": "echo"}),
        ("model", 20, {"": "model"}),
        ("1,000-row table", 3, {"models": "table of models", "dataclasses": "table of dataclasses"}),
        ("image", 2.5, {"": "image"}),
    ]
    for name, limit, cases in limits:
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
    every = {
        f"{wire} with {connections}": of(f"http {wire}", f"echo, {connections} connections")
        for wire, connections in product(WIRES, (16, 200))
    }

    def ratios(other: str) -> dict[str, float]:
        return {name: samples[other].over(samples["plainmcp"]) for name, samples in every.items()}

    way = "HTTP, one worker"
    yield _at_least(way, "at least 0.6 of a bare ASGI application's rate", 0.6, ratios("floor"))
    target = f"at least 5 times the rate of the {TYPESCRIPT}'s leanest server"
    if all(TYPESCRIPT in samples for samples in every.values()):
        yield _at_least(way, target, 5, ratios(TYPESCRIPT))
    else:
        yield Verdict(way, target, "Node or its packages were missing", None)


def _handle(of: Found) -> Iterator[Verdict]:
    def floors(what: str) -> float:
        samples = of("handle", what)
        return samples["plainmcp"].over(samples["floor"])

    way = "handle()"
    yield _at_most(way, "echo: at most 6 floors", 6, {"": floors("echo")})
    models = {"dataclass": floors("dataclass"), "pydantic": floors("model")}
    yield _at_most(way, "five-field model: at most 8 floors", 8, models)


def _stdio(of: Found) -> Iterator[Verdict]:
    ratios = {}
    for kind, name in product(("async", "def"), ("one by one", "64 at once")):
        samples = of(f"stdio {kind}", f"echo, {name}")
        ratios[f"{kind.replace('async', 'async def')} {name}"] = samples["mcp"].over(samples["plainmcp"])
    yield _at_least("stdio", "echo: at least 8 times the rate of mcp", 8, ratios)


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
        name = f"a file for {package} to its first answer"
        samples = of("start", name)
        ratio = samples["plainmcp"].over(samples[peer])
        yield Verdict("start", f"{name}, unchanged: at most 1/4 of {package}'s", f"1/{1 / ratio:.1f}", ratio <= 1 / 4)


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
