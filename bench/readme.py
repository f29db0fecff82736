"""The section on speed in README.md, from the figures of a run. Measures nothing."""

import re
from typing import Any

from measures import Row
from node import TYPESCRIPT
from rounds import HERE, Sample
from systems import SYSTEMS
from targets import verdicts
from workload import ECHOES, HANDSHAKE

__all__ = ["update"]

README = HERE.parent / "README.md"
BEGIN, END = "<!-- speed: written by make bench -->", "<!-- end of speed -->"
ASGI = f"asgi async {HANDSHAKE}"
SERVED = f"{ECHOES[0]}, 200 connections"
LINES = [
    ("`plainmcp serve`: ordinary messages, 16 connections", f"http {HANDSHAKE}", f"{ECHOES[0]}, 16 connections"),
    ("the same, 200 connections", f"http {HANDSHAKE}", SERVED),
    ("CPU time of such a request", f"http cpu {HANDSHAKE}", SERVED),
    ("echo, an ASGI request in process", ASGI, "echo"),
    ("echo with a `Context`", ASGI, "echo with a Context"),
    ("a pydantic model with five fields", ASGI, "model"),
    ("a table of 1,000 pydantic models", ASGI, "table of models"),
    ("`tools/list` of 1,000 tools", ASGI, "list of 1,000"),
    ("echo over stdio, one by one", "stdio async", "echo, one by one"),
    ("to import it", "start", "import, user time"),
    ("memory after its first answer", "start", "resident after start"),
]


def update(about: dict[str, Any], rows: list[Row]) -> None:
    """Write the table into README.md, between its two marks."""
    page = README.read_text("utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n\n{_section(about, rows)}\n\n{END}{after}", "utf-8")


def _section(about: dict[str, Any], rows: list[Row]) -> str:
    found = {(row.way, row.what): row for row in rows}
    versions = dict(one.rsplit(" ", 1) for one in about["versions"].split(", "))
    python = re.sub(r".*(Python \d+\.\d+).*", r"\1", about["system"])
    lines = [
        "| " + " | ".join([name, *(_figure(found[way, what], system) for system in SYSTEMS)]) + " |"
        for name, way, what in LINES
    ]
    over_http = found[f"http {HANDSHAKE}", SERVED].samples
    others = [
        f"With 200 connections, a bare ASGI application with the same answers serves {_rate(over_http['floor'])}"
    ]
    if TYPESCRIPT in over_http:
        others.append(f"the leanest server of the TypeScript SDK, on Node, {_rate(over_http[TYPESCRIPT])}")
    comparison = ",\nand ".join(others)
    judged = [verdict.holds for verdict in verdicts(rows) if verdict.holds is not None]
    return "\n".join(
        [
            f"Compared with the official SDK (`mcp` {versions['mcp']}) and FastMCP ({versions['fastmcp']}), "
            f"in one run of `make bench`\n({about['machine']}, {python}):",
            "",
            "| | plainmcp | official SDK | FastMCP |",
            "|---|---:|---:|---:|",
            *lines,
            "",
            "Over HTTP, plainmcp is what `pip install 'plainmcp[http]'` and `plainmcp serve` give; an ordinary",
            f"message has a text of 300 characters. Revision {HANDSHAKE} with a session, and `async def` handlers.",
            f"{comparison}.",
            f"[All measurements](bench/RESULTS.md) are listed with their targets; "
            f"{sum(judged)} of {len(judged)} targets hold.",
        ]
    )


def _figure(row: Row, system: str) -> str:
    sample = row.samples[system]
    if row.way.startswith("http 2"):
        return _rate(sample)
    if row.unit == "MiB":
        return f"{sample.middle:.0f} MiB"
    return _duration(sample.middle * (1_000 if row.unit == "ms" else 1))


def _duration(micros: float) -> str:
    if micros < 1_000:
        return f"{micros:.0f} µs"
    return f"{micros / 1_000:,.{1 if micros < 10_000 else 0}f} ms"


def _rate(sample: Sample) -> str:
    return f"{round(1e6 / sample.middle, -2):,.0f}/s"
