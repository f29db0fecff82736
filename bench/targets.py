"""What the project set out to reach, and whether it holds: read from the rows of one run. Measures nothing."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from measures import Row
from rounds import Sample
from systems import PEERS
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
    holds: bool


def verdicts(rows: list[Row]) -> list[Verdict]:
    """Every target, in the order of the ways."""
    found = {(row.way, row.what): row.samples for row in rows}

    def of(way: str, what: str) -> dict[str, Sample]:
        return found[way, what]

    parts = (_handle(of), _asgi(of), _http(of), _stdio(of), _start(of), _memory(of), _values(rows), _growth(rows, of))
    return [verdict for part in parts for verdict in part]


def _at_most(way: str, target: str, limit: float, ratios: dict[str, float], unit: str = "") -> Verdict:
    told = ", ".join(f"{name} {value:.2f}{unit}".strip() for name, value in ratios.items())
    return Verdict(way, target, told, all(value <= limit for value in ratios.values()))


def _at_least(way: str, target: str, limit: float, ratios: dict[str, float]) -> Verdict:
    told = ", ".join(f"{name} {value:.{1 if limit > 1 else 2}f}".strip() for name, value in ratios.items())
    return Verdict(way, target, told, all(value >= limit for value in ratios.values()))


def _floors(samples: dict[str, Sample]) -> float:
    return samples["plainmcp"].over(samples["floor"])


def _handle(of: Found) -> Iterator[Verdict]:
    way = "handle()"
    yield _at_most(way, "echo: at most 4 floors", 4, {"": _floors(of("handle", "echo"))})
    models = {"dataclass": "dataclass", "pydantic": "model"}
    ratios = {name: _floors(of("handle", what)) for name, what in models.items()}
    yield _at_most(way, "5-field model: at most 3 floors", 3, ratios)
    texts = {"compact text": "table of dataclasses, compact", "spaced text": "table of dataclasses"}
    ratios = {name: _floors(of("handle", what)) for name, what in texts.items()}
    yield _at_most(way, "1,000 rows of dataclasses: at most 1.6 floors", 1.6, ratios)
    yield _at_most(way, "1 MiB image: at most 1.5 floors", 1.5, {"": _floors(of("handle", "image"))})
    among = of("handle", "echo among tools")
    ratio = among["10,000 tools"].over(among["10 tools"])
    yield _at_most(way, "10,000 registered tools: a call costs as with 10", 1.1, {"": ratio})
    listed = of("handle", "list of 1,000, and copying it")
    least = 2 * listed["echo"].middle + listed["copy"].middle
    target = "`tools/list` of 1,000: at most two echoes and a copy of its bytes"
    yield _at_most(way, target, 1, {"": listed["plainmcp"].middle / least}, " of that")


def _asgi(of: Found) -> Iterator[Verdict]:
    cases = (("echo", 25), ("model", 20), ("table of models", 5), ("image", 3))
    for kind, name, limit in [*(("async", *one) for one in cases), ("def", "echo", 5), ("def", "model", 5)]:
        ratios = {}
        for peer, wire in product(PEERS, WIRES):
            samples = of(f"asgi {kind} {wire}", name)
            ratios[f"{peer} {wire}"] = samples[peer].over(samples["plainmcp"])
        target = f"`{kind.replace('async', 'async def')}`, {name}: at least {limit} times the peers' rate"
        yield _at_least("ASGI in process", target, limit, ratios)


def _http(of: Found) -> Iterator[Verdict]:
    def ratios(other: str) -> dict[str, float]:
        found = {}
        for wire, connections in product(WIRES, (16, 200)):
            samples = of(f"http {wire}", f"echo, {connections} connections")
            found[f"{wire} with {connections}"] = samples[other].over(samples["plainmcp"])
        return found

    way = "HTTP"
    yield _at_least(way, "at least 0.7 of a bare ASGI application's rate", 0.7, ratios("floor"))
    yield _at_least(way, "at least 8 times the rate of mcp", 8, ratios("mcp"))
    yield _at_least(way, "at least 20 times the rate of fastmcp", 20, ratios("fastmcp"))
    late = {wire: _floors(of(f"http p99 {wire}", "echo, 200 connections")) for wire in WIRES}
    yield _at_most(way, "p99 at 200 connections: at most 3 times the bare application's", 3, late)


def _stdio(of: Found) -> Iterator[Verdict]:
    ratios = {}
    for kind, name in product(("async", "def"), ("one by one", "64 at once")):
        samples = of(f"stdio {kind}", f"echo, {name}")
        ratios[f"{kind.replace('async', 'async def')} {name}"] = samples["mcp"].over(samples["plainmcp"])
    yield _at_least("stdio", "echo: at least 10 times the rate of mcp", 10, ratios)


def _start(of: Found) -> Iterator[Verdict]:
    limits = {
        "import, user time": (8, "1/8"),
        "start to first answer": (5, "1/5"),
        "resident after start": (2, "1/2"),
    }
    for name, (times, share) in limits.items():
        samples = of("start", name)
        ratio = samples["plainmcp"].over(samples["mcp"])
        told = f"1/{1 / ratio:.1f}"
        yield Verdict("start", f"{name}: at most {share} of mcp's", told, ratio <= 1 / times)


def _memory(of: Found) -> Iterator[Verdict]:
    way = "memory"
    tools = of("memory", "1,000 registered tools")["plainmcp"].middle
    yield _at_most(way, "1,000 registered tools: at most 8 MiB", 8, {"": tools}, " MiB")
    copies = {}
    for kind in ("text", "image", "table"):
        samples = of("memory", f"50 MiB of {kind}")
        copies[kind] = max(samples["plainmcp"].middle, samples["handle()"].middle)
    yield _at_most(way, "a 50 MiB result: at most 3 copies", 3, copies)
    kept = of("memory", "100,000 calls of handle()")["plainmcp"].middle
    yield Verdict(way, "100,000 calls keep nothing", f"{kept:,.0f} bytes", kept < 10_000)
    took = of("memory", "registering 1,000 tools")["plainmcp"].middle
    yield _at_most(way, "1,000 tools are registered in less than a second", 1, {"": took}, " s")


def _values(rows: list[Row]) -> Iterator[Verdict]:
    ways = {"values compact": "text compact and in one block", "values": "any other text"}
    for kind in ("dataclasses", "models"):
        for way, text in ways.items():
            found = [row.samples for row in rows if row.way == way and row.what.startswith(kind)]
            floors = [one["server"].over(one["floor"]) for one in found]
            told = f"{min(floors):.2f} to {max(floors):.2f}"
            target = f"a table of {kind} to a result, {text}: at most 1.6 floors"
            yield Verdict("values", target, told, max(floors) <= 1.6)
    most = [row.samples["plainmcp"].middle for row in rows if row.way == "values memory"]
    target = "memory: at most 4 times the result"
    yield Verdict("values", target, f"{min(most):.2f} to {max(most):.2f}", max(most) <= 4)


def _growth(rows: list[Row], of: Found) -> Iterator[Verdict]:
    way = "growth"
    cost = {rows: of("growth rows", str(rows))["plainmcp"].middle for rows in (300, 1_000, 3_000, 10_000)}
    middling, large = cost[3_000] / cost[300], cost[10_000] / cost[1_000]
    told = f"3,000 cost {middling:.1f} times 300, 10,000 cost {large:.1f} times 1,000"
    yield Verdict(way, "linear in rows", told, middling <= 12 and large <= 20)
    few, many = (of("growth tools", size)["plainmcp"] for size in ("10", "10000"))
    times = many.middle / few.middle
    yield Verdict(way, "constant in registered tools", f"10,000 cost {times:.2f} times 10", times <= 1.15)
    served = [row.samples for row in rows if row.way == "growth served plainmcp"]
    cost_then = Sample(one["plainmcp"].middle for one in served)
    half = len(cost_then) // 2
    early, late = Sample(cost_then[:half]), Sample(cost_then[half:])
    dearer, grown = late.middle / early.middle, served[-1]["MiB"].middle - served[0]["MiB"].middle
    told = f"the later half costs {dearer:.2f} times the earlier, {grown:+.1f} MiB"
    yield Verdict(way, "flat in requests served", told, dearer <= 1.15 and grown <= 1)
