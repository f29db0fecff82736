"""What the redesign cost: the figures of a run beside those of the last run before it, which `before.json` keeps."""

import json
from typing import Any

from measures import Row
from rounds import HERE, Sample
from tables import figure, table
from targets import verdicts

__all__ = ["redesign_cost"]

Samples = dict[str, Sample]
RATIOS = {
    "floor": "floors",
    "10 tools": "times 10 tools",
    "mcp": "times cheaper than mcp",
    "bare ASGI": "of the bare rate",
}
"""The ratio of a line, by what it is measured against."""


def redesign_cost(rows: list[Row]) -> str:
    """A section with a line for every figure of the run before that this run has too."""
    before = json.loads((HERE / "before.json").read_text("utf-8"))
    found = {(row.way, row.what): row.samples for row in rows}
    lines = [_line(one, found[one["way"], one["what"]]) for one in before["rows"]]
    growth = [
        [verdict.target, before["growth"][verdict.target], verdict.measured]
        for verdict in verdicts(rows)
        if verdict.target in before["growth"]
    ]
    heads = ["", "", "unit", "before", "now", "now / before", "against", "before", "now"]
    return "\n\n".join(
        [
            "## What the redesign cost",
            f"The run before: {before['machine']}; {before['versions']}. {before['note']}",
            "Figures of two runs differ with the machine, so most lines also have a ratio to another system that was "
            "measured in the same run. Over HTTP, uvicorn was started by hand then; now it is `plainmcp serve`. "
            "Fewer floors are better; a higher rate and more times cheaper are better.",
            table(heads, lines),
            table(["growth", "before", "now"], growth),
        ]
    )


def _line(before: dict[str, Any], samples: Samples) -> list[str]:
    value = samples[before["system"]].middle
    if before["unit"] == "requests/s":
        value = 1e6 / value
    times = f"{value / before['value']:.2f}" if before["value"] else ""
    cells = [before["way"], before["what"], before["unit"], figure(before["value"]), figure(value), times]
    if "against" not in before:
        return [*cells, "", "", ""]
    against = before["against"]
    return [*cells, RATIOS[against], figure(before["ratio"]), figure(_ratio(before["system"], against, samples))]


def _ratio(system: str, against: str, samples: Samples) -> float:
    ours, other = samples[system], samples["floor" if against == "bare ASGI" else against]
    return ours.over(other) if against in ("floor", "10 tools") else other.over(ours)
