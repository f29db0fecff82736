"""`python tests/obligations_report.py` writes docs/contributing/obligations.md: which test pins each obligation.

An obligation is pinned by naming its id in a test or in a golden file: `R26-TOOL-04`, or `R*-TOOL-04` for every
revision the test runs on (all that have the obligation; in a golden file, those it names). One that no test names
is excused in obligations_reasons.json: by its id, by its number everywhere (`TOOL-04`) or by its chapter (`TOOL`).
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["PAGE", "Obligation", "obligations", "page", "pins", "reason", "reasons"]

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "contributing" / "obligations.md"
SHORT = {"2024-11-05": "24", "2025-03-26": "2503", "2025-06-18": "2506", "2025-11-25": "2511", "2026-07-28": "26"}
ID = re.compile(r"\bR(\*|24|2503|2506|2511|26)-([A-Z]+\d?-\d{2})\b")
MOST = 3  # tests named for one obligation; more would not be read

CHAPTERS = {
    "BASE": "Base protocol",
    "META": "_meta and extensions",
    "VER": "Lifecycle, versions, discovery",
    "STDIO": "stdio",
    "HTTP": "Streamable HTTP",
    "SSE0": "HTTP+SSE of 2024-11-05",
    "SESS": "Sessions and handles",
    "HDR": "Request headers",
    "AUTH": "Authorization",
    "SCHEMA": "JSON Schema",
    "TOOL": "Tools",
    "RES": "Resources",
    "PROM": "Prompts",
    "COMP": "Completion",
    "PAGE": "Pagination",
    "CACHE": "Caching",
    "SUB": "Subscriptions",
    "MRTR": "Input requests in the result",
    "ELIC": "Elicitation",
    "SAMP": "Sampling",
    "ROOT": "Roots",
    "LOG": "Logging",
    "PROG": "Progress",
    "CANC": "Cancellation",
    "PING": "Ping",
    "TASKL": "Tasks of 2025-11-25",
    "TASKX": "Tasks, the extension of 2026-07-28",
}


class Obligation(NamedTuple):
    """One obligation of one revision."""

    id: str
    level: str
    text: str

    @property
    def number(self) -> str:
        """Its id without the revision: `TOOL-04`."""
        return self.id.partition("-")[2]

    @property
    def chapter(self) -> str:
        """Where it stands: `TOOL`."""
        return self.number.partition("-")[0]

    @property
    def revision(self) -> str:
        """The short name of its revision: `26`."""
        return self.id.partition("-")[0][1:]


def obligations() -> list[Obligation]:
    """Every obligation there is."""
    rows = json.loads((TESTS / "obligations.json").read_text("utf-8"))
    return [Obligation(row["id"], row["level"], row["text"]) for row in rows]


def reasons() -> dict[str, str]:
    """Why some have no test."""
    found: dict[str, str] = json.loads((TESTS / "obligations_reasons.json").read_text("utf-8"))
    return found


def reason(one: Obligation, excuses: dict[str, str]) -> str | None:
    """Why this one has no test: the most specific excuse."""
    return next((excuses[key] for key in (one.id, one.number, one.chapter) if key in excuses), None)


# What the tests name ------------------------------------------------------------------------------


def pins() -> dict[str, list[str]]:
    """The tests that name each id; ids that do not exist are there too."""
    known = [one.id for one in obligations()]
    found: dict[str, list[str]] = {}
    for test, revisions, revision, number in _mentions():
        named = [f"R{short}-{number}" for short in (revisions if revision == "*" else [revision])]
        for id in [id for id in named if id in known] or named[-1:]:
            if test not in found.setdefault(id, []):
                found[id].append(test)
    return {id: sorted(tests) for id, tests in found.items()}


def _mentions() -> Iterator[tuple[str, list[str], str, str]]:
    everywhere = list(SHORT.values())
    for file in sorted(TESTS.rglob("test_*.py")):
        if file.name == "test_obligations.py":
            continue
        text = file.read_text("utf-8")
        if ID.search(text):
            yield from _in_python(file, text, everywhere)
    for file in sorted(TESTS.glob("golden/**/*.txt")):
        text = file.read_text("utf-8")
        listed = re.search(r"^-- revisions --\n(.+)$", text, re.MULTILINE)
        revisions = [SHORT[name] for name in listed[1].split(", ")] if listed else everywhere
        for match in ID.finditer(text.partition("\n-- ")[0]):
            yield f"golden/{file.stem}", revisions, match[1], match[2]


def _in_python(file: Path, text: str, revisions: list[str]) -> Iterator[tuple[str, list[str], str, str]]:
    functions = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for number, line in enumerate(text.splitlines(), 1):
        for match in ID.finditer(line.replace("_", "-") if line.lstrip().startswith("def test_") else line):
            inside = [node.name for node in functions if _start(node) <= number <= (node.end_lineno or 0)]
            tests = [name for name in inside if name.startswith("test_")]
            yield tests[0] if tests else file.stem, revisions, match[1], match[2]


def _start(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Where a test begins: its decorators, and a comment right above it, are part of it."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1


# The page -----------------------------------------------------------------------------------------

LEVELS = "M must, N must not, S should, s should not, i implied"


def page() -> str:
    """The whole page."""
    every, found, excuses = obligations(), pins(), reasons()
    pinned = sum(one.id in found for one in every)
    excused = sum(one.id not in found and reason(one, excuses) is not None for one in every)
    lines = [
        "---",
        "search:",
        "  exclude: true",
        "---",
        "",
        "# Obligations",
        "",
        "What the protocol obliges a server to do, and the tests that check it. Generated by",
        "`python tests/obligations_report.py`; do not edit it by hand.",
        "",
        f"{len(every)} obligations on five revisions, {len({one.number for one in every})} of them distinct: "
        f"{pinned} are checked by a test that names them, {excused} have a reason not to be, "
        f"{len(every) - pinned - excused} are neither.",
        "",
        f"An id is `R<revision>-<number>`; the revisions are {', '.join(SHORT.values())}. Levels: {LEVELS}.",
    ]
    for chapter, title in CHAPTERS.items():
        lines += ["", f"## {title}", "", "| number | level | obligation | checked by |", "|---|---|---|---|"]
        numbers = dict.fromkeys(one.number for one in every if one.chapter == chapter)
        for number in numbers:
            rows = [one for one in every if one.number == number]
            lines.append(f"| {number} | {_levels(rows)} | {_cell(rows[-1].text)} | {_held(rows, found, excuses)} |")
    return "\n".join(lines) + "\n"


def _levels(rows: list[Obligation]) -> str:
    return "<br>".join(
        f"{', '.join(revisions)}: {level}" for level, revisions in _grouped(rows, lambda one: one.level)
    )


def _held(rows: list[Obligation], found: dict[str, list[str]], excuses: dict[str, str]) -> str:
    def holder(one: Obligation) -> str:
        tests = found.get(one.id)
        if not tests:
            return f"*{reason(one, excuses) or 'neither pinned nor excused'}*"
        more = " and more" if len(tests) > MOST else ""
        return ", ".join(f"`{test}`" for test in tests[:MOST]) + more

    groups = _grouped(rows, holder)
    if len(groups) == 1:
        return _cell(groups[0][0])
    return "<br>".join(f"{', '.join(revisions)}: {_cell(held)}" for held, revisions in groups)


def _grouped(rows: list[Obligation], key: object) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for one in rows:
        groups.setdefault(key(one), []).append(one.revision)  # type: ignore[operator]
    return list(groups.items())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(PAGE.read_text("utf-8").splitlines()[4])
