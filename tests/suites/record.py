"""What the last runs of the suites came to, file by file: files.txt, and RESULTS.md, which is made of it.

A run writes both for the suites that it ran. `make test` checks that every file has an area or a reason.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .cases import SUITES

__all__ = ["FILES", "RESULTS", "FileCount", "headline_of", "note_of", "read_files", "without_place", "write"]

FILES, RESULTS = Path(__file__).parent / "files.txt", Path(__file__).parent / "RESULTS.md"

_HEAD = """# The packages' own tests

What `make suites` has counted: the test functions of the suites of FastMCP and the official SDK, with their clients
and our servers. A function passes if all its cases pass. A test is left out for one of four reasons only: it fails on
the real package here; it tests the client; it tests a named feature that
[README](../../README.md#what-it-does-not-do) says plainmcp does not have; it touches a private name. Every other test
counts. files.txt has the figures of each file.
"""


@dataclass
class FileCount:
    """The test functions of a file: how many count and pass, and why the others are left out."""

    suite: str
    file: str
    counted: int = 0
    passed: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])

    @property
    def area(self) -> str | None:
        """The area in which the file is counted; None if it has none."""
        return SUITES[self.suite].area_of(self.file)

    def __str__(self) -> str:
        reasons = [f"{number} {reason}" for reason, number in sorted(self.left_out.items())]
        return "\t".join([self.suite, self.file, f"{self.passed} of {self.counted}", *reasons])


def read_files(text: str) -> list[FileCount]:
    """The counts in files.txt."""
    counts: list[FileCount] = []
    for line in text.splitlines():
        suite, file, passed, *reasons = line.split("\t")
        left_out = {reason: int(number) for number, _, reason in (one.partition(" ") for one in reasons)}
        counts.append(FileCount(suite, file, int(passed.split()[2]), int(passed.split()[0]), Counter(left_out)))
    return counts


def without_place(counts: list[FileCount]) -> list[str]:
    """The files that have neither an area nor a reason for each of their tests."""
    return [one.file for one in counts if one.area is None and (one.counted or not one.left_out)]


def headline_of(counts: list[FileCount], suite: str) -> list[str]:
    """The lines that say what is counted in a suite, what is left out by each reason, and what passes."""
    mine = [one for one in counts if one.suite == suite]
    counted, passed = sum(one.counted for one in mine), sum(one.passed for one in mine)
    left_out = sum((one.left_out for one in mine), Counter[str]())
    wanted = SUITES[suite].wanted
    lines = [f"{counted + left_out.total()} test functions: {left_out.total()} left out, {counted} counted"]
    lines.append(f"{passed} of the {counted} pass: {passed / max(counted, 1):.1%}, {wanted:.0%} wanted")
    lines += [f"{number} left out: {reason}" for reason, number in left_out.most_common()]
    for area in SUITES[suite].areas:
        inside = [one for one in mine if one.area == area and one.counted]
        if inside:
            lines.append(f"{area}: {sum(one.passed for one in inside)} of {sum(one.counted for one in inside)}")
    return lines


def note_of(counts: list[FileCount]) -> str:
    """The text of RESULTS.md."""
    parts = [_HEAD]
    for name, suite in SUITES.items():
        listed = "\n".join(f"- {line}" for line in headline_of(counts, name))
        parts.append(f"## {name} ({suite.requirement})\n\n{listed}\n")
    return "\n".join(parts)


def write(counts: list[FileCount]) -> None:
    """Put the counts of suites in the place of what is known of them."""
    fresh = {one.suite for one in counts}
    known = read_files(FILES.read_text("utf-8")) if FILES.exists() else []
    every = [*counts, *(one for one in known if one.suite not in fresh)]
    every.sort(key=lambda one: (one.suite, one.file))
    FILES.write_text("".join(f"{one}\n" for one in every), "utf-8")
    RESULTS.write_text(note_of(every), "utf-8")
