"""Draws bars and lines as SVG, readable on light and on dark pages. Knows numbers and names, not what they mean."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

__all__ = ["bars", "lines"]

COLOURS = {"plainmcp": "a", "mcp": "b", "fastmcp": "c", "bare ASGI": "d", "TypeScript SDK": "e"}
STYLE = """\
text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:15px}.s{fill:#57606a;font-size:12px}
.g{stroke:#d0d7de;stroke-width:1}.a{fill:#0969da;stroke:#0969da}.b{fill:#bc4c00;stroke:#bc4c00}
.c{fill:#1a7f37;stroke:#1a7f37}.d{fill:#8c959f;stroke:#8c959f}.e{fill:#8250df;stroke:#8250df}
.l{fill:none;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.g{stroke:#3d444d}.a{fill:#4493f8;stroke:#4493f8}
.b{fill:#f0883e;stroke:#f0883e}.c{fill:#3fb950;stroke:#3fb950}.d{fill:#6e7681;stroke:#6e7681}.e{fill:#ab7df8;stroke:#ab7df8}
.l{fill:none}}"""
WIDTH, LEFT, BAR, GAP, TOP = 760, 190, 17, 14, 62

Group = tuple[str, dict[str, tuple[float, str]]]
"""A name, and for each system a length and what to write beside it."""


def bars(title: str, note: str, groups: Sequence[Group]) -> str:
    """A group of bars each, the longest of a group as long as any."""
    y, parts = TOP, [_heading(title, note)]
    for name, group in groups:
        most = max(value for value, _ in group.values())
        parts.append(f'<text x="{LEFT - 12}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        for system, (value, label) in group.items():
            width = max(1.5, value / most * (WIDTH - LEFT - 190))
            parts.append(
                f'<rect class="{COLOURS[system]}" x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 3}" rx="2"/>'
                f'<text class="s" x="{LEFT + width + 8:.1f}" y="{y + 12}">{escape(f"{system}  {label}")}</text>'
            )
            y += BAR
        y += GAP
    return _page(title, y, parts)


Series = dict[str, list[tuple[float, float]]]
"""For each system its points."""


def lines(title: str, note: str, across: str, series: Series) -> str:
    """Points joined by lines, on logarithmic axes."""
    points = [point for one in series.values() for point in one]
    ends = [_ends([point[axis] for point in points]) for axis in (0, 1)]
    bottom, right, left = 330, WIDTH - 110, 70

    def at(point: tuple[float, float]) -> tuple[float, float]:
        shares = [_share(point[axis], ends[axis]) for axis in (0, 1)]
        return left + shares[0] * (right - left), bottom - shares[1] * (bottom - TOP)

    parts = [_heading(title, note)]
    for value in _ticks(ends[1]):
        y = at((ends[0][1], value))[1]
        parts.append(f'<line class="g" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="s" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,g}</text>')
    for value in _ticks(ends[0]):
        x = at((value, ends[1][1]))[0]
        parts.append(f'<text class="s" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{value:,g}</text>')
    parts.append(
        f'<text class="s" x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">{escape(across)}</text>'
    )
    for system, one in series.items():
        places, colour = [at(point) for point in one], COLOURS[system]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline class="{colour} l" points="{path}"/>')
        parts += [f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
        x, y = places[-1]
        parts.append(f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{escape(system)}</text>')
    return _page(title, bottom + 50, parts)


def _ends(values: list[float]) -> tuple[float, float]:
    return 10.0 ** floor(log10(min(values))), 10.0 ** ceil(log10(max(values)))


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return log10(value / low) / log10(high / low)


def _ticks(ends: tuple[float, float]) -> list[float]:
    low, high = (round(log10(end)) for end in ends)
    return [10.0**power for power in range(low, high + 1)]


def _heading(title: str, note: str) -> str:
    return f'<text class="t" x="16" y="24">{escape(title)}</text><text class="s" x="16" y="44">{escape(note)}</text>'


def _page(title: str, height: float, parts: list[str]) -> str:
    size = f'width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">'
    return "\n".join([opening, f"<style>{STYLE}</style>", *parts, "</svg>", ""])
