"""What a run measured, for readers: RESULTS.md, its drawings, and the table in README.md. Measures nothing."""

import json
import os
import platform
import re
from hashlib import sha256
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import drawing
import node
import readme
from compare import redesign_cost
from measures import Pace, Row
from node import TYPESCRIPT
from rounds import HERE, Sample
from systems import SYSTEMS
from tables import figure, table
from targets import verdicts
from ways.http import BLOCKING, BY_HAND
from workload import BLOCKED, ECHOES, HANDSHAKE, LATEST

__all__ = ["about", "source", "write"]

PACKAGES = (
    "plainmcp", "mcp", "fastmcp", "mcp-serializer", "msgspec", "pydantic", "starlette",
    "uvicorn", "uvloop", "httptools",
)  # fmt: skip
CHARTS = HERE / "charts"
CHANGED = "The source of plainmcp changed while this ran, so its rows are of different sources: run it again."
OBSERVED = "### With observers\n\nAn `async def` echo of ours, on ASGI in process, by revision."
PROTECTED = "### With authorization\n\nThe same echo for callers with a key, or with a token that is known already."
MESSAGES = {"echo": "Short messages", "echo of 300 characters": "Ordinary messages"}
HOLDS = {True: "yes", False: "**no**", None: "not measured"}
METHOD = (HERE / "METHOD.md").read_text("utf-8")


def about(command: str, pace: Pace) -> dict[str, Any]:
    """The machine before a run, the versions, the command, and how long it measures."""
    model = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return {
        "machine": f"{model[0] if model else platform.machine()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": ", ".join([*(f"{name} {version(name)}" for name in PACKAGES), *node.describe_versions()]),
        "command": command,
        "pace": f"{pace.rounds} rounds of {pace.slice * 1000:.0f} ms, {pace.starts} processes from nothing, "
        f"{pace.http_rounds} rounds of {pace.http_seconds:g} s over HTTP",
        "load": " ".join(f"{one:.2f}" for one in os.getloadavg()),
    }


def source() -> str:
    """What the measured source is, in short: a run is only worth something if it is the same before and after."""
    files = sorted((HERE.parent / "src" / "plainmcp").rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def write(kept: Path) -> None:
    """RESULTS.md, the drawings and the table in README.md, from the figures of a run."""
    found = json.loads(kept.read_text())
    rows = [
        Row(one["way"], one["what"], one["unit"], {name: Sample(sample) for name, sample in one["samples"].items()})
        for one in found["rows"]
    ]
    CHARTS.mkdir(exist_ok=True)
    for name, drawn in _charts(rows).items():
        (CHARTS / f"{name}.svg").write_text(drawn, "utf-8")
    (HERE / "RESULTS.md").write_text(_page(found["about"], rows), "utf-8")
    readme.update(found["about"], rows)


def _page(about: dict[str, Any], rows: list[Row]) -> str:
    judged = verdicts(rows)
    measured = [verdict.holds for verdict in judged if verdict.holds is not None]
    parts = [
        "# Speed, side by side",
        f"{about['machine']}; {about['system']}.  \n{about['versions']}.  \n"
        f"`{about['command']}`, which is what `make bench` runs: {about['pace']}. "
        f"The machine's load average before it was {about['load']}.",
        *([f"**{CHANGED}**"] if about["changed"] else []),
        f"## Targets\n\n{sum(measured)} of {len(measured)} hold.",
        table(
            ["way in", "target", "measured", "holds"],
            [[one.way, one.target, one.measured, HOLDS[one.holds]] for one in judged],
        ),
        METHOD.strip(),
        "## handle()\n\nMicroseconds a call, and how many times the floor's; in brackets the spread over rounds.",
        _times([row for row in rows if row.way == "handle" and "floor" in row.samples], "floor"),
        *(_times([row], "plainmcp") for row in rows if row.way == "handle" and "floor" not in row.samples),
        "## ASGI in process\n\nMicroseconds a request, and how many times ours.\n\n![](charts/asgi.svg)",
    ]
    for kind, wire in (("async", HANDSHAKE), ("async", LATEST), ("def", HANDSHAKE), ("def", LATEST)):
        handlers = "`async def` handlers" if kind == "async" else "`def` handlers, in threads"
        parts.append(f"### {handlers}, {wire}")
        parts.append(_times([row for row in rows if row.way == f"asgi {kind} {wire}"], "plainmcp"))
    parts.append("### With and without a Context\n\nAn `async def` echo of ours, on ASGI in process, by revision.")
    parts.append(_times([row for row in rows if row.way == "context"], "without a Context"))
    parts.append(
        "### With and without a check of its result\n\nA tool `-> int` of ours, on ASGI in process, by revision."
    )
    parts.append(_times([row for row in rows if row.way == "checked"], "not checked"))
    parts.append(OBSERVED)
    parts.append(_times([row for row in rows if row.way == "observed"], "nothing"))
    parts.append(PROTECTED)
    parts.append(_times([row for row in rows if row.way == "protected"], "open"))
    parts.append("## HTTP, one process\n\n![](charts/http.svg)")
    if not any(row.way.startswith("http") and TYPESCRIPT in row.samples for row in rows):
        parts.append(f"The {TYPESCRIPT} was not measured: Node or its packages were missing.")
    for case, wire in product(ECHOES, (HANDSHAKE, LATEST)):
        parts += [f"### {MESSAGES[case]}, {wire}", _http(rows, wire, case)]
    ideal = f"{BLOCKED * 1e6 / BLOCKING:.0f} µs a call"
    parts.append(f"### Pings and blocking calls, {HANDSHAKE}\n\nThe ideal of {BLOCKING} blocking calls is {ideal}.")
    parts.append(_http_others(rows))
    parts.append("## stdio\n\nMicroseconds a request through a pipe, and how many times ours.")
    parts.append(_times([row for row in rows if row.way.startswith("stdio")], "plainmcp", way=True))
    parts.append("## Start and memory\n\n![](charts/start.svg)")
    parts.append(_times([row for row in rows if row.way in ("start", "memory")], "plainmcp", unit=True))
    parts.append(
        "## Values\n\nMicroseconds from a table of 1,000 rows to the bytes of a result, by policy and schema."
    )
    parts.append(_values(rows))
    parts.append("## Cost against size\n\n![](charts/rows.svg)\n\n![](charts/tools.svg)\n\n![](charts/served.svg)")
    parts.append(redesign_cost(rows))
    return "\n\n".join(parts) + "\n"


def _times(rows: list[Row], base: str, *, way: bool = False, unit: bool = False) -> str:
    """A line for each row: what each system took, and its ratio to the base."""
    names = list(dict.fromkeys(name for row in rows for name in row.samples))
    lines = []
    for row in rows:
        cells = [f"{row.way}, {row.what}" if way else row.what, *([row.unit] if unit else [])]
        for name in names:
            cells.append(_cell(row.samples, name, base))
        lines.append(cells)
    return table(["", *(["unit"] if unit else []), *names], lines)


def _cell(samples: dict[str, Sample], name: str, base: str) -> str:
    if name not in samples:
        return ""
    sample, value = samples[name], figure(samples[name].middle)
    if name == base or base not in samples:
        return value
    ratio = f"{value} = {figure(sample.over(samples[base]))} times"
    if len(sample) < 3:
        return ratio
    low, high = sample.spread(samples[base])
    return f"{ratio} ({figure(low)} to {figure(high)})"


def _http(rows: list[Row], wire: str, case: str) -> str:
    found = {(row.way, row.what): row.samples for row in rows}
    lines = []
    for connections in (16, 200):
        what = f"{case}, {connections} connections"
        rate, cpu, half, late, busy = (
            found[f"http {part}{wire}", what] for part in ("", "cpu ", "p50 ", "p99 ", "busy ")
        )
        for name in rate:
            low, high = rate["floor"].spread(rate[name])
            share = f"{rate['floor'].over(rate[name]):.2f} ({low:.2f} to {high:.2f})"
            shown = [
                f"{1e6 / rate[name].middle:,.0f}",
                share,
                figure(cpu[name].middle),
                f"{cpu['floor'].over(cpu[name]):.2f}",
            ]
            times = [figure(half[name].middle), figure(late[name].middle), f"{busy[name].middle:.0%}"]
            lines.append([str(connections), name.replace("floor", "bare ASGI"), *shown, *times])
    heads = [
        "connections",
        "",
        "requests/s",
        "of the bare",
        "CPU µs",
        "of the bare",
        "p50 ms",
        "p99 ms",
        "generator busy",
    ]
    return table(heads, lines)


def _http_others(rows: list[Row]) -> str:
    """Pings, blocking calls, and echoes beside blocking calls."""
    found = {(row.way, row.what): row.samples for row in rows}
    named = {
        "ping, 16 connections": ("cpu", "µs of CPU"),
        f"{BLOCKING} blocking calls": ("", "µs a call"),
        "echo beside 16 blocking calls": ("p99", "ms, p99"),
    }
    chosen = []
    for what, (part, unit) in named.items():
        samples = found[f"http {part} {HANDSHAKE}".replace("  ", " "), what]
        chosen.append(Row("http", what, unit, samples))
    return _times(chosen, "plainmcp", unit=True)


def _values(rows: list[Row]) -> str:
    memory = {row.what: row.samples["plainmcp"].middle for row in rows if row.way == "values memory"}
    lines = []
    for row in rows:
        if row.way in ("values", "values compact"):
            normalized, ours, floor = row.samples["plainmcp"], row.samples["server"], row.samples["floor"]
            low, high = ours.spread(floor)
            mark = " \\*" if row.way == "values compact" else ""
            ratio = f"{ours.over(floor):.2f} ({low:.2f} to {high:.2f}){mark}"
            figures = [figure(one.middle) for one in (ours, floor)]
            lines.append([row.what, *figures, ratio, f"{normalized.over(floor):.2f}", f"{memory[row.what]:.2f}"])
    note = (
        "\\* text compact and in one block, as the floor's. normalize: `normalize_tool_result`, unchecked, in floors."
    )
    return table(["", "µs", "floor µs", "floors", "normalize", "memory, in results"], lines) + "\n\n" + note


# Drawings -----------------------------------------------------------------------------------------


def _charts(rows: list[Row]) -> dict[str, str]:
    found = {(row.way, row.what): row.samples for row in rows}

    def rates(way: str, what: str) -> dict[str, tuple[float, str]]:
        samples = found[way, what]
        named = {name.replace("floor", "bare ASGI"): one.middle for name, one in samples.items()}
        return {name: (1 / middle, f"{1e6 / middle:,.0f} /s") for name, middle in named.items()}

    def sizes(what: str, unit: str) -> dict[str, tuple[float, str]]:
        samples = found["start", what]
        return {name: (one.middle, f"{one.middle:,.0f} {unit}") for name, one in samples.items()}

    cases = (
        "echo",
        "echo with a Context",
        "model",
        "table of models",
        "table of dataclasses",
        "image",
        "list of 1,000",
        "read",
        "progress",
    )
    asgi = [(name, rates(f"asgi async {HANDSHAKE}", name)) for name in cases]
    http = []
    for count in (16, 200):
        shown = rates(f"http {HANDSHAKE}", f"{ECHOES[0]}, {count} connections")
        shown.pop(BY_HAND)
        http.append((f"{count} connections", shown))
    start = [
        ("import, user time", sizes("import, user time", "ms")),
        ("start to first answer", sizes("start to first answer", "ms")),
        ("resident after start", sizes("resident after start", "MiB")),
    ]
    note = f"longer is better; revision {HANDSHAKE}, one process; each group is drawn to its own scale"
    over_http = f"longer is better; {ECHOES[0]}, revision {HANDSHAKE}; plainmcp is `plainmcp serve`"
    return {
        "asgi": drawing.bars("Requests per second, ASGI in process, async def handlers", note, asgi),
        "http": drawing.bars("Requests per second over HTTP, one process", over_http, http),
        "start": drawing.bars("Starting a server", "shorter is better", start),
        "rows": drawing.lines(
            "Cost against rows", "µs a call, ASGI in process", "rows", _series(rows, "growth rows")
        ),
        "tools": drawing.lines(
            "Cost against registered tools", "µs an echo, ASGI in process", "tools", _series(rows, "growth tools")
        ),
        "served": drawing.lines(
            "Cost against requests served", "µs an echo, ASGI in process, one session", "requests", _served(rows)
        ),
    }


def _series(rows: list[Row], way: str) -> drawing.Series:
    chosen = [row for row in rows if row.way == way]
    return {
        name: [(float(row.what), row.samples[name].middle) for row in chosen if name in row.samples]
        for name in SYSTEMS
    }


def _served(rows: list[Row]) -> drawing.Series:
    series = {}
    for name in SYSTEMS:
        chosen = [row for row in rows if row.way == f"growth served {name}"]
        series[name] = [(float(row.what), row.samples[name].middle) for row in chosen]
    return series


if __name__ == "__main__":
    write(HERE / ".results.json")
