"""The table and the chart of speed in the README tell the run of bench/RESULTS.md; `make bench` writes all three."""

import re

from docs.pages import ROOT


def test_the_readme_tells_the_same_run_as_the_results() -> None:
    readme, results = ((ROOT / path).read_text("utf-8") for path in ("README.md", "bench/RESULTS.md"))
    section = readme.split("<!-- speed: written by make bench -->")[1].split("<!-- end of speed -->")[0]
    short = re.search(r"^\| echo, an ASGI request in process \|(.*)\|$", section, re.MULTILINE)
    table = results.split("### `async def` handlers, 2025-11-25")[1]
    long = re.search(r"^\| echo \|(.*)\|$", table, re.MULTILINE)
    assert short and long
    shown = [_to_micros(cell) for cell in short[1].split("|")]
    measured = [float(cell.split()[0].replace(",", "")) for cell in long[1].split("|")]
    assert len(shown) == len(measured) == 3
    for one, other in zip(shown, measured, strict=True):
        assert abs(one - other) <= max(0.5, 0.05 * other)


def test_the_chart_in_the_readme_shows_the_same_run() -> None:
    readme, results = ((ROOT / path).read_text("utf-8") for path in ("README.md", "bench/RESULTS.md"))
    assert re.findall(r"!\[[^]]*\]\((bench/[^)]*)\)", readme) == ["bench/charts/http.svg"]
    drawn = (ROOT / "bench" / "charts" / "http.svg").read_text("utf-8")
    rates = re.findall(r">(plainmcp|mcp|fastmcp)  ([\d,]+) /s<", drawn)[:3]
    assert [name for name, _ in rates] == ["plainmcp", "mcp", "fastmcp"]
    first = results.split("## HTTP, one process")[1]  # its first table is that of the chart
    for name, rate in rates:
        row = re.search(rf"^\| 16 \| {name} \| ([\d,]+) \|", first, re.MULTILINE)
        assert row and row[1] == rate


def _to_micros(cell: str) -> float:
    number, unit = cell.split()
    return float(number.replace(",", "")) * {"µs": 1, "ms": 1_000}[unit]
